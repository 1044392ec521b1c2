import { isUtf8 } from 'node:buffer';
import {
  badRequest,
  entityTooLarge,
  invalidJson,
  malformedQuery,
  tooManyFields,
  unsupportedCharset,
  unsupportedMediaType,
} from '../../errors/index.js';
import type { UploadedFile } from '../../resources/kernel/route.js';
import { MAX_FIELDS, MAX_PARAMETER_LENGTH } from '../../../schemas/limits.js';
import { describe, tooMuchJson } from './validation-faults.js';
import { parseBounded, withFloats } from '../../services/text/json-text.js';
import { cutText, MAX_TEXT_BYTES, unescapedText, utf8 } from './form-text.js';
import { CHARSET_FIELD, multipartSteps } from './multipart.js';
import { decode } from '../../services/text/decode.js';
import { foreignCharset, isForeign, urlEncodedText } from '../../services/text/form-bytes.js';
import { EventLoopYield } from '../../turns/event-loop-yield.js';
import type { Account } from '../../turns/fair-queue.js';

/** A parameter value that came as JSON. */
export class JsonField {
  /** Does not count as text: the JSON body has an equal bound of its own. */
  readonly length = 0;

  /** @param withFloats the value to a language that tells floats from integers */
  constructor(
    readonly value: unknown,
    readonly withFloats: unknown = value,
  ) {}
}

/** Raw parameter values by name, before they are decoded by type. */
export type RawParameters = ReadonlyMap<string, string | JsonField>;

type Fields = Map<string, string | JsonField>;

/**
 * Decodes `a=b&c=d` text into `into`: `+` is a space, escapes are UTF-8, the last of several equal names
 * wins. Pairs without a name are skipped; what is malformed is read as Django reads it (form-text.ts).
 * @throws ApiError 400 for too many fields
 */
export function readUrlEncoded(text: string, into: Fields = new Map()): Fields {
  let start = 0;
  let fields = 0;
  while (start < text.length) {
    let end = text.indexOf('&', start);
    if (end === -1) end = text.length;
    if (end > start) {
      if (++fields > MAX_FIELDS) throw tooManyFields(MAX_FIELDS);
      readPair(text.slice(start, end), into);
    }
    start = end + 1;
  }
  return into;
}

/**
 * The text of a parameter that every endpoint accepts.
 * @throws ApiError 400 where it came as JSON other than a string
 */
export function textField(fields: RawParameters | null, name: string): string | undefined {
  const raw = fields?.get(name);
  if (!(raw instanceof JsonField)) return raw;
  if (typeof raw.value === 'string') return raw.value;
  throw badRequest(`${name} is not a string`);
}

/** The parameters with all values as texts, as in a form. */
export function asTexts(fields: RawParameters): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const [name, raw] of fields) {
    if (!(raw instanceof JsonField)) texts.set(name, raw);
    else texts.set(name, typeof raw.value === 'string' ? raw.value : JSON.stringify(raw.value));
  }
  return texts;
}

function readPair(pair: string, into: Fields): void {
  const equals = pair.indexOf('=');
  const name = unescapeText(equals === -1 ? pair : pair.slice(0, equals));
  if (name === '') return;
  into.set(name, equals === -1 ? '' : unescapeText(pair.slice(equals + 1)));
}

function unescapeText(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return spaced.includes('%') ? unescapedText(spaced) : spaced;
}

/**
 * The parameters of a query. Where it has raw bytes that are not UTF-8, the native layer puts U+FFFD in their place:
 * what they were is lost, so that they are refused.
 * @throws ApiError 400 for such bytes, and as {@link readUrlEncoded}
 */
export function readQuery(query: string): Fields {
  if (query.includes('\ufffd')) throw malformedQuery();
  return readUrlEncoded(query);
}

/**
 * Merges the parameters of query and body, for every method (requests.md#reading): a name in the body wins.
 * @throws ApiError 400 as {@link readQuery}
 */
