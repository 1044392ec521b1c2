/** HTML of pictures and videos below the text that links them (message-formatting.md#previews). */

import { IMAGE_FILE } from '../facts.js';
import { withInlineImagesAsLinks, withInlineThumbnails } from './inline-images.js';
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

/** What the server knows of an uploaded file that is shown or played; `image` is null while its thumbnails are made. */
export type Media =
  | { readonly kind: 'audio' | 'video' }
  | {
      readonly kind: 'image';
      readonly image: ThumbnailedImage | null;
      /** Of one whose thumbnails are being made, where it is known. */
      readonly original?: OriginalImage;
    };

/** A link to such a file. */
export interface MediaLink {
  /** As in the link. */
  readonly href: string;
  /** Path below `/user_uploads/`. */
  readonly pathId: string;
  /** The text of the link; empty where it is the address. */
  readonly title: string;
}

const PENDING = new RegExp(
  String.raw`<div class="message_inline_image"><a href="([^"]*)"((?: title="[^"]*")?)><img class="${PLACEHOLDER_CLASS}"[^>]*></a></div>`,
  'g',
);

/** The preview of a picture or video. */
export function previewHtml(link: MediaLink, media: Media): string {
  const title = titleOf(link.title);
  const address = escaped(link.href);
  if (media.kind === 'image') {
    const { image, original } = media;
    const picture = image ? thumbnail(link.pathId, image) : pendingImage(original);
    return preview('message_inline_image', `${address}"${title}`, picture);
  }
  const video = `<video preload="metadata" src="${address}"></video>`;
  return preview('message_inline_image message_inline_video', `${address}"${title}`, video);
}

/** A picture of another server that this one gives out. */
export interface OutsidePreview {
  /** Path on this server. */
  readonly src: string;
  /** The video on YouTube whose picture it is. */
  readonly video: string | null;
}

/** The preview of a picture of another server. */
export function outsidePreviewHtml(
  { href, title }: Pick<MediaLink, 'href' | 'title'>,
  { src, video }: OutsidePreview,
): string {
  const picture = `<img src="${escaped(src)}">`;
  const address = escaped(href);
  if (video !== null) {
    return `<div class="youtube-video message_inline_image"><a data-id="${escaped(video)}" href="${address}">${picture}</a></div>`;
  }
  return preview('message_inline_image', `${address}"${titleOf(title)}`, picture);
}

/** What a web page says of itself. */
export interface PageSummary {
  readonly title: string;
  readonly description: string;
  /** Path on this server of the picture. */
  readonly src: string;
}

/** The preview of a web page. */
export function pagePreviewHtml(href: string, { title, description, src }: PageSummary): string {
  const address = escaped(href);
  // The path is one of ours: it has no sign that ends a string of a style.
  const style = escaped(`background-image: url("${src}")`);
  const name = escaped(title);
  return (
    `<div class="message_embed"><a class="message_embed_image" href="${address}" style="${style}"></a>` +
    '<div class="data-container">' +
    (title === ''
      ? ''
      : `<div class="message_embed_title"><a href="${address}" title="${name}">${name}</a></div>`) +
    (description === ''
      ? ''
      : `<div class="message_embed_description">${escaped(description)}</div>`) +
    '</div></div>'
  );
}

/** A player in place of a link. */
export function audioHtml({ href, title }: Pick<MediaLink, 'href' | 'title'>): string {
  const shown = title === '' ? href.slice(href.lastIndexOf('/') + 1) : title;
  return `<audio controls preload="metadata" src="${escaped(href)}" title="${escaped(shown)}"></audio>`;
}

/**
 * What is known of an uploaded picture by its path: null for what is no picture, undefined while its thumbnails are
 * made.
 */
export type ImageLookup = (pathId: string) => ThumbnailedImage | null | undefined;

/**
 * HTML with the thumbnails that were made meanwhile; what is no picture has no preview, and is a link in the text.
 * @returns also whether a picture in the text became a link
 */
export function withThumbnails(
  rendered: string,
  imageOf: ImageLookup,
): { readonly html: string; readonly becameLink: boolean } {
  if (!rendered.includes(PLACEHOLDER_CLASS)) return { html: rendered, becameLink: false };
  const inline = withInlineThumbnails(rendered, imageOf);
  const html = inline.html.replace(PENDING, (all, href: string, title: string) => {
    const pathId = pathOf(href);
    const image = pathId === undefined ? undefined : imageOf(pathId);
    if (image === undefined) return all;
    if (image === null) return '';
    return preview('message_inline_image', `${href}"${title}`, thumbnail(pathId!, image));
  });
  return { html, becameLink: inline.becameLink };
}

/** Whether HTML shows a picture in its text, or links a file that is one by its name. */
export function linksPicture(html: string): boolean {
  if (html.includes(' class="inline-image')) return true;
  return [...html.matchAll(/<a [^>]*?href="([^"]*)"/g)].some(([, href = '']) =>
    IMAGE_FILE.test(href.replace(/[?#].*$/s, '')),
  );
}

const PREVIEW = new RegExp(
  String.raw`<div class="(?:[a-z-]+ )?message_inline_image(?: message_inline_video)?"><a (?:data-id="[^"]*" )?href="([^"]*)"[^>]*>.*?</a></div>\n?`,
  'g',
);
const PAGE_PREVIEW = new RegExp(
  String.raw`\n?<div class="message_embed"><a [^>]*></a><div class="data-container">` +
    String.raw`(?:<div [^>]*><a [^>]*>[^<]*</a></div>)?(?:<div [^>]*>[^<]*</div>)?</div></div>`,
  'g',
);

/**
 * HTML without its previews, for who fetches no pictures: an address that stands nowhere else stands in the place of
 * its picture, and what pages say of themselves is left out.
 */
export function withPreviewsAsLinks(rendered: string): string {
  const html = withInlineImagesAsLinks(rendered);
  if (!html.includes('<div class=')) return html;
  return html.replace(PAGE_PREVIEW, '').replace(PREVIEW, (preview, href: string) => {
    const link = `<a href="${href}"`;
    const isLinked = html.split(link, 3).length > (preview.includes(link) ? 2 : 1);
    return isLinked ? '' : `<p>${link}>${href}</a></p>\n`;
  });
}

function pendingImage(original: OriginalImage | undefined): string {
  return `<img class="${PLACEHOLDER_CLASS}" ${pendingAttributes(original)}src="${PLACEHOLDER_PICTURE}">`;
}

function preview(classes: string, link: string, content: string): string {
  return `<div class="${classes}"><a href="${link}>${content}</a></div>`;
}

function thumbnail(pathId: string, image: ThumbnailedImage): string {
  const attributes = originalAttributes(image) + transcodedAttribute(image);
  return `<img ${attributes} src="${thumbnailAddress(pathId, image)}">`;
}
