/*
 * Text of others: bytes, and a label that says, or does not say, which charset they are in. Everything in the server
 * that reads such text reads it here. The platform's `TextDecoder` is not used: that of Node 20 and of some releases of
 * 22 and 24 takes windows-1252 for ISO 8859-1, so that `€ “ ” …` become control characters; it lacks half of Korean,
 * and what it knows at all depends on how Node was built.
 */
import { isUtf8 } from 'node:buffer';
// oxlint-disable-next-line no-restricted-imports -- this is the place
import iconv from 'iconv-lite';
import { decodeEbcdic, type Ebcdic } from './ebcdic.js';
import { unshifted, type Shifts } from './shifted-charsets.js';

/** How the bytes of a label are read. */
type Reading =
  /** UTF-8 where they are that, windows-1252 where not: what says Latin, ASCII or nothing is often one of both. */
  | { readonly kind: 'latin' }
  | { readonly kind: 'utf-8' }
  /** A charset of the library. */
  | { readonly kind: 'table'; readonly charset: string; readonly orUtf8?: true }
  | { readonly kind: 'ebcdic'; readonly charset: Ebcdic }
  /** A charset of seven bits, which shifts to the table of another. */
  | { readonly kind: 'shifted'; readonly charset: string; readonly shifts: Shifts };

const LATIN: Reading = { kind: 'latin' };
const UTF_8: Reading = { kind: 'utf-8' };

/**
 * Labels by their letters and digits alone: those that mean another charset than the library takes them for, as the
 * Encoding Standard of WHATWG has them, and those that it does not know.
 */
const READINGS: ReadonlyMap<string, Reading> = new Map<string, Reading>([
  ...named(LATIN, 'windows1252 cp1252 iso88591 iso885911987 latin1 l1 isolatin1 isoir100'),
  ...named(LATIN, 'cp28591 28591 cp819 ibm819 ascii usascii ansix341968 ansix341986 iso646us'),
  ...named(LATIN, 'us cp367 ibm367 isoir6 iso646irv iso646irv1991'),
  ...named(UTF_8, 'utf8 unicode11utf8 unicode20utf8 cesu8 utf8mb4'),
  ...named(
    { kind: 'table', charset: 'iso-8859-15', orUtf8: true },
    'iso885915 latin9 l9 isolatin9 cp28605 28605',
  ),
  ...named(
    table('windows-1254'),
    'iso88599 latin5 l5 isolatin5 isoir148 iso885991989 cp28599 28599',
  ),
  ...named(table('windows-874'), 'iso885911 tis620 dos874'),
  ...named(table('iso-8859-6'), 'iso88596e iso88596i'),
  ...named(table('iso-8859-7'), 'suneugreek'),
  ...named(table('iso-8859-8'), 'iso88598e iso88598i visual logical'),
  ...named(table('koi8-r'), 'koi koi8'),
  ...named(table('macroman'), 'macintosh mac macroman'),
  ...named(table('maccyrillic'), 'maccyrillic macukrainian'),
  ...named(table('maccenteuro'), 'macce maccentraleurope maclatin2'),
  ...named(table('maciceland'), 'macicelandic'),
  ...named(table('cp949'), 'uhc'),
  ...named(table('cp862'), 'dos862'),
  ...named(table('cp720'), 'dos720'),
  ...named(table('euc-jp'), 'eucpkdfmtjapanese cp51932'),
  ...named(table('cp858'), 'ibm858 ibm00858 ccsid00858 cp00858 pcmultilingual850euro'),
  ...named(table('rk1048'), 'kz1048 strk10482002'),
  ...named(table('pt154'), 'ptcp154 cp154 cyrillicasian'),
  ...named(ebcdic('cp037'), 'ibm037 cp037 ebcdiccpus ebcdiccpca ebcdiccpwt ebcdiccpnl'),
  ...named(ebcdic('cp500'), 'ibm500 cp500 ebcdiccpbe ebcdiccpch'),
  ...named(ebcdic('cp1140'), 'ibm1140 ibm01140 ccsid01140 cp01140 cp1140 ebcdicus37euro'),
  ...named(table('utf-16be'), 'unicodefffe utf16be'),
  ...named(table('utf-16le'), 'utf16 utf16le unicode iso10646ucs2 ucs2 unicodefeff'),
  ...named(shifted('euc-jp', 'jp'), 'iso2022jp iso2022jp1 iso2022jp2 iso2022jp3 iso2022jpms junet'),
  ...named(shifted('euc-jp', 'jp'), 'cp50220 cp50221 cp50222'),
  ...named(shifted('euc-kr', 'kr'), 'iso2022kr cp50225'),
  ...named(shifted('gbk', 'cn'), 'iso2022cn iso2022cnext cp50227'),
  ...named(shifted('gbk', 'hz'), 'hzgb2312 hz'),
]);

function table(charset: string): Reading {
  return { kind: 'table', charset };
}

function ebcdic(charset: Ebcdic): Reading {
  return { kind: 'ebcdic', charset };
}

function shifted(charset: string, shifts: Shifts): Reading {
  return { kind: 'shifted', charset, shifts };
}

