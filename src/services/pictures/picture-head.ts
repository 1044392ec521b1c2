/** What the head of a picture says of it, before anything is unpacked. */
export interface PictureHead {
  /** Of the picture as it is shown, pixels. */
  readonly width: number;
  readonly height: number;
  readonly contentType: string;
}

/** Largest side that is believed, pixels. */
const MAX_SIDE = 65_535;

/**
 * Reads the size of a PNG, GIF, WebP or JPEG in some microseconds. Nothing else about the file is known to be right.
 * @returns undefined for what is none of these, or does not say its size
 */
export function pictureHead(data: Buffer): PictureHead | undefined {
  const found = pngHead(data) ?? gifHead(data) ?? webpHead(data) ?? jpegHead(data);
  if (!found) return undefined;
  const { width, height } = found;
  const isPossible = width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE;
  return isPossible ? found : undefined;
}

function startsWith(data: Buffer, text: string, at = 0): boolean {
  return data.length >= at + text.length && data.toString('latin1', at, at + text.length) === text;
}

function pngHead(data: Buffer): PictureHead | undefined {
  if (!startsWith(data, '\x89PNG\r\n\x1a\n') || !startsWith(data, 'IHDR', 12)) return undefined;
  if (data.length < 24) return undefined;
  return {
    width: data.readUInt32BE(16),
    height: data.readUInt32BE(20),
    contentType: 'image/png',
  };
}

function gifHead(data: Buffer): PictureHead | undefined {
  if (!startsWith(data, 'GIF8') || data.length < 10) return undefined;
  return { width: data.readUInt16LE(6), height: data.readUInt16LE(8), contentType: 'image/gif' };
}

function webpHead(data: Buffer): PictureHead | undefined {
  if (!startsWith(data, 'RIFF') || !startsWith(data, 'WEBP', 8) || data.length < 30) {
    return undefined;
  }
  const contentType = 'image/webp';
  if (startsWith(data, 'VP8 ', 12)) {
    const [width, height] = [data.readUInt16LE(26) & 0x3fff, data.readUInt16LE(28) & 0x3fff];
    return { width, height, contentType };
  }
  if (startsWith(data, 'VP8L', 12)) {
    const bits = data.readUInt32LE(21);
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, contentType };
  }
  if (!startsWith(data, 'VP8X', 12)) return undefined;
  return { width: data.readUIntLE(24, 3) + 1, height: data.readUIntLE(27, 3) + 1, contentType };
}

/** Segments of a JPEG before its size; cameras write a dozen. */
const MAX_SEGMENTS = 200;
/** Markers of a frame, which has the size; the others of this range are tables. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;

function jpegHead(data: Buffer): PictureHead | undefined {
  if (!startsWith(data, '\xff\xd8')) return undefined;
  let isTurned = false;
  let at = 2;
  for (let segments = 0; segments < MAX_SEGMENTS && at + 9 <= data.length; segments += 1) {
    if (data[at] !== 0xff) return undefined;
    const marker = data[at + 1]!;
    // A filling byte.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (isFrame(marker)) {
      const [height, width] = [data.readUInt16BE(at + 5), data.readUInt16BE(at + 7)];
      const contentType = 'image/jpeg';
      return isTurned
        ? { width: height, height: width, contentType }
        : { width, height, contentType };
    }
    const length = data.readUInt16BE(at + 2);
    if (marker === 0xe1) isTurned = isTurnedBy(data.subarray(at + 4, at + 2 + length));
    at += 2 + length;
  }
  return undefined;
}

/** Tag of the orientation in Exif; from 5 on, width and height change places. */
const ORIENTATION = 0x0112;
const FIRST_TURNED = 5;

/** Whether a segment of Exif says that the picture is shown turned by a quarter. */
function isTurnedBy(segment: Buffer): boolean {
  if (!startsWith(segment, 'Exif\0\0')) return false;
  const tiff = segment.subarray(6);
  const isLittle = startsWith(tiff, 'II');
  if (tiff.length < 8) return false;
  const short = (at: number): number =>
    at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at);
  const directory = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  const entries = Math.min(short(directory), 100);
  for (let i = 0; i < entries; i += 1) {
    const entry = directory + 2 + 12 * i;
    if (short(entry) === ORIENTATION) return short(entry + 8) >= FIRST_TURNED;
  }
  return false;
}
