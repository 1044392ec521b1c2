import type { ResumableUploadDocument } from '../../../../schemas/uploads/resumable-uploads.js';
import { addTo, Collection, removeFrom, type Recorder } from '../collection.js';

const NONE: ReadonlySet<string> = new Set();

/** Uploads that arrive in pieces, and the room that those which are not complete will need. */
export class ResumableUploadCollection extends Collection<string, ResumableUploadDocument> {
  private readonly idsByOwner = new Map<number, Set<string>>();
  /** Of uploads that are not complete, by owner. */
  private readonly pending = new Map<number, { count: number; bytes: number }>();
  private bytes = 0;

  constructor(recorder: Recorder) {
    super('resumable_upload', recorder, ({ id }) => id);
  }

  /** Announced bytes of all uploads that are not complete. */
  get reserved(): number {
    return this.bytes;
  }

  /** Announced bytes of a user's uploads that are not complete. */
  reservedBy(userId: number): number {
    return this.pending.get(userId)?.bytes ?? 0;
  }

  /** How many of a user's uploads are not complete. */
  pendingOf(userId: number): number {
    return this.pending.get(userId)?.count ?? 0;
  }

  /** All uploads of a user. */
  of(userId: number): ResumableUploadDocument[] {
    return [...(this.idsByOwner.get(userId) ?? NONE)].map((id) => this.get(id)!);
  }

  /** Some uploads that expired by then, UNIX seconds. */
  expired(until: number, most: number): ResumableUploadDocument[] {
    const found: ResumableUploadDocument[] = [];
    for (const one of this.values()) {
      if (one.expires_at <= until) found.push(one);
      if (found.length === most) break;
    }
    return found;
  }

  protected override reindex(
    previous?: ResumableUploadDocument,
    next?: ResumableUploadDocument,
  ): void {
    if (previous) this.count(previous, -1);
    if (next) this.count(next, 1);
    if (previous && !next) removeFrom(this.idsByOwner, previous.user_id, previous.id);
    if (next && !previous) addTo(this.idsByOwner, next.user_id, next.id);
  }

  private count({ user_id, size, is_finished }: ResumableUploadDocument, sign: 1 | -1): void {
    if (is_finished) return;
    this.bytes += sign * size;
    const { count, bytes } = this.pending.get(user_id) ?? { count: 0, bytes: 0 };
    if (count + sign === 0) this.pending.delete(user_id);
    else this.pending.set(user_id, { count: count + sign, bytes: bytes + sign * size });
  }
}
