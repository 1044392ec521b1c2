import sharp from 'sharp';
import { exchange, type ApiClient, type Body, type RawRequest } from '../client.js';

const BOUNDARY = 'parley-boundary';

export const PICTURE = await sharp({
  create: { width: 20, height: 20, channels: 3, background: 'red' },
})
  .png()
  .toBuffer();

/** A multipart body with a small picture in it. */
export function pictureRequest(): Required<Pick<RawRequest, 'headers' | 'body'>> {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="me.png"\r\n\r\n`;
  return {
    headers: { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` },
    body: Buffer.concat([Buffer.from(head), PICTURE, Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]),
  };
}

/** Sends it. @throws Error with the reply when it is refused */
export async function sendPicture(client: ApiClient, path: string): Promise<Body> {
  const { headers, body } = pictureRequest();
  const reply = await exchange(client.url, 'POST', `/api/v1${path}`, {
    headers: { ...headers, Authorization: client.authorization },
    body,
  });
  if (reply.status !== 200) throw new Error(`${path}: ${reply.text}`);
  return reply.body;
}
