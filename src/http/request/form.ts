import { isUtf8 } from 'node:buffer';
import {
  badRequest,
  entityTooLarge,
  invalidJson,
  malformedPayload,
  tooManyFields,
  unsupportedMediaType,
} from '../../errors.js';
import type { UploadedFile } from '../../resources/kernel/uploaded-file.js';
import { MAX_PARAMETER_LENGTH } from '../../../schemas/limits.js';
import { describe, tooManyNodes } from './validation-faults.js';
import { hasTooManyNodes, parseJson } from './json-text.js';
import { cutText, LARGE_FORM_BYTES, readLargeForm } from './large-form.js';
import { splitParts, type NativePart } from '../native.js';
import { JsonField, MAX_FIELDS, readUrlEncoded, type RawParameters } from './parameters.js';

/** What a body carried. */
export interface Form {
  /** Null where the body is no source of parameters. */
  readonly fields: RawParameters | null;
  readonly files: readonly UploadedFile[];
}

const URL_ENCODED = 'application/x-www-form-urlencoded';

/** Files from here on are most of the body, which is kept for them. */
const LARGE_FILE_BYTES = 1024 * 1024;

const NO_FILES: readonly UploadedFile[] = [];

/** Whether a body takes too long to be read at once: see {@link readLarge}. */
export function isLargeForm(contentType: string, body: Buffer): boolean {
  return body.length > LARGE_FORM_BYTES && mediaTypeOf(contentType) === URL_ENCODED;
}

/** As `readForm`, in stretches. @throws ApiError 400 as there */
export async function readLarge(body: Buffer): Promise<Form> {
  return { fields: await readLargeForm(body), files: NO_FILES };
}

function mediaTypeOf(contentType: string): string {
  const semicolon = contentType.indexOf(';');
  return (semicolon === -1 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}

/** What a request without a body carries. */
export const EMPTY_FORM: Form = { fields: null, files: NO_FILES };

/**
 * Reads a whole body by its media type: a form, or a JSON object of parameters. Without a media type it
 * is no source of parameters (requests.md#parameter-sources). Keeps no reference to `body`.
 * @throws ApiError 400 for what is malformed, not UTF-8, or has too many fields; `INVALID_JSON`; 413
 * for too long a JSON text; 415 for another media type
 */
export function readForm(contentType: string, body: Buffer): Form {
  if (body.length === 0) return EMPTY_FORM;
  const mediaType = mediaTypeOf(contentType);
  switch (mediaType) {
    case URL_ENCODED:
      return { fields: readUrlEncoded(utf8(body)), files: NO_FILES };
    case 'multipart/form-data':
      return readMultipart(contentType.slice(contentType.indexOf(';')), body);
    case 'application/json':
      return { fields: readJson(utf8(body)), files: NO_FILES };
    case '':
      return EMPTY_FORM;
    default:
      throw unsupportedMediaType(mediaType);
  }
}

function utf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw malformedPayload();
  return bytes.toString('utf8');
}

function readJson(text: string): RawParameters {
  if (text.length > MAX_PARAMETER_LENGTH) throw entityTooLarge();
  if (hasTooManyNodes(text)) throw badRequest(describe('body', tooManyNodes()));
  const parsed = parseJson(text);
  if (!parsed) throw invalidJson();
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest('body is not a dict');
  }
  const entries = Object.entries(value);
  if (entries.length > MAX_FIELDS) throw tooManyFields(MAX_FIELDS);
  return new Map(entries.map(([name, field]) => [name, new JsonField(field)]));
}

function readMultipart(attributes: string, body: Buffer): Form {
  const { parts, starts } = checkedParts(boundaryOf(attributes), body);
  const fields: RawParameters = new Map();
  const files: UploadedFile[] = [];
  for (const [i, part] of parts.entries()) {
    // The parts point into the body: everything kept is a copy.
    const data = Buffer.from(part.data);
    const field = part.name ?? '';
    if (part.filename === undefined) {
      if (field !== '') fields.set(field, cutText(data));
    } else {
      const kept = data.length >= LARGE_FILE_BYTES ? within(body, starts[i]!, data.length) : null;
      const file = { field, name: part.filename, mediaType: part.type ?? '' };
      files.push({ ...file, data: kept ?? Buffer.from(data) });
    }
  }
  return { fields, files };
}

function boundaryOf(attributes: string): string {
  const found = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))\s*(?:;|$)/i.exec(attributes);
  const boundary = found?.[1] ?? found?.[2];
  if (boundary === undefined || boundary.length > 70) throw malformedPayload();
  return boundary;
}

/**
 * The native splitter drops what it does not understand without a word (a cut body, a part with many
 * headers), so count the delimiters: every one but the closing one must have given a named part.
 */
function checkedParts(
  boundary: string,
  body: Buffer,
): { parts: readonly NativePart[]; starts: readonly number[] } {
  const delimiter = Buffer.from(`--${boundary}`);
  const starts: number[] = [];
  let last = -1;
  for (let at = body.indexOf(delimiter); at !== -1; at = body.indexOf(delimiter, last + 1)) {
    if (starts.push(at) > MAX_FIELDS + 1) throw tooManyFields(MAX_FIELDS);
    last = at;
  }
  const closing = body.subarray(last + delimiter.length, last + delimiter.length + 2);
  if (last === -1 || closing.toString('latin1') !== '--') throw malformedPayload();
  const parts = splitParts(body, boundary);
  if (parts.length !== starts.length - 1 || parts.some((part) => part.name === undefined)) {
    throw malformedPayload();
  }
  return { parts, starts };
}

/**
 * A part of the body where it lies, which spares copying a large file; null where it is not found there.
 * @param start where the delimiter before it begins
 */
function within(body: Buffer, start: number, length: number): Buffer | null {
  const head = body.indexOf('\r\n\r\n', start);
  return head === -1 ? null : body.subarray(head + 4, head + 4 + length);
}
