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
