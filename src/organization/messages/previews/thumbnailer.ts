import { setTimeout, clearTimeout } from '../../../platform/timers.js';
import type { AttachmentDocument } from '../../../../schemas/uploads/uploads.js';
import type { BlobStore } from '../../../services/blob-store.js';
import { ApiError } from '../../../errors/index.js';
import { EventLoopYield } from '../../../turns/event-loop-yield.js';
import { THUMBNAIL } from '../../../services/markdown/media/upload-html.js';
import type { Thumbnails } from '../../../services/pictures/job.js';
import type { Pictures } from '../../../services/pictures/pictures.js';
import type { Runtime } from '../../state/runtime.js';
import { attachmentKey, imageOf, thumbnailKey } from '../../uploads/media.js';
import { pictureChange } from './picture-change.js';
import { changeRendering } from './rendering.js';
import { inBackground, untold } from '../../../turns/background.js';
import { NEVER, NOW } from '../../state/scheduled/next-due.js';

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
 * Thumbnailer makes the thumbnails of uploaded pictures, one picture at a time, and tells those who see a message that
 * was sent before they were ready. What is to be made is in the documents, so that the next leader goes on: first each
 * message changes, with its event, and then the file's document, in whose place nobody can send another message. What
 * is no picture loses its preview.
 */
export class Thumbnailer {
  private readonly waiting = new Set<number>();
  /** The picture whose messages are being changed, with those that are left. */
  private telling: { readonly id: number; readonly left: Set<number> } | null = null;
  private stopped = true;
  private isWorking = false;
  private retry: NodeJS.Timeout | undefined;

  constructor(
    private readonly runtime: Pick<Runtime, 'org' | 'transact' | 'hooks'>,
    private readonly parts: ThumbnailerParts,
  ) {}

  /** Begins with what a former leader left. */
  start(): void {
    const { org, hooks } = this.runtime;
    this.stopped = false;
    hooks.thumbnailer = this;
    for (const { id, image } of org.attachments.values()) {
      if (image?.state === 'pending') this.waiting.add(id);
    }
    inBackground(() => this.work(), untold);
  }

  /** Begins no further picture, and changes nothing more. */
  stop(): void {
    this.stopped = true;
    clearTimeout(this.retry);
    if (this.runtime.hooks.thumbnailer === this) this.runtime.hooks.thumbnailer = null;
  }

  /** Pictures that wait are under way. */
  nextDue(): number {
    return this.isWorking || this.waiting.size > 0 ? NOW : NEVER;
  }

  /** A message that is sent or edited shows a picture that has no thumbnails yet. */
  linked(attachmentId: number, messageId: number): void {
    if (this.telling?.id === attachmentId) this.telling.left.add(messageId);
  }

  /** A picture was uploaded. */
  add(attachmentId: number): void {
    this.waiting.add(attachmentId);
    inBackground(() => this.work(), untold);
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
      this.parts.log.warn({ err: error }, 'a thumbnail could not be made; it is tried again');
      if (!this.stopped)
        this.retry = setTimeout(() => inBackground(() => this.work(), untold), RETRY_MS).unref();
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
   * Changes the messages that link the file, and then its document. Each is worked on once, and again where it links
   * the file anew meanwhile: the work is that of the messages, however many wait.
   * @param done the file as it will be
   * @returns whether the file is still there
   */
  private async tell(done: AttachmentDocument): Promise<boolean> {
    const { attachments } = this.runtime.org;
    const left = new Set(attachments.get(done.id)?.message_ids);
    this.telling = { id: done.id, left };
    const pause = new EventLoopYield();
    try {
      // What is added meanwhile is walked, too.
      for (const messageId of left) {
        if (this.stopped || !attachments.get(done.id)) break;
        left.delete(messageId);
        await this.change(messageId, done);
        if (pause.isDue) await pause.take();
      }
    } finally {
      this.telling = null;
    }
    if (!attachments.get(done.id)) return false;
    if (!this.stopped) {
      this.runtime.transact((tx) => tx.org.attachments.update(done.id, { image: done.image! }));
    }
    return true;
  }

  private change(messageId: number, done: AttachmentDocument): Promise<void> {
    const image = imageOf(done) ?? null;
    return changeRendering(this.runtime, messageId, (message) =>
      this.stopped ? null : pictureChange(message, done.path_id, image),
    );
  }
}
