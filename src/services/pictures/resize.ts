import sharp, { type ResizeOptions } from 'sharp';
import {
  AVATAR_PIXELS,
  type EmojiPicture,
  type PictureJob,
  type PictureResults,
  type Thumbnails,
} from './job.js';

/** Pixels of a picture, of all its frames together: more than any camera's photo, and 200 MB at 16 bits. */
const MAX_PIXELS = 25_000_000;

/** A picture that is too large to be unpacked. */
export class PictureTooLargeError extends Error {}

/**
 * The formats that are read. What a file is decides its content, not its name. In particular there is no SVG:
 * a drawing is a program whose cost nothing about the file tells.
 */
const LOADERS = ['Png', 'Jpeg', 'Webp', 'Nsgif', 'Heif', 'Tiff'];

sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: LOADERS.map((name) => `VipsForeignLoad${name}`) });
sharp.cache(false);
sharp.concurrency(1);

/** Width and height of custom emoji, in pixels. */
const EMOJI_PIXELS = 64;
/** Frames of a moving emoji; further ones are left out. */
const MAX_FRAMES = 100;
/** Width and height of an organization's icon, in pixels. */
const ICON_PIXELS = 100;
/** Largest logo, in pixels: eight times as wide as high. */
const LOGO_PIXELS = { width: 800, height: 100 } as const;

const INPUT = { limitInputPixels: MAX_PIXELS, failOn: 'error' } as const;

/**
 * Makes of an uploaded picture what is kept; nothing of the file but its pixels is.
 * @throws PictureTooLargeError
 * @throws Error for what cannot be decoded
 */
export async function processPicture({
  kind,
  data,
}: PictureJob): Promise<PictureResults[typeof kind]> {
  const pages = await checkedPages(data);
  if (kind === 'emoji') return emoji(data, pages);
  if (kind === 'thumbnail') return thumbnails(data, pages);
  if (kind === 'avatar') {
    const medium = await resized(data, square(AVATAR_PIXELS.medium));
    return { normal: await resized(medium, square(AVATAR_PIXELS.normal)), medium };
  }
  if (kind === 'icon') return resized(data, square(ICON_PIXELS));
  return resized(data, { ...LOGO_PIXELS, fit: 'inside', withoutEnlargement: true });
}

/** The number of frames, read from the file's head before anything is unpacked. */
async function checkedPages(data: Uint8Array): Promise<number> {
  // The head must be readable however large the picture is, or its size could not be told.
  const {
    width,
    height,
    pages = 1,
  } = await sharp(data, { ...INPUT, limitInputPixels: false }).metadata();
  if (width * height * pages > MAX_PIXELS) throw new PictureTooLargeError();
  return pages;
}

function square(pixels: number): ResizeOptions {
  return { width: pixels, height: pixels, fit: 'cover' };
}

function resized(data: Uint8Array, size: ResizeOptions): Promise<Buffer> {
  return sharp(data, INPUT).rotate().resize(size).png().toBuffer();
}

/** A picture of the size of emoji, whole and centred. */
async function emoji(data: Uint8Array, pages: number): Promise<EmojiPicture> {
  const size = { fit: 'contain', background: { r: 0, g: 0, b: 0, alpha: 0 } } as const;
  const still = await sharp(data, INPUT)
    .rotate()
    .resize(EMOJI_PIXELS, EMOJI_PIXELS, size)
    .png()
    .toBuffer();
  if (pages === 1) return { picture: still, still: null };
  const picture = await sharp(data, { ...INPUT, pages: Math.min(pages, MAX_FRAMES) })
    .resize(EMOJI_PIXELS, EMOJI_PIXELS, size)
    .gif()
    .toBuffer();
  return { picture, still };
}

/** Largest thumbnail, in pixels; a smaller picture keeps its size. */
const THUMBNAIL = { width: 840, height: 560, fit: 'inside', withoutEnlargement: true } as const;
/** Names of formats that differ from those of their media types. */
const MEDIA_TYPES: Readonly<Record<string, string>> = { heif: 'avif' };

async function thumbnails(data: Uint8Array, pages: number): Promise<Thumbnails> {
  const head = await sharp(data, INPUT).metadata();
  const { format, width, height } = head;
  // A camera that was held upright says so, and lays the picture down.
  const isTurned = (head.orientation ?? 1) >= 5;
  const moving =
    pages === 1
      ? null
      : await sharp(data, { ...INPUT, pages: Math.min(pages, MAX_FRAMES) })
          .resize(THUMBNAIL)
          .webp()
          .toBuffer();
  return {
    width: isTurned ? height : width,
    height: isTurned ? width : height,
    contentType: `image/${MEDIA_TYPES[format] ?? format}`,
    still: await sharp(data, INPUT).rotate().resize(THUMBNAIL).webp().toBuffer(),
    moving,
  };
}
