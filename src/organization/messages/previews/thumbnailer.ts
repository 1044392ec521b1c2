import type { AttachmentDocument } from '../../../../schemas/uploads/attachment-document.js';
import type { BlobStore } from '../../../services/blob-store.js';
import { ApiError } from '../../../errors.js';
import { awaitsThumbnail, withThumbnail } from '../../../services/markdown/media/preview-html.js';
import { THUMBNAIL } from '../../../services/markdown/media/upload-html.js';
import type { Thumbnails } from '../../../services/pictures/job.js';
import type { Pictures } from '../../../services/pictures/pictures.js';
import type { Runtime } from '../../state/runtime.js';
import { attachmentKey, mediaOf, thumbnailKey } from '../../uploads/media.js';
import { changeRendering } from './rendering.js';

/** Pause after a picture that could not be worked on for now, milliseconds. */
const RETRY_MS = 10_000;

type ImageState = NonNullable<AttachmentDocument['image']>;

/** Dependencies of {@link Thumbnailer}. */
interface ThumbnailerParts {
  readonly blobs: BlobStore;
  readonly pictures: Pick<Pictures, 'thumbnails'>;
  readonly log: { warn(context: object, message: string): void };
}

/**
 * Thumbnailer makes the thumbnails of uploaded pictures, one picture at a time, and tells those who see a message that was
 * sent before they were ready. What is to be made is in the documents, so that the next leader goes on: first each message
 * changes, with its event, and then the file's document, in whose place nobody can send another message. What is no
 * picture loses its preview.
 */
export class Thumbnailer {
  private readonly waiting = new Set<number>();
  private stopped = true;
  private isWorking = false;
  private retry: NodeJS.Timeout | undefined;

  constructor(
    private readonly runtime: Pick<Runtime, 'org' | 'transact'>,
    private readonly parts: ThumbnailerParts,
  ) {}

  /** Begins with what a former leader left. */
  start(): void {
    const { org } = this.runtime;
    this.stopped = false;
    org.thumbnailer = this;
    for (const { id, image } of org.attachments.values()) {
      if (image?.state === 'pending') this.waiting.add(id);
    }
    void this.work();
  }

  /** Begins no further picture, and changes nothing more. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.retry);
    if (this.runtime.org.thumbnailer === this) this.runtime.org.thumbnailer = null;
  }

  /** A picture was uploaded. */
  add(attachmentId: number): void {
    this.waiting.add(attachmentId);
    void this.work();
  }

  private async work(): Promise<void> {
    if (this.isWorking) return;
    this.isWorking = true;
    try {
      for (const id of this.waiting) {
        if (this.stopped) break;
        await this.make(id);
        this.waiting.delete(id);
      }
    } catch (error) {
      // Too many pictures wait, the store of files is away, or this node ends: it stays to be made.
      this.parts.log.warn({ err: error }, 'a thumbnail was not made; it is tried again');
      if (!this.stopped) this.retry = setTimeout(() => void this.work(), RETRY_MS).unref();
    } finally {
      this.isWorking = false;
    }
  }

  private async make(id: number): Promise<void> {
    const attachment = this.runtime.org.attachments.get(id);
    if (attachment?.image?.state !== 'pending') return;
    const made = await this.thumbnailsOf(attachment);
    const image = made ? await this.keep(attachment, made) : { state: 'none' as const };
    if (this.stopped) return;
    if (!(await this.tell({ ...attachment, image }))) {
      for (const name of Object.values(THUMBNAIL)) {
        await this.parts.blobs.delete(thumbnailKey(attachment, name));
      }
    }
  }

  /** @returns null for what is no picture, or too large a one */
  private async thumbnailsOf(attachment: AttachmentDocument): Promise<Thumbnails | null> {
    const data = await this.parts.blobs.get(attachmentKey(attachment));
    if (!data) return null;
    try {
      return await this.parts.pictures.thumbnails(data, attachment.user_id);
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) return null;
      throw error;
    }
  }

  private async keep(attachment: AttachmentDocument, made: Thumbnails): Promise<ImageState> {
    const { width, height, contentType: content_type, still, moving } = made;
    const { blobs } = this.parts;
    await blobs.put(thumbnailKey(attachment, THUMBNAIL.still), still);
    if (moving) await blobs.put(thumbnailKey(attachment, THUMBNAIL.moving), moving);
    const sizes = { still: still.length, ...(moving ? { moving: moving.length } : {}) };
    return { state: 'made', width, height, content_type, ...sizes };
  }

  /**
   * Changes the messages that link the file, and then its document.
   * @param done the file as it will be
   * @returns whether the file is still there
   */
  private async tell(done: AttachmentDocument): Promise<boolean> {
    const { org } = this.runtime;
    const told = new Set<number>();
    for (;;) {
      const now = org.attachments.get(done.id);
      if (!now || this.stopped) return now !== undefined;
      // A message that was edited meanwhile waits again, and others have come to link the file.
      const left = now.message_ids.filter((id) => {
        const html = org.messages.resident(id)?.rendered_content ?? '';
        return !told.has(id) || awaitsThumbnail(html, done.path_id);
      });
      if (left.length === 0) break;
      for (const id of left) {
        if (this.stopped) return true;
        await this.change(id, done);
        told.add(id);
      }
    }
    this.runtime.transact((tx) => tx.org.attachments.update(done.id, { image: done.image! }));
    return true;
  }

  private change(messageId: number, done: AttachmentDocument): Promise<void> {
    const media = mediaOf(done);
    const image = media?.kind === 'image' ? media.image : null;
    return changeRendering(this.runtime, messageId, ({ rendered_content }) =>
      this.stopped ? null : withThumbnail(rendered_content, done.path_id, image),
    );
  }
}
