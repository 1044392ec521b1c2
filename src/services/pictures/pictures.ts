import { serviceUnavailable } from '../../errors/index.js';
import { FairLimiter } from '../../turns/fair-limiter.js';
import type { Avatar, EmojiPicture, PictureKind, PictureResults, Thumbnails } from './job.js';
import { PictureProcess } from './picture-process.js';

/**
 * One picture at a time, so that the memory of one is all that pictures cost at worst; a few wait, each for
 * at most 20 seconds: longer than four of the slowest.
 */
const LIMITS = { concurrency: 1, maxWaiting: 32, maxWaitMs: 20_000 } as const;

/** Milliseconds one picture may take: a photo of 25 million pixels takes about one second. */
const MAX_WORK_MS = 5000;

/**
 * Makes of uploaded pictures what is kept, in a process of its own that is started with the first picture and
 * ended when there are none. A picture is PNG, JPEG, GIF, WebP, AVIF or TIFF by its content, has at
 * most 25 million pixels in all its frames, and takes at most 5 seconds and 640 MiB; else it is refused. Users
 * have their turns as {@link FairLimiter} says.
 */
export class Pictures {
  private readonly limiter = new FairLimiter(LIMITS, 'Too many pictures are being processed');
  private worker: PictureProcess | undefined;
  private stopped = false;

  constructor(private readonly maxWorkMs = MAX_WORK_MS) {}

  /**
   * A picture of a person: cut square, in two sizes.
   * @throws ApiError `BAD_IMAGE`, or 503 when too many wait
   */
  avatar(data: Buffer, userId: number): Promise<Avatar> {
    return this.process('avatar', data, userId);
  }

  /** A custom emoji, whole and centred. @throws as `avatar` */
  emoji(data: Buffer, userId: number): Promise<EmojiPicture> {
    return this.process('emoji', data, userId);
  }

  /** An organization's icon: cut square. PNG. @throws as `avatar` */
  icon(data: Buffer, userId: number): Promise<Buffer> {
    return this.process('icon', data, userId);
  }

  /** An organization's logo: as it is, where it is not too large. PNG. @throws as `avatar` */
  logo(data: Buffer, userId: number): Promise<Buffer> {
    return this.process('logo', data, userId);
  }

  /** Thumbnails of a picture in a message. @throws as `avatar` */
  thumbnails(data: Buffer, userId: number): Promise<Thumbnails> {
    return this.process('thumbnail', data, userId);
  }

  /** Ends what goes on; further pictures are refused with 503. */
  stop(): void {
    this.stopped = true;
    this.worker?.stop();
  }

  private process<K extends PictureKind>(
    kind: K,
    data: Buffer,
    userId: number,
  ): Promise<PictureResults[K]> {
    const claimant = { source: `user ${userId}`, account: '' };
    return this.limiter.run(claimant, async () => {
      if (this.stopped) throw serviceUnavailable('The server is stopping');
      this.worker ??= this.started();
      return this.worker.run({ kind, data });
    });
  }

  private started(): PictureProcess {
    const worker = new PictureProcess(this.maxWorkMs, () => {
      if (this.worker === worker) this.worker = undefined;
    });
    return worker;
  }
}
