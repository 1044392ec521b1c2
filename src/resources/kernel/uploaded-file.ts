import type { DecodedRequest } from './route.js';

/** A file part of a multipart body. */
export interface UploadedFile {
  /** Name of the form field; clients choose it freely (clients.md#python). */
  readonly field: string;
  /** Name the client gives; not a trusted path. */
  readonly name: string;
  /** Media type the client claims, or an empty text. */
  readonly mediaType: string;
  readonly data: Buffer;
}

/** A request with the files of a multipart body beside its parameters. */
export interface UploadRequest extends DecodedRequest {
  readonly files: readonly UploadedFile[];
}

/** The files of a request; empty for most. */
export function filesOf(request: object): readonly UploadedFile[] {
  return (request as Partial<UploadRequest>).files ?? [];
}
