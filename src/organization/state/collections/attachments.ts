import type { AttachmentDocument } from '../../../../schemas/uploads/uploads.js';
import { OwnedCollection } from '../user-collections.js';
import { type Recorder, removeFrom, addTo } from '../collection.js';

const NONE: ReadonlySet<number> = new Set();

/** Whether no message links the file, nor one that may be restored. */
export function isUnclaimed({ message_ids, archived_message_ids }: AttachmentDocument): boolean {
  return message_ids.length === 0 && (archived_message_ids?.length ?? 0) === 0;
}

/** Updates an index by message for a change of one file. */
function moveIn(
  index: Map<number, Set<number>>,
  id: number,
  previous: readonly number[] = [],
  next: readonly number[] = [],
): void {
  if (previous === next) return;
  for (const messageId of previous) removeFrom(index, messageId, id);
  for (const messageId of next) addTo(index, messageId, id);
}

function addBytes(map: Map<number, number>, userId: number, bytes: number): void {
  const sum = (map.get(userId) ?? 0) + bytes;
  if (sum === 0) map.delete(userId);
  else map.set(userId, sum);
}

/** Uploaded files, indexed by owner, address, and the messages that link them. */
export class AttachmentCollection extends OwnedCollection<AttachmentDocument> {
  private readonly idByPath = new Map<string, number>();
  private readonly idsByMessage = new Map<number, Set<number>>();
  private readonly idsByArchived = new Map<number, Set<number>>();
  /** Ids of the files that no message links, nor one that may be restored. */
  readonly unclaimed = new Set<number>();
  /** Bytes reserved for files that are being stored. */
  readonly reservations = new UploadReservations();
  private bytes = 0;
  private readonly bytesByOwner = new Map<number, number>();
  private readonly unclaimedBytesByOwner = new Map<number, number>();

  constructor(recorder: Recorder) {
    super('attachment', recorder);
  }

  /** Bytes of all files. */
  get spaceUsed(): number {
    return this.bytes;
  }

  /** Bytes of a user's files. */
  bytesOf(userId: number): number {
    return this.bytesByOwner.get(userId) ?? 0;
  }

  /** Of everybody who has files. */
  bytesByUser(): Iterable<readonly [userId: number, bytes: number]> {
    return this.bytesByOwner;
  }

  /** Bytes of a user's files that no message links. */
  unclaimedBytesOf(userId: number): number {
    return this.unclaimedBytesByOwner.get(userId) ?? 0;
  }

  /** The file at a path. */
  byPath(pathId: string): AttachmentDocument | undefined {
    const id = this.idByPath.get(pathId);
    return id === undefined ? undefined : this.get(id);
  }

  /** Ids of the files that a message links. */
  ofMessage(messageId: number): ReadonlySet<number> {
    return this.idsByMessage.get(messageId) ?? NONE;
  }

  /** Ids of the files that an archived message links. */
  ofArchived(messageId: number): ReadonlySet<number> {
    return this.idsByArchived.get(messageId) ?? NONE;
  }

  protected override reindex(previous?: AttachmentDocument, next?: AttachmentDocument): void {
    super.reindex(previous, next);
    if (previous) this.count(previous, -previous.size);
    if (next) this.count(next, next.size);
    if (previous) this.idByPath.delete(previous.path_id);
    if (next) this.idByPath.set(next.path_id, next.id);
    const { id } = (next ?? previous)!;
    if (next && isUnclaimed(next)) this.unclaimed.add(id);
    else this.unclaimed.delete(id);
    moveIn(this.idsByMessage, id, previous?.message_ids, next?.message_ids);
    moveIn(this.idsByArchived, id, previous?.archived_message_ids, next?.archived_message_ids);
  }

  private count({ user_id, message_ids }: AttachmentDocument, bytes: number): void {
    this.bytes += bytes;
    addBytes(this.bytesByOwner, user_id, bytes);
    if (message_ids.length === 0) addBytes(this.unclaimedBytesByOwner, user_id, bytes);
  }
}

/** Bytes of files that are being stored and have no document yet, by user. */
class UploadReservations {
  private readonly byUser = new Map<number, number>();
  private bytes = 0;

  get total(): number {
    return this.bytes;
  }

  of(userId: number): number {
    return this.byUser.get(userId) ?? 0;
  }

  /** @returns releases the bytes; further calls do nothing */
  add(userId: number, bytes: number): () => void {
    this.change(userId, bytes);
    let done = false;
    return () => {
      if (!done) this.change(userId, -bytes);
      done = true;
    };
  }

  private change(userId: number, bytes: number): void {
    this.bytes += bytes;
    const sum = this.of(userId) + bytes;
    if (sum === 0) this.byUser.delete(userId);
    else this.byUser.set(userId, sum);
  }
}
