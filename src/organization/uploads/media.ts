import type { AttachmentDocument } from '../../../schemas/uploads/uploads.js';
import { withThumbnails, type Media } from '../../services/markdown/media/preview-html.js';
import { THUMBNAIL, type ThumbnailedImage } from '../../services/markdown/media/upload-html.js';
import type { Organization } from '../state/organization.js';

/** By extensions of names: what readers see or hear in the message. */
const KINDS: Readonly<Record<string, 'audio' | 'video' | 'image'>> = {
  ...{ aac: 'audio', flac: 'audio', mp3: 'audio', wav: 'audio', mp4: 'video', webm: 'video' },
  ...{ avif: 'image', gif: 'image', jpeg: 'image', jpg: 'image', png: 'image', tif: 'image' },
  ...{ tiff: 'image', webp: 'image' },
};

function kindOf(name: string): 'audio' | 'video' | 'image' | undefined {
  const extension = /\.([a-z0-9]{1,5})$/i.exec(name)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(KINDS, extension) ? KINDS[extension] : undefined;
}

/** Whether a file is a picture by its name. */
export function mayHaveThumbnails(name: string): boolean {
  return kindOf(name) === 'image';
}

/** What a file is to readers of a message that links it; undefined for what is only downloaded. */
export function mediaOf({ name, image }: AttachmentDocument): Media | undefined {
  const kind = kindOf(name);
  if (kind !== 'image') return kind && { kind };
  if (!image || image.state === 'none') return undefined;
  const { width = 0, height = 0, content_type = '', moving } = image;
  const original = { width, height, contentType: content_type };
  if (image.state === 'pending') return { kind, image: null, ...(width > 0 ? { original } : {}) };
  return { kind, image: { ...original, isAnimated: moving !== undefined } };
}

/** The picture of a file, with its thumbnails; null for what is no picture, undefined while they are made. */
export function imageOf(attachment: AttachmentDocument): ThumbnailedImage | null | undefined {
  const media = mediaOf(attachment);
  return media?.kind === 'image' ? (media.image ?? undefined) : null;
}

/** HTML that waits for thumbnails, with those that are there now. */
export function withThumbnailsNow({ attachments }: Organization, html: string): string {
  return withThumbnails(html, (pathId) => {
    const attachment = attachments.byPath(pathId);
    return attachment ? imageOf(attachment) : null;
  }).html;
}

/** Storage key of a file, made of the parts of its address that the server chose. */
export function attachmentKey({ path_id }: Pick<AttachmentDocument, 'path_id'>): string {
  const [, group, random] = path_id.split('/');
  return `uploads/${group}/${random}`;
}

/** Storage key of a thumbnail. */
export function thumbnailKey(
  attachment: Pick<AttachmentDocument, 'path_id'>,
  name: string,
): string {
  return `${attachmentKey(attachment)}-${name}`;
}

/** A thumbnail of a file by its name: its key and its bytes; undefined where there is none. */
export function thumbnailOf(
  attachment: AttachmentDocument,
  name: string,
): { readonly key: string; readonly size: number } | undefined {
  const { still, moving } = attachment.image ?? {};
  const size = name === THUMBNAIL.still ? still : name === THUMBNAIL.moving ? moving : undefined;
  return size === undefined ? undefined : { key: thumbnailKey(attachment, name), size };
}

/** Storage keys of everything that belongs to a file. */
export function keysOf(attachment: AttachmentDocument): string[] {
  const thumbnails = Object.values(THUMBNAIL).flatMap(
    (name) => thumbnailOf(attachment, name)?.key ?? [],
  );
  return [attachmentKey(attachment), ...thumbnails];
}
