/*
 * Charsets of seven bits, which mails have: signs in the text say from where on two bytes are one character (ISO 2022,
 * RFC 1468, RFC 1557, RFC 1922; HZ, RFC 1843). With the eighth bit set, these bytes are those of an EUC charset.
 */

/** How a charset shifts. */
export type Shifts = 'jp' | 'kr' | 'cn' | 'hz';

/** What bytes mean. */
type Mode = 'ascii' | 'double' | 'kana' | 'supplement';

const ESCAPE = 0x1b;
const SHIFT_OUT = 0x0e;
const SHIFT_IN = 0x0f;
const LF = 0x0a;
const TILDE = 0x7e;

/** What EUC-JP puts before half-width katakana, and before characters of JIS X 0212. */
const SINGLE_SHIFT_2 = 0x8e;
const SINGLE_SHIFT_3 = 0x8f;

/**
 * The bytes in the EUC charset of the same characters: EUC-JP, EUC-KR or GBK. A line begins in ASCII, whatever the one
 * before ended with. JIS X 0201 is read as ASCII, as Windows does.
 */
export function unshifted(bytes: Buffer, shifts: Shifts): Buffer {
  // Katakana take two bytes for one, and JIS X 0212 three for two.
  const out = Buffer.allocUnsafe(2 * bytes.length);
  let length = 0;
  let mode: Mode = 'ascii';
  for (let at = 0; at < bytes.length;) {
    const found = shiftAt(bytes, at, shifts);
    if (found) {
      mode = found.mode ?? mode;
      if (found.text !== undefined) out[length++] = found.text;
      at += found.bytes;
      continue;
    }
    const byte = bytes[at]!;
    if (byte === LF) mode = 'ascii';
    if (mode === 'ascii' || byte <= 0x20 || byte > 0x7e) {
      out[length++] = byte;
      at += 1;
    } else if (mode === 'kana') {
      out[length++] = SINGLE_SHIFT_2;
      out[length++] = byte | 0x80;
      at += 1;
    } else {
      if (mode === 'supplement') out[length++] = SINGLE_SHIFT_3;
      out[length++] = byte | 0x80;
      out[length++] = (bytes[at + 1] ?? 0) | 0x80;
      at += 2;
    }
  }
  return out.subarray(0, length);
}

interface Shift {
  /** Its length. */
  readonly bytes: number;
  /** Undefined where all stays as it was. */
  readonly mode?: Mode | undefined;
  /** The byte that it stands for. */
  readonly text?: number;
}

function shiftAt(bytes: Buffer, at: number, shifts: Shifts): Shift | undefined {
  const byte = bytes[at]!;
  if (shifts === 'hz') return byte === TILDE ? hzShift(bytes[at + 1]) : undefined;
  if (byte === SHIFT_OUT) return { bytes: 1, mode: shifts === 'jp' ? 'kana' : 'double' };
  if (byte === SHIFT_IN) return { bytes: 1, mode: 'ascii' };
  return byte === ESCAPE ? escapeAt(bytes, at, shifts) : undefined;
}

function hzShift(next: number | undefined): Shift | undefined {
  switch (next) {
    case 0x7b: // {
      return { bytes: 2, mode: 'double' };
    case 0x7d: // }
      return { bytes: 2, mode: 'ascii' };
    case TILDE:
      return { bytes: 2, text: TILDE };
    case LF:
      return { bytes: 2, mode: 'ascii' };
    default:
      return undefined;
  }
}

/** An escape sequence: its intermediate bytes, and a final one. Only in Japanese it shifts at once. */
function escapeAt(bytes: Buffer, at: number, shifts: Shifts): Shift | undefined {
  let end = at + 1;
  while (end < at + 4 && bytes[end]! >= 0x20 && bytes[end]! <= 0x2f) end += 1;
  if (end === at + 1 || end >= bytes.length) return undefined;
  const length = end + 1 - at;
  if (shifts !== 'jp') return { bytes: length };
  const isDouble = bytes[at + 1] === 0x24; // $
  const final = String.fromCharCode(bytes[end]!);
  if (isDouble) return { bytes: length, mode: final === 'D' ? 'supplement' : 'double' };
  return { bytes: length, mode: final === 'I' ? 'kana' : 'ascii' };
}
