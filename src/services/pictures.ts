import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { default as Sharp, ResizeOptions } from 'sharp';
import { badImage } from '../errors.js';
import { Turns } from './turns.js';

/** Width and height of pictures of people, in pixels. */
export const AVATAR_PIXELS = { normal: 100, medium: 500 } as const;

/** Larger pictures than any camera makes are refused before they are unpacked. */
const MAX_INPUT_PIXELS = 100_000_000;

let library: Promise<typeof Sharp> | undefined;

/** The library for pictures, loaded with the first one: a start need not wait for it. */
function loaded(): Promise<typeof Sharp> {
  library ??= import('sharp').then(({ default: sharp }) => {
    // Pictures must not take the processor from everything else.
    sharp.concurrency(1);
    return sharp;
  });
  return library;
}

/** Uploads that are unpacked at once, each into some hundred megabytes at worst, and that may wait. */
const UPLOADS_AT_ONCE = 2;
const MAX_WAITING_UPLOADS = 32;
const uploads = new Turns(
  UPLOADS_AT_ONCE,
  MAX_WAITING_UPLOADS,
  'Too many pictures are being processed',
);

/** Generated pictures that are drawn at once, and that may wait: these are small, and asked for in lists. */
const drawings = new Turns(4, 2000, 'Too many pictures are being drawn');

/** A picture in both sizes, PNG. */
export interface Avatar {
  readonly normal: Buffer;
  readonly medium: Buffer;
}

/**
 * Cuts an uploaded picture square and to size; nothing of the file but its pixels is kept.
 * @throws ApiError `BAD_IMAGE`, or 503 when too many uploads wait
 */
export function avatarOf(data: Buffer): Promise<Avatar> {
  const sized = (pixels: number) => resized(data, { width: pixels, height: pixels, fit: 'cover' });
  return uploads.take(async () => {
    const medium = await sized(AVATAR_PIXELS.medium);
    return { normal: await sized(AVATAR_PIXELS.normal), medium };
  });
}

const GRID = 5;

/** Generated pictures by seed and size: a list of people asks for all of them at once. */
const identicons = new LRUCache<string, Promise<Buffer>>({ max: 2000 });

/**
 * A generated picture (`avatar_source` J): the same for the same seed. PNG.
 * @throws ApiError 503 when too many wait to be drawn
 */
export function identicon(seed: string, pixels: number): Promise<Buffer> {
  const key = `${seed} ${pixels}`;
  let picture = identicons.get(key);
  if (!picture) {
    const svg = Buffer.from(identiconSvg(seed, pixels));
    picture = drawings.take(async () => (await loaded())(svg).png().toBuffer());
    identicons.set(key, picture);
    // Whoever asks next shall not get the old failure.
    picture.catch(() => identicons.delete(key));
  }
  return picture;
}

/** A mirrored pattern of squares in a colour of its own. */
function identiconSvg(seed: string, pixels: number): string {
  const digest = createHash('sha256').update(seed).digest();
  const hue = Math.round((digest[0]! / 256) * 360);
  const squares: string[] = [];
  for (let row = 0; row < GRID; row++) {
    for (let column = 0; column < GRID; column++) {
      const mirrored = Math.min(column, GRID - 1 - column);
      if (digest[1 + row * 3 + mirrored]! % 2 === 0) continue;
      squares.push(`<rect x="${column + 1}" y="${row + 1}" width="1" height="1"/>`);
    }
  }
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${pixels}" height="${pixels}" ` +
    `viewBox="0 0 ${GRID + 2} ${GRID + 2}" shape-rendering="crispEdges">` +
    `<rect width="${GRID + 2}" height="${GRID + 2}" fill="hsl(${hue},30%,94%)"/>` +
    `<g fill="hsl(${hue},55%,45%)">${squares.join('')}</g></svg>`
  );
}

/** Width and height of custom emoji, in pixels. */
const EMOJI_PIXELS = 64;

/** Frames of a moving emoji; further ones are left out. */
const MAX_FRAMES = 100;

/** A custom emoji's picture: GIF with a still PNG where it moves, else PNG. */
export interface EmojiPicture {
  readonly picture: Buffer;
  readonly still: Buffer | null;
}

/**
 * Brings an uploaded picture to the size of emoji, whole and centred; nothing of the file but its pixels
 * is kept.
 * @throws ApiError `BAD_IMAGE`, or 503 when too many uploads wait
 */
export function emojiOf(data: Buffer): Promise<EmojiPicture> {
  return uploads.take(() => emojiPictures(data));
}

async function emojiPictures(data: Buffer): Promise<EmojiPicture> {
  const sharp = await loaded();
  const input = { limitInputPixels: MAX_INPUT_PIXELS, failOn: 'error' } as const;
  const size = { fit: 'contain', background: { r: 0, g: 0, b: 0, alpha: 0 } } as const;
  try {
    const { pages = 1 } = await sharp(data, input).metadata();
    const still = await sharp(data, input)
      .rotate()
      .resize(EMOJI_PIXELS, EMOJI_PIXELS, size)
      .png()
      .toBuffer();
    if (pages === 1) return { picture: still, still: null };
    const picture = await sharp(data, { ...input, pages: Math.min(pages, MAX_FRAMES) })
      .resize(EMOJI_PIXELS, EMOJI_PIXELS, size)
      .gif()
      .toBuffer();
    return { picture, still };
  } catch {
    throw badImage();
  }
}

/** Width and height of an organization's icon, in pixels. */
const ICON_PIXELS = 100;
/** Largest logo, in pixels: eight times as wide as high. */
const LOGO_PIXELS = { width: 800, height: 100 } as const;

/**
 * An organization's icon: cut square. PNG.
 * @throws ApiError `BAD_IMAGE`, or 503 when too many uploads wait
 */
export function iconOf(data: Buffer): Promise<Buffer> {
  const size = { width: ICON_PIXELS, height: ICON_PIXELS, fit: 'cover' } as const;
  return uploads.take(() => resized(data, size));
}

/** A drawing as an organization's icon. PNG. */
export async function drawnIcon(svg: string): Promise<Buffer> {
  const sharp = await loaded();
  return sharp(Buffer.from(svg)).resize(ICON_PIXELS, ICON_PIXELS).png().toBuffer();
}

/**
 * An organization's logo: as it is, where it is not too large. PNG.
 * @throws ApiError `BAD_IMAGE`, or 503 when too many uploads wait
 */
export function logoOf(data: Buffer): Promise<Buffer> {
  const size = { ...LOGO_PIXELS, fit: 'inside', withoutEnlargement: true } as const;
  return uploads.take(() => resized(data, size));
}

async function resized(data: Buffer, size: ResizeOptions): Promise<Buffer> {
  const sharp = await loaded();
  try {
    return await sharp(data, { limitInputPixels: MAX_INPUT_PIXELS, failOn: 'error' })
      .rotate()
      .resize(size)
      .png()
      .toBuffer();
  } catch {
    throw badImage();
  }
}
