import type { DecodedRequest } from './route.js';

/** A file part of a multipart body. */
export interface UploadedFile {
  /** Name of the form field; clients choose it freely (clients.md#python). */
  readonly field: string;
  /** As the client names it: never a path to trust. */
  readonly name: string;
  /** Media type the client claims, or an empty text. */
  readonly mediaType: string;
  readonly data: Buffer;
}

/** What every route really receives: the files of a multipart body come beside the parameters. */
export interface UploadRequest extends DecodedRequest {
  readonly files: readonly UploadedFile[];
}

/** The files of a request as handlers see it; every request has the list, few have files. */
export function filesOf(request: object): readonly UploadedFile[] {
  return (request as Partial<UploadRequest>).files ?? [];
}
