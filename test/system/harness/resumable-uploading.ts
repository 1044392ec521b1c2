import { request } from 'node:http';
import { DetailedError, Upload, type UploadOptions } from 'tus-js-client';
import { agent, closeStale, type ApiClient } from './client.js';

/** What a client of the protocol sees. */
export interface TusReply {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  readonly text: string;
}

interface TusRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** Breaks the connection when so many bytes of the body were handed over. */
  readonly breakAfter?: number;
  /** A connection of its own, which any worker may get. */
  readonly alone?: boolean;
}

/** One request of the tus protocol, exactly as described. @throws Error where the connection breaks */
export function tusRequest(
  { url, authorization }: Pick<ApiClient, 'url' | 'authorization'>,
  method: string,
  path: string,
  { headers = {}, body, breakAfter, alone = false }: TusRequest = {},
): Promise<TusReply> {
  return new Promise((resolve, reject) => {
    closeStale(url);
    const length = body ? { 'Content-Length': body.length } : {};
    const sent = request(
      new URL(path, url),
      {
        method,
        agent: alone ? false : agent,
        headers: {
          ...{ Authorization: authorization, 'Tus-Resumable': '1.0.0' },
          ...length,
          ...headers,
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => (text += part));
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode!,
            header: (name) => response.headers[name.toLowerCase()] as string | undefined,
            text,
          }),
        );
      },
    );
    sent.on('error', reject);
    if (breakAfter === undefined) sent.end(body);
    else sent.write(body!.subarray(0, breakAfter), () => sent.destroy(new Error('broken off')));
  });
}

/** `Upload-Metadata` with a name. */
export function named(name: string): Record<string, string> {
  return { 'Upload-Metadata': `filename ${Buffer.from(name).toString('base64')}` };
}

/** Headers of bytes at an offset. */
export function bytesAt(offset: number): Record<string, string> {
  return { 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' };
}

/** Uploads by the client library that browsers use. @returns its last reply @throws DetailedError */
export function tusUpload(
  client: Pick<ApiClient, 'url' | 'authorization'>,
  data: Buffer,
  options: Partial<UploadOptions> = {},
): Promise<{ url: string; status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const upload = new Upload(data, {
      endpoint: `${client.url}/api/v1/tus/`,
      headers: { Authorization: client.authorization },
      retryDelays: [0, 50, 100, 200, 400, 800, 1600, 3200, 6400, 6400, 6400],
      ...options,
      onError: (error) => reject(error instanceof DetailedError ? error : new Error(String(error))),
      onSuccess: ({ lastResponse }) =>
        resolve({
          url: upload.url!,
          status: lastResponse.getStatus(),
          text: lastResponse.getBody(),
        }),
    });
    upload.start();
  });
}