export function mergeParameters(query: string, body: RawParameters | null): RawParameters {
  if (query === '' && body) return body;
  const merged = readQuery(query);
  if (body) for (const [name, text] of body) merged.set(name, text);
  return merged;
}

/** The content of a body. */
export interface Form {
  /** Null where the body has no parameters. */
  readonly fields: RawParameters | null;
  readonly files: readonly UploadedFile[];
}

const URL_ENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

/** What says another charset than UTF-8, ASCII or Latin is not read as what it does not mean. @throws ApiError 415 */
function checkCharset(contentType: string, body: Buffer): void {
  const foreign = foreignCharset(contentType, body);
  if (foreign !== undefined) throw unsupportedCharset(foreign);
}

/** The same of what a form says of itself in a field. @throws ApiError 415 */
function checkedCharset(fields: RawParameters, body: Buffer): RawParameters {
  const label = fields.get(CHARSET_FIELD);
  if (typeof label === 'string' && isForeign(label, body)) throw unsupportedCharset(label);
  return fields;
}

const NO_FILES: readonly UploadedFile[] = [];

/**
 * Like `readForm`, at the turn of the account among all long work, and with yields to the event loop. The body's bytes
 * must be valid until then.
 * @throws ApiError as there
 */
export async function readInTurns(
  contentType: string,
  body: Buffer,
  account: Account,
): Promise<Form> {
  checkCharset(contentType, body);
  const pause = EventLoopYield.of(account);
  await pause.take();
  switch (mediaTypeOf(contentType)) {
    case URL_ENCODED:
      return { fields: checkedCharset(await readLargeForm(body, pause), body), files: NO_FILES };
    case MULTIPART: {
      const steps = multipartSteps(attributesOf(contentType), body);
      for (;;) {
        const step = steps.next();
        if (step.done) return step.value;
        if (pause.isDue) await pause.take();
      }
    }
    default:
      return readForm(contentType, body);
  }
}

/** Whether a media type is that of bodies with files. */
export function isMultipart(contentType: string): boolean {
  return contentType.length >= MULTIPART.length && mediaTypeOf(contentType) === MULTIPART;
}

function mediaTypeOf(contentType: string): string {
  // As nearly all clients write it.
  if (contentType === URL_ENCODED) return URL_ENCODED;
  const semicolon = contentType.indexOf(';');
  return (semicolon === -1 ? contentType : contentType.slice(0, semicolon)).trim().toLowerCase();
}

/** The form of a request without a body. */
export const EMPTY_FORM: Form = { fields: null, files: NO_FILES };

/**
 * Decodes a body by its media type: a form, or a JSON object of parameters. Without a media type it has no
 * parameters (requests.md#parameter-sources). Keeps no reference to `body`.
 * @throws ApiError 400 for malformed content, or too many fields; `INVALID_JSON`; 413 for a
 *   JSON text that is too long; 415 for another media type or charset
 */
export function readForm(contentType: string, body: Buffer): Form {
  if (body.length === 0) return EMPTY_FORM;
  const mediaType = mediaTypeOf(contentType);
  checkCharset(contentType, body);
  switch (mediaType) {
    case URL_ENCODED:
      return {
        fields: checkedCharset(readUrlEncoded(urlEncodedText(body)), body),
        files: NO_FILES,
      };
    case MULTIPART:
      return readMultipart(contentType, body);
    case 'application/json':
      return { fields: readJson(utf8(body)), files: NO_FILES };
    case '':
      return EMPTY_FORM;
    default:
      throw unsupportedMediaType(mediaType);
  }
}

function readJson(text: string): RawParameters {
  if (text.length > MAX_PARAMETER_LENGTH) throw entityTooLarge();
  const parsed = parseBounded(text);
  if (parsed?.excess) throw badRequest(describe('body', tooMuchJson(parsed.excess)));
  if (!parsed) throw invalidJson();
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw badRequest('body is not a dict');
  }
  const entries = Object.entries(value);
  if (entries.length > MAX_FIELDS) throw tooManyFields(MAX_FIELDS);
  const floats = withFloats(text, value) as Readonly<Record<string, unknown>>;
  return new Map(entries.map(([name, field]) => [name, new JsonField(field, floats[name])]));
}

