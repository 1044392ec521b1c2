/**
 * HTML of uploaded pictures in the text of a message: `![description](address "title")`
 * (message-formatting.md#inline-images).
 */
import {
  escaped,
  originalAttributes,
  pathOf,
  pendingAttributes,
  PLACEHOLDER_CLASS,
  PLACEHOLDER_PICTURE,
  thumbnailAddress,
  titleOf,
  transcodedAttribute,
  type OriginalImage,
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
const KNOWN = '(?: data-original-content-type="[^"]*" data-original-dimensions="[^"]*")?';
const PENDING = new RegExp(
  `<img alt="([^"]*)" class="${CLASS} ${PLACEHOLDER_CLASS}"${KNOWN} data-original-src="([^"]*)" src="${PLACEHOLDER_PICTURE}"(${TITLE})>`,
  'g',
);
const ANY = new RegExp(
  `<img alt="([^"]*)" class="${CLASS}(?: ${PLACEHOLDER_CLASS})?"[^>]* data-original-src="([^"]*)"(?: data-transcoded-image="[^"]*")? src="[^"]*"(${TITLE})>`,
  'g',
);

/** A picture in the text. @param image null while its thumbnails are made */
export function inlineImageHtml(
  { alt, src, pathId, title }: InlineImage,
  image: ThumbnailedImage | null,
  original?: OriginalImage,
): string {
  const [description, address] = [escaped(alt), escaped(src)];
  return image
    ? thumbnailed(description, address, titleOf(title), pathId, image)
    : `<img alt="${description}" class="${CLASS} ${PLACEHOLDER_CLASS}" ${pendingAttributes(original)}data-original-src="${address}" src="${PLACEHOLDER_PICTURE}"${titleOf(title)}>`;
}

/** HTML with the thumbnails that were made meanwhile; what is no picture is a link, as when it is sent later. */
export function withInlineThumbnails(
  rendered: string,
  imageOf: (pathId: string) => ThumbnailedImage | null | undefined,
): { readonly html: string; readonly becameLink: boolean } {
  let becameLink = false;
  const html = rendered.replace(PENDING, (all, alt: string, src: string, title: string) => {
    const pathId = pathOf(src);
    const image = pathId === undefined ? undefined : imageOf(pathId);
    if (image === undefined) return all;
    if (image !== null) return thumbnailed(alt, src, title, pathId!, image);
    becameLink = true;
    return linkTo(alt, src, title);
  });
  return { html, becameLink };
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
    `${transcodedAttribute(image)} src="${thumbnailAddress(pathId, image)}"${title}>`
  );
}

/** As the renderer writes the link: text needs no escape for quotation marks. */
function linkTo(alt: string, src: string, title: string): string {
  return `<a href="${src}"${title}>${(alt === '' ? src : alt).replaceAll('&quot;', '"')}</a>`;
}
