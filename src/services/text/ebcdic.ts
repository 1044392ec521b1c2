/*
 * Charsets of IBM mainframes, EBCDIC, which the library for charsets lacks: Latin-1's characters at other places, by the
 * tables of Unicode.org (CP037, CP500) and IBM (CP1140).
 */

/** The characters of CP037 from 0x00 on, each below U+0100. */
const CP037 = Buffer.from(
  '000102039c09867f978d8e0b0c0d0e0f101112139d8508871819928f1c1d1e1f80818283840a171b88898a8b8c050607' +
    '909116939495960498999a9b14159e1a20a0e2e4e0e1e3e5e7f1a22e3c282b7c26e9eaebe8edeeefecdf21242a293bac' +
    '2d2fc2c4c0c1c3c5c7d1a62c255f3e3ff8c9cacbc8cdcecfcc603a2340273d22d8616263646566676869abbbf0fdfeb1' +
    'b06a6b6c6d6e6f707172aabae6b8c6a4b57e737475767778797aa1bfd0dddeae5ea3a5b7a9a7b6bcbdbe5b5dafa8b4d7' +
    '7b414243444546474849adf4f6f2f3f57d4a4b4c4d4e4f505152b9fbfcf9faff5cf7535455565758595ab2d4d6d2d3d5' +
    '30313233343536373839b3dbdcd9da9f',
  'hex',
).toString('latin1');

/** A table that differs from CP037. @param others byte and character */
function differing(others: Readonly<Record<number, string>>): string {
  return [...CP037].map((one, byte) => others[byte] ?? one).join('');
}

/** Characters by byte, 256 of each charset. */
const TABLES = {
  cp037: CP037,
  cp500: differing({
    ...{ 0x4a: '[', 0x4f: '!', 0x5a: ']', 0x5f: '^', 0xb0: '¢', 0xba: '¬', 0xbb: '|' },
  }),
  cp1140: differing({ 0x9f: '€' }),
};

/** A charset of EBCDIC. */
export type Ebcdic = keyof typeof TABLES;

export function decodeEbcdic(bytes: Buffer, charset: Ebcdic): string {
  const table = TABLES[charset];
  const units = new Uint16Array(bytes.length);
  for (let i = 0; i < bytes.length; i++) units[i] = table.charCodeAt(bytes[i]!);
  return Buffer.from(units.buffer).toString('utf16le');
}
