/*
 * Multipart bodies (RFC 7578), read step by step: whoever reads a large one may pause between two steps, so that a body
 * made to be searched for long keeps nobody waiting.
 */
import { isUtf8 } from 'node:buffer';
import {
  malformedPayload,
  parametersTooLong,
  tooManyFields,
  unsupportedCharset,
  unsupportedContentEncoding,
} from '../../errors/index.js';
import type { UploadedFile } from '../../resources/kernel/route.js';
import { MAX_FIELDS, MAX_PARAMETER_LENGTH } from '../../../schemas/limits.js';
import { partNames } from './disposition.js';
import { decode } from '../../services/text/decode.js';
import { charsetOf, isForeign } from '../../services/text/form-bytes.js';
import { cutText, MAX_TEXT_BYTES } from './form-text.js';

/** From this size on a file is most of the body, whose memory is then kept instead of a copy. Bytes. */
const LARGE_FILE_BYTES = 1024 * 1024;

/** Bytes that are searched in a step: at worst each is compared three times, which takes a millisecond. */
const STEP_BYTES = 512 * 1024;

/** Largest head of a part, bytes, and most of its lines: clients send three, and names of files end at 250 characters. */
const MAX_HEAD_BYTES = 8 * 1024;
const MAX_HEAD_LINES = 10;

/** Longest boundary, by RFC 2046. */
const MAX_BOUNDARY_LENGTH = 70;

const CR = 13;
const LF = 10;
const DASH = 45;
const NONE = -1;

/**
 * Most bytes of texts that are decoded: one that is longer than a parameter may be, which is then refused by its name,
 * and all other parameters.
 */
const MAX_TEXTS_BYTES = 2 * MAX_TEXT_BYTES;

/** What a multipart body has. */
interface MultipartForm {
  readonly fields: ReadonlyMap<string, string>;
  readonly files: readonly UploadedFile[];
}

/**
 * Reads a multipart body. Nothing of the result shares its memory, but for files of {@link LARGE_FILE_BYTES} and more.
 * @param attributes the media type from its first semicolon on
 * @throws ApiError 400 for malformed content, too many parts, or texts that are longer than all parameters may be
 */
export function* multipartSteps(attributes: string, body: Buffer): Generator<void, MultipartForm> {
  const fields = new Map<string, string>();
  const files: UploadedFile[] = [];
  const usual = charsetOf(attributes);
  let textBytes = 0;
  for (const { start, end } of yield* partsOf(body, boundaryOf(attributes))) {
    const headEnd = body.subarray(start, Math.min(end, start + MAX_HEAD_BYTES)).indexOf('\r\n\r\n');
    if (headEnd === NONE) throw malformedPayload();
    const head = readHead(decode(body.subarray(start, start + headEnd)));
    const data = body.subarray(start + headEnd + 4, end);
    if (head.filename === undefined) {
      textBytes += Math.min(data.length, MAX_TEXT_BYTES);
      if (textBytes > MAX_TEXTS_BYTES) throw parametersTooLong(MAX_PARAMETER_LENGTH);
      if (head.name === '') continue;
      const label = charsetOf(head.mediaType) ?? fields.get(CHARSET_FIELD) ?? usual;
      const text = partText(data, label);
      fields.set(head.name, text);
    } else {
      const kept = data.length >= LARGE_FILE_BYTES ? data : Buffer.from(data);
      const file = { field: head.name, name: head.filename, mediaType: head.mediaType };
      files.push({ ...file, data: kept });
    }
    yield;
  }
  return { fields, files };
}

/** The field with the charset of a form, for what says none itself (RFC 7578, section 4.6; HTML). */
export const CHARSET_FIELD = '_charset_';

/**
 * The text of a part: UTF-8, with U+FFFD for what is none; where it is labelled as ASCII or Latin, that.
 * @throws ApiError 415 for a charset that gives it another meaning
 */
function partText(data: Buffer, label: string | undefined): string {
  if (label === undefined) return cutText(data);
  if (isForeign(label, data)) throw unsupportedCharset(label);
  return isUtf8(data) ? cutText(data) : decode(data.subarray(0, MAX_TEXT_BYTES), label);
}

function boundaryOf(attributes: string): string {
  const found = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))\s*(?:;|$)/i.exec(attributes);
  const boundary = found?.[1] ?? found?.[2];
  if (boundary === undefined || boundary.length > MAX_BOUNDARY_LENGTH) throw malformedPayload();
  return boundary;
}

/** Where a part begins and ends, head included. */
interface Place {
  readonly start: number;
  readonly end: number;
}

/** The parts of a body, which must end with a closing delimiter: a body that was cut is refused. */
function* partsOf(body: Buffer, boundary: string): Generator<void, readonly Place[]> {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const places: Place[] = [];
  const first = delimiter.subarray(2);
  const begins = body.subarray(0, first.length).equals(first);
  let found = begins ? 0 : yield* search(body, delimiter, 0);
  let behind = begins ? first.length : found + delimiter.length;
  while (found !== NONE) {
    if (body[behind] === DASH && body[behind + 1] === DASH) return places;
    if (body[behind] !== CR || body[behind + 1] !== LF) break;
    const start = behind + 2;
    found = yield* search(body, delimiter, start);
    behind = found + delimiter.length;
    if (found !== NONE && places.push({ start, end: found }) > MAX_FIELDS) {
      throw tooManyFields(MAX_FIELDS);
    }
  }
  throw malformedPayload();
}

/** Position of a delimiter from `start` on. */
function* search(body: Buffer, delimiter: Buffer, start: number): Generator<void, number> {
  for (let from = start; from < body.length; from += STEP_BYTES) {
    // A delimiter may lie across the end of the step.
    const found = body.subarray(from, from + STEP_BYTES + delimiter.length - 1).indexOf(delimiter);
    if (found !== NONE) return from + found;
    yield;
  }
  return NONE;
}

/** What the head of a part says. */
interface Head {
  readonly name: string;
  /** Absent where the part is no file. */
  readonly filename: string | undefined;
  readonly mediaType: string;
}

/** Encodings of mails that leave bytes as they are; RFC 7578 knows no others. */
const AS_IT_IS = /^(?:[78]bit|binary)$/i;

/**
 * @throws ApiError 400 for a line that is no header, too many of them, or a part without a name; 415 for a part whose
 *   bytes are encoded
 */
function readHead(text: string): Head {
  const lines = text.split('\r\n', MAX_HEAD_LINES + 1);
  if (lines.length > MAX_HEAD_LINES) throw malformedPayload();
  let disposition = '';
  let mediaType = '';
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon === NONE) throw malformedPayload();
    const value = line.slice(colon + 1).trim();
    const header = line.slice(0, colon).toLowerCase();
    if (header === 'content-disposition') disposition = value;
    else if (header === 'content-type') mediaType = value;
    else if (header === 'content-transfer-encoding' && !AS_IT_IS.test(value)) {
      throw unsupportedContentEncoding(value);
    }
  }
  const { name, filename } = partNames(disposition);
  if (name === undefined) throw malformedPayload();
  return { name, filename, mediaType };
}
