import { exchange, type ApiClient, type Body, type Reply } from './client.js';

const BOUNDARY = 'parley-test-boundary';

/** A multipart body with files, as form data. */
function multipart(...files: readonly { name: string; data: Buffer }[]): Buffer {
  const parts = files.map(({ name, data }) => [
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n`,
    ),
    data,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...parts.flat(), Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

/** Sends files to an endpoint; the outcome is the caller's to judge. */
export function send(
  client: ApiClient,
  path: string,
  ...files: readonly { name: string; data: Buffer }[]
): Promise<Reply> {
  return exchange(client.url, 'POST', `/api/v1${path}`, {
    headers: {
      Authorization: client.authorization,
      'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
    },
    body: multipart(...files),
  });
}

/** Sends one file that must be taken. @throws Error with the reply otherwise */
export async function upload(
  client: ApiClient,
  path: string,
  name: string,
  data: Buffer,
): Promise<Body> {
  const { status, body } = await send(client, path, { name, data });
  if (status !== 200) throw new Error(`POST ${path}: ${status} ${JSON.stringify(body)}`);
  return body;
}
