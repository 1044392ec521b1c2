import { randomBytes } from 'node:crypto';
import type { AttachmentDocument } from '../../schemas/documents/attachment.js';
import type { UserDocument } from '../../schemas/documents/user.js';
import { badRequest } from '../errors.js';
import type { Recorder } from './collection.js';
import { MessageAccess } from './messages/access.js';
import type { Organization } from './organization.js';
import { OwnedCollection } from './owned-collection.js';
import { addTo, removeFrom } from './sets-by-key.js';
import type { Transaction } from './transaction.js';
import { checkUploadFits, UploadReservations } from './upload-limits.js';

/** The number that stands for the organization in addresses of files. */
const REALM_ID = 1;

/** Where uploaded files are given out. */
export const UPLOADS_PATH = '/user_uploads/';

const NONE: ReadonlySet<number> = new Set();

/** Uploaded files, found by owner, by address, and by the messages that link them. */
export class AttachmentCollection extends OwnedCollection<AttachmentDocument> {
  private readonly idByPath = new Map<string, number>();
  private readonly idsByMessage = new Map<number, Set<number>>();
  private readonly idsByArchived = new Map<number, Set<number>>();
  /** Ids of the files that no message links, nor one that may be restored. */
  readonly unclaimed = new Set<number>();
  /** Files that are being stored. */
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

  /** Ids of the files that a message linked which may be restored. */
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

function addBytes(map: Map<number, number>, userId: number, bytes: number): void {
  const sum = (map.get(userId) ?? 0) + bytes;
  if (sum === 0) map.delete(userId);
  else map.set(userId, sum);
}

/** Makes an index by message agree with a change of one file. */
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

/** Whether nothing keeps a file but its uploader. */
export function isUnclaimed({ message_ids, archived_message_ids }: AttachmentDocument): boolean {
  return message_ids.length === 0 && (archived_message_ids?.length ?? 0) === 0;
}

/** A file as its uploader sees it (events.md section 10). */
export function attachmentObject(attachment: AttachmentDocument) {
  const {
    user_id: _user,
    released_at: _released,
    archived_message_ids: _kept,
    ...shown
  } = attachment;
  return shown;
}

/** Address of a file, relative to the server. */
export function attachmentUrl({ path_id }: Pick<AttachmentDocument, 'path_id'>): string {
  return UPLOADS_PATH + path_id;
}

/** Where a file's bytes are kept; made of the server's own part of its address. */
export function attachmentKey({ path_id }: Pick<AttachmentDocument, 'path_id'>): string {
  const [, group, random] = path_id.split('/');
  return `uploads/${group}/${random}`;
}

/** A new address that nobody can guess, ending with a safe form of the file's name. */
export function newPathId(name: string): string {
  const group = randomBytes(1).toString('hex');
  const random = randomBytes(18).toString('base64url');
  return `${REALM_ID}/${group}/${random}/${sanitizedName(name)}`;
}

/** Longest name in an address, in UTF-16 units; the end stays, because it says what kind it is. */
const MAX_NAME_LENGTH = 100;

/** A file name that is safe in an address: letters, digits, dots, dashes and underscores. */
export function sanitizedName(name: string): string {
  const safe = name
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}\p{M}_\s.-]/gu, '')
    .trim()
    .replace(/[-\s]+/g, '-')
    .slice(-MAX_NAME_LENGTH)
    // A cut may leave half of a character.
    .replace(/\p{Cs}/gu, '');
  return /^\.{0,2}$/.test(safe) ? 'uploaded-file' : safe;
}

/** Makes a file that is stored known, and tells its uploader. @throws ApiError */
export function addAttachment(
  tx: Transaction,
  user: UserDocument,
  file: Pick<AttachmentDocument, 'name' | 'path_id' | 'size'>,
): AttachmentDocument {
  const { org } = tx;
  checkUploadFits(org, user, file.size);
  const attachment = org.attachments.insert({
    id: org.counters.next('attachment'),
    user_id: user.user_id,
    ...file,
    create_time: tx.seconds,
    message_ids: [],
  });
  tell(tx, 'add', attachment);
  return attachment;
}

/**
 * Deletes a file of the user's own; messages keep their dead link.
 * @param remove removes the bytes, once that is durable
 * @throws ApiError `Invalid attachment`
 */
export function removeAttachment(
  tx: Transaction,
  user: UserDocument,
  id: number,
  remove: (key: string) => void,
): void {
  const { org } = tx;
  const attachment = org.attachments.get(id);
  if (!attachment || attachment.user_id !== user.user_id) throw badRequest('Invalid attachment');
  dropAttachment(tx, attachment, remove);
}

/**
 * Deletes a file and tells its uploader.
 * @param remove removes the bytes, once that is durable
 */
export function dropAttachment(
  tx: Transaction,
  attachment: AttachmentDocument,
  remove: (key: string) => void,
): void {
  const { id, user_id } = attachment;
  const { attachments } = tx.org;
  attachments.delete(id);
  tx.emit(
    'attachment',
    { to: 'users', users: [user_id] },
    { op: 'remove', attachment: { id }, upload_space_used: attachments.spaceUsed },
  );
  tx.onceDurable(() => remove(attachmentKey(attachment)));
}

/** Whether somebody may have the file: its uploader, and whoever may see a message that links it. */
export function mayFetch(
  org: Organization,
  user: UserDocument,
  attachment: AttachmentDocument,
): boolean {
  if (attachment.user_id === user.user_id) return true;
  const access = new MessageAccess(org, user);
  return attachment.message_ids.some((id) => access.canSee(id));
}

/** Tells the uploader of a file. */
export function tell(tx: Transaction, op: 'add' | 'update', attachment: AttachmentDocument): void {
  const data = {
    op,
    attachment: attachmentObject(attachment),
    upload_space_used: tx.org.attachments.spaceUsed,
  };
  tx.emit('attachment', { to: 'users', users: [attachment.user_id] }, data);
}
