import { asUploadRefusal, badRequest, uploadProtocolDiffers } from '../../errors/index.js';
import { MAX_FILE_UPLOAD_SIZE_MIB } from '../../../schemas/limits.js';
import type { ResumableUploadDocument } from '../../../schemas/uploads/resumable-uploads.js';
import type { NewUpload } from '../../organization/uploads/resumable-uploads.js';
import type { Exchange, ReplyHeaders } from '../reply/exchange.js';

/** Headers and refusals of the tus protocol (endpoints-files.md#resumable-uploads). */

const VERSION = '1.0.0';

/** Media type of the bytes of an upload. */
export const BYTES_TYPE = 'application/offset+octet-stream';

/** Longest `Upload-Metadata`, characters: a name of 250 characters, and what else clients say of a file. */
const MAX_METADATA_LENGTH = 4096;

const SENT = [
  'Authorization',
  'Content-Type',
  'Tus-Resumable',
  'Upload-Length',
  'Upload-Metadata',
  'Upload-Offset',
  'X-HTTP-Method-Override',
  'X-Requested-With',
];

/** Scripts of other origins may read these. */
const EXPOSED: ReplyHeaders = {
  'Access-Control-Expose-Headers':
    'Location, Tus-Resumable, Upload-Expires, Upload-Length, Upload-Metadata, Upload-Offset',
};

/** Further headers of the answer to `OPTIONS`: what the server offers. */
export const TUS_OPTIONS: ReplyHeaders = {
  'Tus-Resumable': VERSION,
  'Tus-Version': VERSION,
  'Tus-Extension': 'creation,creation-with-upload,expiration,termination',
  'Tus-Max-Size': String(MAX_FILE_UPLOAD_SIZE_MIB * 1024 * 1024),
  'Access-Control-Allow-Headers': SENT.join(', '),
};

/** @throws ApiError 412 for another version */
export function checkVersion(exchange: Exchange): void {
  if (exchange.header('tus-resumable') === VERSION) return;
  throw uploadProtocolDiffers(VERSION);
}

/** See {@link asUploadRefusal}. */
export function tusRefusal(error: unknown): unknown {
  return asUploadRefusal(error, VERSION);
}

/** A length or offset. @throws ApiError 400 */
export function bytesIn(exchange: Exchange, name: 'Upload-Length' | 'Upload-Offset'): number {
  const text = exchange.header(name.toLowerCase());
  // Further digits are no number that JavaScript holds exactly.
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`The header ${name} is not a number of bytes.`);
  return Number(text);
}

/** The upload that a client wants to begin. @throws ApiError */
export function newUploadOf(exchange: Exchange): NewUpload {
  if (exchange.header('upload-concat') !== '') {
    throw badRequest('Uploads that are joined from others are not offered.', 403);
  }
  if (exchange.header('upload-defer-length') !== '') {
    throw badRequest('The length of an upload must be known when it begins.', 411);
  }
  const metadata = exchange.header('upload-metadata');
  if (metadata.length > MAX_METADATA_LENGTH) {
    throw badRequest('The metadata of the upload are too long.', 413);
  }
  const fields = metadataOf(metadata);
  const name = fields.get('filename') || fields.get('name') || '';
  return { name, metadata, size: bytesIn(exchange, 'Upload-Length') };
}

/** Names and values of `Upload-Metadata`. @throws ApiError 400 */
function metadataOf(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const pair of text === '' ? [] : text.split(',')) {
    const found = /^ *([\x21-\x7e]+)(?: ([A-Za-z0-9+/]*={0,2}))? *$/.exec(pair);
    if (!found) throw badRequest('The header Upload-Metadata is malformed.');
    fields.set(found[1]!, Buffer.from(found[2] ?? '', 'base64').toString('utf8'));
  }
  return fields;
}

/** The headers that tell how an upload stands. */
export function stateHeaders(upload: ResumableUploadDocument): ReplyHeaders {
  return {
    'Tus-Resumable': VERSION,
    'Upload-Offset': String(upload.offset),
    'Upload-Expires': new Date(upload.expires_at * 1000).toUTCString(),
    ...EXPOSED,
  };
}

/** Those of the answer to `HEAD`, which tells also what the client said when it began the upload. */
export function headHeaders(upload: ResumableUploadDocument): ReplyHeaders {
  const { metadata, size } = upload;
  return {
    ...stateHeaders(upload),
    'Upload-Length': String(size),
    ...(metadata === '' ? {} : { 'Upload-Metadata': metadata }),
  };
}

/** The headers of replies that are not JSON. */
export const PLAIN_HEADERS: ReplyHeaders = {
  'Tus-Resumable': VERSION,
  'Cache-Control': 'no-store',
  'Access-Control-Allow-Origin': '*',
};
