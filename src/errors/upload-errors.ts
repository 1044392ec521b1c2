import { ApiError, badRequest } from './api-error.js';

/** A picture that cannot be decoded. */
export function badImage(): ApiError {
  const text = 'Could not decode image; did you upload an image file?';
  return new ApiError(400, 'BAD_IMAGE', text);
}

/** A picture of too many pixels, or that takes too much time or memory to unpack. */
export function imageTooLarge(): ApiError {
  return new ApiError(400, 'BAD_IMAGE', 'Image size exceeds limit.');
}

/** An uploaded file that is larger than its kind may be (requests.md#bodies-sizes-faults). */
export function fileTooLarge(limitMib: number): ApiError {
  return badRequest(`Uploaded file is larger than the allowed limit of ${limitMib} MiB`);
}

/** An address at which there is no uploaded file. */
export function fileNotFound(): ApiError {
  return badRequest('File not found.', 404);
}

/** The caller sees no message with this file. */
export function fileForbidden(): ApiError {
  return badRequest('Access denied', 403);
}

/** The organization has no room for the file. */
export function uploadQuotaExceeded(): ApiError {
  const text = "Upload would exceed your organization's upload quota.";
  return new ApiError(400, 'REALM_UPLOAD_QUOTA', text);
}

/** One person's files would take more of the organization's quota than one person may. */
export function uploadShareExceeded(limitMib: number): ApiError {
  return badRequest(`Your uploaded files may take at most ${limitMib} MiB.`);
}

/** One person's files that no message links would take too much. */
export function unclaimedUploadsExceeded(limitMib: number): ApiError {
  return badRequest(
    `Your uploaded files that no message links may take at most ${limitMib} MiB. Send or delete some first.`,
  );
}

/** More uploads of one person than may be under way. */
export function tooManyUploads(limit: number): ApiError {
  return badRequest(`You can have at most ${limit} uploads that are not complete.`, 413);
}

/** An upload in pieces that there is not, or not any more; clients then begin anew. */
export function uploadExpired(): ApiError {
  return badRequest('There is no such upload, or it has expired.', 410);
}

/** Bytes of an upload that are not the next ones; clients then ask which are. */
export function uploadOffsetDiffers(): ApiError {
  return badRequest('The upload has another offset.', 409);
}

/** Bytes behind the announced end of an upload. */
export function uploadTooLong(): ApiError {
  return badRequest('The upload is longer than it was announced.', 413);
}

/** A request for an upload in pieces by another version of the protocol. */
export function uploadProtocolDiffers(version: string): ApiError {
  const text = `This server speaks version ${version} of the tus protocol.`;
  return new ApiError(412, 'BAD_REQUEST', text, {}, { 'Tus-Version': version });
}

/**
 * A refusal as clients of the tus protocol read it: with its version, and with the text under a second name.
 * @returns any other error as it is
 */
export function asUploadRefusal(error: unknown, version: string): unknown {
  if (!(error instanceof ApiError)) return error;
  const { status, code, message, fields, headers } = error;
  const own = { ...headers, 'Tus-Resumable': version };
  return new ApiError(status, code, message, { ...fields, message }, own);
}

/** The refusal of a file that does not fit: clients of the tus protocol repeat what was answered with 400. */
export function asTooLarge(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.status !== 400) return error;
  return new ApiError(413, error.code, error.message, error.fields, error.headers);
}
