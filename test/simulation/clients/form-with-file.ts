/** A file that a client uploads. */
export interface UploadedFile {
  readonly name: string;
  readonly data: Buffer;
}

const BOUNDARY = 'simulated-file-7f3a';

/** Media type of a form with a file. */
export const FORM_WITH_FILE = `multipart/form-data; boundary=${BOUNDARY}`;

/** The body of a form that has one file and nothing else. */
export function partsOf({ name, data }: UploadedFile): Buffer {
  const head = [
    `--${BOUNDARY}`,
    `Content-Disposition: form-data; name="file"; filename="${name}"`,
    'Content-Type: application/octet-stream',
  ];
  const end = `\r\n--${BOUNDARY}--\r\n`;
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), data, Buffer.from(end)]);
}
