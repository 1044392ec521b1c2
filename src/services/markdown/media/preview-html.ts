/** HTML of pictures and videos below the text that links them (message-formatting.md#previews). */

/** A picture whose thumbnails are there. */
export interface ThumbnailedImage {
  /** Of the picture as it is shown, pixels. */
  readonly width: number;
  readonly height: number;
  readonly contentType: string;
  readonly isAnimated: boolean;
}

/** What the server knows of an uploaded file that is shown or played; `image` is null while its thumbnails are made. */
export type Media =
  | { readonly kind: 'audio' | 'video' }
  | { readonly kind: 'image'; readonly image: ThumbnailedImage | null };

/** A link to such a file. */
export interface MediaLink {
  /** As in the link. */
  readonly href: string;
  /** Path below `/user_uploads/`. */
  readonly pathId: string;
  /** The text of the link; empty where it is the address. */
  readonly title: string;
}

/** Names of the thumbnails, which end their addresses: the largest size they have, and the format. */
export const THUMBNAIL = { still: '840x560.webp', moving: '840x560-anim.webp' } as const;
/** Largest size of thumbnails, in pixels. */
export const THUMBNAIL_SIZE = { width: 840, height: 560 } as const;

const PLACEHOLDER_CLASS = 'image-loading-placeholder';
const PENDING = new RegExp(
  String.raw`<div class="message_inline_image"><a href="([^"]*)"((?: title="[^"]*")?)><img class="${PLACEHOLDER_CLASS}"[^>]*></a></div>`,
  'g',
);
const UPLOADS = '/user_uploads/';

/** The preview of a picture or video. */
export function previewHtml(link: MediaLink, media: Media): string {
  const title = link.title === '' ? '' : ` title="${escaped(link.title)}"`;
  const address = escaped(link.href);
  if (media.kind === 'image') {
    const picture = media.image ? thumbnail(link.pathId, media.image) : PENDING_IMAGE;
    return preview('message_inline_image', `${address}"${title}`, picture);
  }
  const video = `<video preload="metadata" src="${address}"></video>`;
  return preview('message_inline_image message_inline_video', `${address}"${title}`, video);
}

/** A player in place of a link. */
export function audioHtml({ href, title }: Pick<MediaLink, 'href' | 'title'>): string {
  const shown = title === '' ? href.slice(href.lastIndexOf('/') + 1) : title;
  return `<audio controls preload="metadata" src="${escaped(href)}" title="${escaped(shown)}"></audio>`;
}

/** Whether HTML waits for the thumbnails of a file. */
export function awaitsThumbnail(html: string, pathId: string): boolean {
  return [...html.matchAll(PENDING)].some(([, href = '']) => pathOf(href) === pathId);
}

/** HTML with the thumbnails of a file that were made meanwhile; without its preview where it is no picture. */
export function withThumbnail(
  html: string,
  pathId: string,
  image: ThumbnailedImage | null,
): string {
  return html.replace(PENDING, (all, href: string, title: string) => {
    if (pathOf(href) !== pathId) return all;
    if (!image) return '';
    return preview('message_inline_image', `${href}"${title}`, thumbnail(pathId, image));
  });
}

/** Clients know by the class that the thumbnail is being made, and draw something of their own. */
const PENDING_IMAGE = `<img class="${PLACEHOLDER_CLASS}" src="/static/images/loading/loader-black.svg">`;

function preview(classes: string, link: string, content: string): string {
  return `<div class="${classes}"><a href="${link}>${content}</a></div>`;
}

function thumbnail(pathId: string, image: ThumbnailedImage): string {
  const { width, height, contentType, isAnimated } = image;
  const path = pathId.split('/').map(encodeURIComponent).join('/');
  const name = isAnimated ? THUMBNAIL.moving : THUMBNAIL.still;
  return (
    `<img${isAnimated ? ' data-animated="true"' : ''} data-original-content-type="${contentType}"` +
    ` data-original-dimensions="${width}x${height}" src="${UPLOADS}thumbnail/${path}/${name}">`
  );
}

/** The path of an uploaded file in the address of a link, as the HTML has it. */
function pathOf(href: string): string | undefined {
  const start = href.indexOf(UPLOADS);
  if (start < 0) return undefined;
  const path = href.slice(start + UPLOADS.length).replace(/[?#].*$/s, '');
  try {
    return decodeURIComponent(path.replaceAll('&amp;', '&'));
  } catch {
    return path;
  }
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
