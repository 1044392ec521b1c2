import { deflateSync } from 'node:zlib';

/** Red, green and blue, 0 to 255. */
export type Colour = readonly [number, number, number];

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const PALETTE_COLOURS = 3;

/**
 * A square picture of two colours as PNG with one bit per pixel (RFC 2083).
 * @param isSecond whether a pixel has the second colour
 */
export function encodeTwoColourPng(
  pixels: number,
  colours: readonly [Colour, Colour],
  isSecond: (x: number, y: number) => boolean,
): Buffer {
  const rowBytes = 1 + Math.ceil(pixels / 8);
  const rows = Buffer.alloc(rowBytes * pixels);
  for (let y = 0; y < pixels; y++) {
    for (let x = 0; x < pixels; x++) {
      // The first byte of a row names its filter: none.
      if (isSecond(x, y)) rows[y * rowBytes + 1 + (x >> 3)]! |= 0x80 >> (x & 7);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(pixels, 0);
  header.writeUInt32BE(pixels, 4);
  header.set([1, PALETTE_COLOURS], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(colours.flat())),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}

/** The checksum of RFC 2083; `zlib.crc32` is not in every Node that is supported. */
function crc32(data: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of data) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ byte) & 0xff]!;
  return (crc ^ 0xffffffff) >>> 0;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});
