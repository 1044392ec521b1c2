import { isUtf8 } from 'node:buffer';
import { MAX_PARAMETER_LENGTH } from '../../../schemas/limits.js';
import { malformedPayload, tooManyFields } from '../../errors.js';
import { EventLoopYield } from '../../event-loop-yield.js';
import { MAX_FIELDS, readUrlEncoded, type RawParameters } from './parameters.js';

/** Form bodies from here on are decoded in stretches; smaller ones take about 2 ms at worst. */
export const LARGE_FORM_BYTES = 128 * 1024;

/** Bytes decoded between two looks at the clock. */
const PIECE_BYTES = 64 * 1024;

/** More UTF-8 than the longest parameter can have: the rest of such a text is not decoded. */
const MAX_TEXT_BYTES = 3 * (MAX_PARAMETER_LENGTH + 1) + 4;

const AMPERSAND = 38;
const EQUALS = 61;
const PERCENT = 37;
const PLUS = 43;
const SPACE = 32;

/**
 * Reads a large `a=b&c=d` body as {@link readUrlEncoded} does, in stretches. A text that is longer than any
 * parameter may be is cut, still too long.
 * @throws ApiError 400 as there
 */
export async function readLargeForm(body: Buffer): Promise<RawParameters> {
  const fields: RawParameters = new Map();
  const pause = new EventLoopYield();
  let count = 0;
  for (let start = 0; start < body.length;) {
    let end = body.indexOf(AMPERSAND, start);
    if (end === -1) end = body.length;
    if (end > start && ++count > MAX_FIELDS) throw tooManyFields(MAX_FIELDS);
    await readPair(body.subarray(start, end), fields, pause);
    if (pause.isDue) await pause.take();
    start = end + 1;
  }
  return fields;
}

async function readPair(pair: Buffer, into: RawParameters, pause: EventLoopYield): Promise<void> {
  if (pair.length <= PIECE_BYTES) {
    readUrlEncoded(utf8(pair), into);
    return;
  }
  const equals = pair.indexOf(EQUALS);
  const name = await unescaped(equals === -1 ? pair : pair.subarray(0, equals), pause);
  if (name === '') return;
  into.set(name, equals === -1 ? '' : await unescaped(pair.subarray(equals + 1), pause));
}

/** The text of escaped bytes. */
async function unescaped(bytes: Buffer, pause: EventLoopYield): Promise<string> {
  const out = Buffer.allocUnsafe(Math.min(bytes.length, MAX_TEXT_BYTES));
  let length = 0;
  for (let i = 0; i < bytes.length && length < MAX_TEXT_BYTES;) {
    const end = Math.min(bytes.length, i + PIECE_BYTES);
    for (; i < end && length < MAX_TEXT_BYTES; length++) {
      const byte = bytes[i]!;
      if (byte === PERCENT) {
        const high = hexDigit(bytes[i + 1]);
        const low = hexDigit(bytes[i + 2]);
        if (high < 0 || low < 0) throw malformedPayload();
        out[length] = high * 16 + low;
        i += 3;
      } else {
        out[length] = byte === PLUS ? SPACE : byte;
        i += 1;
      }
    }
    if (pause.isDue) await pause.take();
  }
  return cutText(out.subarray(0, length));
}

/** UTF-8 bytes as text; what is longer than any parameter may be is cut. @throws ApiError 400 for other bytes */
export function cutText(bytes: Buffer): string {
  if (bytes.length < MAX_TEXT_BYTES) return utf8(bytes);
  let end = MAX_TEXT_BYTES - 4;
  // Not in the middle of a character.
  while ((bytes[end]! & 0xc0) === 0x80) end += 1;
  return utf8(bytes.subarray(0, end));
}

function utf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw malformedPayload();
  return bytes.toString('utf8');
}

/** The value of a hexadecimal digit; negative for another character, or none. */
function hexDigit(code: number | undefined): number {
  if (code === undefined) return -1;
  if (code >= 48 && code <= 57) return code - 48;
  const letter = code | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}