function attributesOf(contentType: string): string {
  return contentType.slice(contentType.indexOf(';'));
}

function readMultipart(contentType: string, body: Buffer): Form {
  const steps = multipartSteps(attributesOf(contentType), body);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Larger bodies are read in turns always, bytes; smaller ones take about 2 ms at worst. */
export const LARGE_FORM_BYTES = 128 * 1024;

/** Bytes decoded between two checks of the clock. */
const PIECE_BYTES = 64 * 1024;

const AMPERSAND = 38;
const EQUALS = 61;
const PERCENT = 37;
const PLUS = 43;
const SPACE = 32;

/** The characters of Latin from 0x80 on. */
const LATIN = Array.from({ length: 128 }, (_one, i) => decode(Buffer.of(128 + i)));

/**
 * Decodes a large `a=b&c=d` body like {@link readUrlEncoded}, with yields to the event loop. A text longer
 * than any parameter may be is truncated to a length that is still refused.
 * @throws ApiError 400 as there
 */
export async function readLargeForm(
  body: Buffer,
  pause = new EventLoopYield(),
): Promise<RawParameters> {
  const fields: Fields = new Map();
  let count = 0;
  for (let start = 0; start < body.length;) {
    let end = body.indexOf(AMPERSAND, start);
    if (end === -1) end = body.length;
    if (end > start && ++count > MAX_FIELDS) throw tooManyFields(MAX_FIELDS);
    await readLargePair(body.subarray(start, end), fields, pause);
    if (pause.isDue) await pause.take();
    start = end + 1;
  }
  return fields;
}

async function readLargePair(pair: Buffer, into: Fields, pause: EventLoopYield): Promise<void> {
  if (pair.length <= PIECE_BYTES) {
    readUrlEncoded(urlEncodedText(pair), into);
    return;
  }
  const equals = pair.indexOf(EQUALS);
  const inLatin = !isUtf8(pair);
  const name = await unescaped(equals === -1 ? pair : pair.subarray(0, equals), inLatin, pause);
  if (name === '') return;
  const value = equals === -1 ? '' : await unescaped(pair.subarray(equals + 1), inLatin, pause);
  into.set(name, value);
}

/** Decodes percent-encoded bytes. @param inLatin bytes that are not escaped are a character each */
async function unescaped(bytes: Buffer, inLatin: boolean, pause: EventLoopYield): Promise<string> {
  const out = Buffer.allocUnsafe(Math.min(3 * bytes.length, MAX_TEXT_BYTES + 3));
  let length = 0;
  for (let i = 0; i < bytes.length && length < MAX_TEXT_BYTES;) {
    const end = Math.min(bytes.length, i + PIECE_BYTES);
    for (; i < end && length < MAX_TEXT_BYTES; length++) {
      const byte = bytes[i]!;
      if (byte === PERCENT) {
        const high = hexDigit(bytes[i + 1]);
        const low = hexDigit(bytes[i + 2]);
        const isEscape = high >= 0 && low >= 0;
        out[length] = isEscape ? high * 16 + low : PERCENT;
        i += isEscape ? 3 : 1;
      } else if (inLatin && byte > 127) {
        length += out.write(LATIN[byte - 128]!, length) - 1;
        i += 1;
      } else {
        out[length] = byte === PLUS ? SPACE : byte;
        i += 1;
      }
    }
    if (pause.isDue) await pause.take();
  }
  return cutText(out.subarray(0, length));
}

/** The value of a hexadecimal digit; negative for another character, or none. */
function hexDigit(code: number | undefined): number {
  if (code === undefined) return -1;
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}
