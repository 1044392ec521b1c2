import type { MessageDocument } from '../../../../schemas/messages/message.js';
import { linksPicture, withThumbnails } from '../../../services/markdown/media/preview-html.js';
import type { ThumbnailedImage } from '../../../services/markdown/media/upload-html.js';
import type { RenderingChange } from './rendering.js';

/**
 * What becomes of a message whose picture has its thumbnails, or is none: a picture in the text that is none becomes a
 * link, so that `has:link` finds the message from then on, and `has:image` only where it has another picture.
 */
export function pictureChange(
  { rendered_content, has_link, has_image }: MessageDocument,
  pathId: string,
  image: ThumbnailedImage | null,
): RenderingChange {
  const { html, becameLink } = withThumbnails(rendered_content, (one) =>
    one === pathId ? image : undefined,
  );
  if (!becameLink) return { rendered_content: html };
  return {
    rendered_content: html,
    ...(has_link ? {} : { has_link: true }),
    ...(has_image && !linksPicture(html) ? { has_image: false } : {}),
  };
}
