/**
 * What the HTML of every uploaded picture has in common: its thumbnail, its address, and how attributes are escaped.
 */

/** What is known of an uploaded picture by its head. */
export interface OriginalImage {
  /** Of the picture as it is shown, pixels. */
  readonly width: number;
  readonly height: number;
  readonly contentType: string;
}

/** A picture whose thumbnails are there. */
export interface ThumbnailedImage extends OriginalImage {
  readonly isAnimated: boolean;
}

/** Names of the thumbnails, which end their addresses: the largest size they have, and the format. */
export const THUMBNAIL = { still: '840x560.webp', moving: '840x560-anim.webp' } as const;
/** Largest size of thumbnails, in pixels. */
export const THUMBNAIL_SIZE = { width: 840, height: 560 } as const;

/** Clients know by the class that the thumbnail is being made, and draw something of their own. */
export const PLACEHOLDER_CLASS = 'image-loading-placeholder';
export const PLACEHOLDER_PICTURE = '/static/images/loading/loader-black.svg';

const UPLOADS = '/user_uploads/';

/** What is said of the original in attributes, which stand in the order of the alphabet. */
export function originalAttributes(image: OriginalImage & { isAnimated?: boolean }): string {
  const { width, height, contentType, isAnimated = false } = image;
  return (
    `${isAnimated ? 'data-animated="true" ' : ''}data-original-content-type="${contentType}"` +
    ` data-original-dimensions="${width}x${height}"`
  );
}

/**
 * The same before further attributes, of a picture whose thumbnails are being made; nothing where it is not known yet.
 */
export function pendingAttributes(original: OriginalImage | undefined): string {
  return original ? `${originalAttributes(original)} ` : '';
}

/** Formats that browsers do not show. */
const UNSHOWN: ReadonlySet<string> = new Set(['image/tiff']);

/** Names the thumbnail that replaces an original that browsers do not show; nothing for others. */
export function transcodedAttribute({ contentType }: ThumbnailedImage): string {
  return UNSHOWN.has(contentType) ? ` data-transcoded-image="${THUMBNAIL.still}"` : '';
}

/** Address of the thumbnail of an uploaded picture. */
export function thumbnailAddress(pathId: string, { isAnimated }: ThumbnailedImage): string {
  const path = pathId.split('/').map(encodeURIComponent).join('/');
  return `${UPLOADS}thumbnail/${path}/${isAnimated ? THUMBNAIL.moving : THUMBNAIL.still}`;
}

/** The path of an uploaded file in the address of a link, as the HTML has it. */
export function pathOf(href: string): string | undefined {
  const start = href.indexOf(UPLOADS);
  if (start < 0) return undefined;
  const path = href.slice(start + UPLOADS.length).replace(/[?#].*$/s, '');
  try {
    return decodeURIComponent(path.replaceAll('&amp;', '&'));
  } catch {
    return path;
  }
}

/** A title as an attribute behind others; nothing for an empty one. */
export function titleOf(title: string): string {
  return title === '' ? '' : ` title="${escaped(title)}"`;
}

/** Text as the value of an attribute. */
export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
