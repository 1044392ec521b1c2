/** HTML of uploaded pictures in the text of a message: `![description](address "title")` (message-formatting.md#inline-images). */
import {
  escaped,
  originalAttributes,
  pathOf,
  PLACEHOLDER_CLASS,
  PLACEHOLDER_PICTURE,
  thumbnailAddress,
  titleOf,
  type ThumbnailedImage,
} from './upload-html.js';

/** A picture as the text names it. */
export interface InlineImage {
  /** Its description. */
  readonly alt: string;
  /** Its address on this server, from `/user_uploads/` on. */
  readonly src: string;
  /** Path below `/user_uploads/`. */
  readonly pathId: string;
  /** Shown by browsers when one points at it; may be empty. */
  readonly title: string;
}

const CLASS = 'inline-image';
const TITLE = String.raw`(?: title="[^"]*")?`;
const PENDING = new RegExp(
  `<img alt="([^"]*)" class="${CLASS} ${PLACEHOLDER_CLASS}" data-original-src="([^"]*)" src="${PLACEHOLDER_PICTURE}"(${TITLE})>`,
  'g',
);
const ANY = new RegExp(
  `<img alt="([^"]*)" class="${CLASS}(?: ${PLACEHOLDER_CLASS})?"[^>]* data-original-src="([^"]*)" src="[^"]*"(${TITLE})>`,
  'g',
);

/** A picture in the text. @param image null while its thumbnails are made */
export function inlineImageHtml(
  { alt, src, pathId, title }: InlineImage,
  image: ThumbnailedImage | null,
): string {
  const [description, address] = [escaped(alt), escaped(src)];
  return image
    ? thumbnailed(description, address, titleOf(title), pathId, image)
    : `<img alt="${description}" class="${CLASS} ${PLACEHOLDER_CLASS}" data-original-src="${address}" src="${PLACEHOLDER_PICTURE}"${titleOf(title)}>`;
}

/** Whether a picture in the text waits for the thumbnails of a file. */
export function awaitsInlineThumbnail(html: string, pathId: string): boolean {
  return [...html.matchAll(PENDING)].some(([, , src = '']) => pathOf(src) === pathId);
}

/** HTML with the thumbnails of a file that were made meanwhile; what is no picture is a link, as when it is sent later. */
export function withInlineThumbnail(
  html: string,
  pathId: string,
  image: ThumbnailedImage | null,
): string {
  return html.replace(PENDING, (all, alt: string, src: string, title: string) => {
    if (pathOf(src) !== pathId) return all;
    return image ? thumbnailed(alt, src, title, pathId, image) : linkTo(alt, src, title);
  });
}

/** HTML with links in the place of pictures in the text, for who fetches none. */
export function withInlineImagesAsLinks(html: string): string {
  if (!html.includes(` class="${CLASS}`)) return html;
  return html.replace(ANY, (_all, alt: string, src: string, title: string) =>
    linkTo(alt, src, title),
  );
}

function thumbnailed(
  alt: string,
  src: string,
  title: string,
  pathId: string,
  image: ThumbnailedImage,
): string {
  return (
    `<img alt="${alt}" class="${CLASS}" ${originalAttributes(image)} data-original-src="${src}"` +
    ` src="${thumbnailAddress(pathId, image)}"${title}>`
  );
}

/** As the renderer writes the link: text needs no escape for quotation marks. */
function linkTo(alt: string, src: string, title: string): string {
  return `<a href="${src}"${title}>${(alt === '' ? src : alt).replaceAll('&quot;', '"')}</a>`;
}