function named(reading: Reading, names: string): [string, Reading][] {
  return names.split(' ').map((name) => [name, reading]);
}

/**
 * The text of bytes. Never throws: bytes that the charset does not have become U+FFFD, and an unknown label counts as
 * none. A byte order mark at the start is no part of the text; it decides before a label that says little.
 * @param label as a header or a page has it; undefined or empty without one
 */
export function decode(bytes: Uint8Array, label?: string): string {
  const given = buffer(bytes);
  const reading = readingOf(label ?? '') ?? LATIN;
  return marked(given, reading) ?? read(given, reading);
}

/** As {@link decode}; undefined for an unknown label, or where a byte has no meaning in the charset. */
export function decodeStrictly(bytes: Uint8Array, label: string): string | undefined {
  const reading = readingOf(label);
  const text = reading && read(buffer(bytes), reading);
  return text?.includes('\ufffd') ? undefined : text;
}

function buffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The text after a byte order mark; undefined without one. That of UTF-16 is bytes as others in any other charset. */
function marked(bytes: Buffer, { kind }: Reading): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return bytes.toString('utf8', 3);
  if (kind !== 'latin') return undefined;
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return iconv.decode(bytes, 'utf-16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return iconv.decode(bytes, 'utf-16be');
  return undefined;
}

function read(bytes: Buffer, reading: Reading): string {
  switch (reading.kind) {
    case 'latin':
      return isUtf8(bytes) ? bytes.toString('utf8') : windows1252(bytes);
    case 'utf-8':
      return bytes.toString('utf8');
    case 'table':
      if (reading.orUtf8 && isUtf8(bytes)) return bytes.toString('utf8');
      // Apple's table has the euro for the sign of currencies since 1998, and the letter omega, not the unit.
      if (reading.charset === 'macroman')
        return iconv.decode(bytes, 'macroman').replaceAll('¤', '€').replaceAll('\u2126', 'Ω');
      return withSigns(iconv.decode(bytes, reading.charset), reading.charset);
    case 'ebcdic':
      return decodeEbcdic(bytes, reading.charset);
    case 'shifted':
      return iconv.decode(unshifted(bytes, reading.shifts), reading.charset);
  }
}

const ASCII = Buffer.from(Array.from({ length: 0x7f - 0x20 }, (_one, i) => 0x20 + i));

/**
 * Which bytes of a label are read as those without one: all, where it says UTF-8, Latin or nothing that is known; those
 * of ASCII; or none.
 */
export function usualBytes(label: string): 'all' | 'ascii' | 'none' {
  const reading = readingOf(label);
  if (!reading || reading.kind === 'latin' || reading.kind === 'utf-8') return 'all';
  if (reading.kind !== 'table') return 'none';
  return read(ASCII, reading) === ASCII.toString('latin1') ? 'ascii' : 'none';
}

/** What the library decodes that is no charset. */
const CODINGS: ReadonlySet<string> = new Set(['base64', 'binary', 'hex']);

/** Longer labels are none, characters: the longest that is registered has 45. */
const MAX_LABEL = 60;

/** Undefined for an unknown label. */
function readingOf(label: string): Reading | undefined {
  if (label.length > MAX_LABEL) return undefined;
  // RFC 2231 lets a language follow: `us-ascii*en`. IANA's names have the year of a standard: `ISO_8859-2:1987`.
  const plain = label
    .toLowerCase()
    .replace(/\*.*$/s, '')
    .replace(/:\d{4}$/, '')
    .replaceAll(/[^a-z0-9]/g, '');
  // Prefixes of vendors and of IANA's aliases: `x-mac-roman`, `csShiftJIS`.
  const names = [plain, plain.replace(/^(?:xms|x|cs)+/, '')];
  for (const name of names) {
    const known = READINGS.get(name);
    if (known) return known;
  }
  // Behind those: the library takes some of the prefixed names, too, for what the Encoding Standard does not.
  for (const name of names) {
    if (name !== '' && !CODINGS.has(name) && iconv.encodingExists(name)) return table(name);
  }
  return undefined;
}

/** What windows-1252 has where ISO 8859-1 has control characters, from 0x80 on, by the Encoding Standard's index. */
const SIGNS = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
const WINDOWS_1252 = Uint16Array.from({ length: 256 }, (_one, byte) =>
  byte < 0x80 || byte > 0x9f ? byte : SIGNS.charCodeAt(byte - 0x80),
);

/**
 * A text of an ISO 8859 charset. Its control characters from U+0080 on, which no text has, are what windows-1252 has there:
 * programs that write `€ “ ” …` so take other labels of ISO 8859 for names of Windows' charsets as they take Latin-1.
 */
function withSigns(text: string, charset: string): string {
  if (!/^(?:iso-?8859|(?:iso)?latin\d|l\d)/.test(charset)) return text;
  return text.replaceAll(/[\x80-\x9f]/g, (control) => SIGNS[control.charCodeAt(0) - 0x80]!);
}

function windows1252(bytes: Buffer): string {
  const units = new Uint16Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) units[i] = WINDOWS_1252[bytes[i]!]!;
  return Buffer.from(units.buffer).toString('utf16le');
}
