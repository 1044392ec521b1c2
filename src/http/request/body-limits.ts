import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
import { MAX_BODY_BYTES, MAX_FILE_UPLOAD_SIZE_MIB } from '../../../schemas/limits.js';
import { fileTooLarge, type ApiError } from '../../errors/index.js';
import { isMultipart } from './form.js';

/** Largest body of an unauthenticated caller, bytes: a login or a short form, not an upload. */
export const MAX_ANONYMOUS_BODY_BYTES = 1024 * 1024;

/** Largest body of a login, bytes: it is read before the attempt is counted, because it names the account. */
const MAX_LOGIN_BODY_BYTES = 64 * 1024;

/**
 * Largest multipart body where no file is taken, bytes: more than all parameters can have in UTF-8, with their heads.
 * What is larger is refused before it is read.
 */
const MAX_FILELESS_BODY_BYTES = 4 * 1024 * 1024;

/** Bytes that a multipart body may have besides the largest file. */
const UPLOAD_ENVELOPE_BYTES = 64 * 1024;

/**
 * The largest body of a request, bytes.
 * @param endpoint undefined where a field of the body selects it
 * @param takesFile whether another endpoint of the path may take one
 */
export function bodyLimit(
  endpoint: EndpointDescriptor | undefined,
  contentType: string,
  isCaller: boolean,
  takesFile: () => boolean,
): number {
  if (endpoint?.rawBody) return endpoint.rawBody.maxBytes;
  if (!isCaller) {
    return endpoint?.loginName === undefined ? MAX_ANONYMOUS_BODY_BYTES : MAX_LOGIN_BODY_BYTES;
  }
  if (endpoint?.file !== undefined) return MAX_BODY_BYTES + UPLOAD_ENVELOPE_BYTES;
  return isMultipart(contentType) && !takesFile() ? MAX_FILELESS_BODY_BYTES : MAX_BODY_BYTES;
}

/** Reports a body that is too large because of its file as such (requests.md#bodies-sizes-faults). */
export function asFileRefusal(error: ApiError): ApiError {
  return error.status === 413 ? fileTooLarge(MAX_FILE_UPLOAD_SIZE_MIB) : error;
}
