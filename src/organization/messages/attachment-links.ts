import type { AttachmentDocument } from '../../../schemas/uploads/uploads.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { MAX_ATTACHMENT_MESSAGES } from '../../../schemas/limits.js';
import { attachmentObject, emitAttachment } from '../uploads/attachments.js';
import type { Transaction } from '../state/transaction.js';
import type { Organization } from '../state/organization.js';
import { MessageAccess } from './message-access.js';

/*
 * The links from messages to files (endpoints-files.md#files). A message links a file only if its author
 * may fetch it: learning an address by chance does not open the file to others.
 */

/** Links the files of a new message and emits the changes to their uploaders. */
export function claimAttachments(
  tx: Transaction,
  sender: UserDocument,
  messageId: number,
  pathIds: readonly string[],
): void {
  for (const pathId of pathIds) {
    const attachment = tx.org.attachments.byPath(pathId);
    if (attachment) link(tx, sender, attachment, messageId);
  }
}

/**
 * Updates the links of an edited message.
 * @returns files of the author that no message links any more, as their uploader sees them
 */
export function relinkAttachments(
  tx: Transaction,
  author: UserDocument,
  messageId: number,
  pathIds: readonly string[],
): ReturnType<typeof attachmentObject>[] {
  const { attachments } = tx.org;
  const former = [...attachments.ofMessage(messageId)].sort((a, b) => a - b);
  const detached: AttachmentDocument[] = [];
  for (const id of former) {
    const attachment = attachments.get(id)!;
    if (pathIds.includes(attachment.path_id)) continue;
    const changed = unlink(tx, attachment, [messageId]);
    const isOwn = changed.user_id === author.user_id;
    if (isOwn && changed.message_ids.length === 0) detached.push(changed);
  }
  claimAttachments(tx, author, messageId, pathIds);
  return detached.map(attachmentObject);
}

/** Removes the links of deleted messages and emits the changes to the uploaders. */
export function releaseAttachments(tx: Transaction, messageIds: readonly number[]): void {
  const { attachments } = tx.org;
  for (const [id, ids] of byAttachment(tx, messageIds, (one) => attachments.ofMessage(one))) {
    unlink(tx, attachments.get(id)!, ids);
  }
}

/** Like `releaseAttachments`, for messages that may be restored: until then they keep their files. */
export function archiveAttachmentLinks(tx: Transaction, messageIds: readonly number[]): void {
  const { attachments } = tx.org;
  for (const [id, gone] of byAttachment(tx, messageIds, (one) => attachments.ofMessage(one))) {
    const { message_ids, archived_message_ids = [] } = attachments.get(id)!;
    const changed = attachments.update(id, {
      message_ids: without(message_ids, gone),
      archived_message_ids: [...archived_message_ids, ...gone].sort((a, b) => a - b),
    });
    emitAttachment(tx, 'update', changed);
  }
}

/**
 * Removes the links of messages that can no longer be restored; files that only they linked become
 * unclaimed.
 */
export function dropArchivedLinks(tx: Transaction, messageIds: readonly number[]): void {
  const { attachments } = tx.org;
  for (const [id, gone] of byAttachment(tx, messageIds, (one) => attachments.ofArchived(one))) {
    const { message_ids, archived_message_ids = [] } = attachments.get(id)!;
    const left = without(archived_message_ids, gone);
    const released = left.length + message_ids.length === 0 ? { released_at: tx.seconds } : {};
    attachments.update(id, { archived_message_ids: left, ...released });
  }
}

/** The files of messages in ascending order, each with the messages that link it. */
function byAttachment(
  { org }: Transaction,
  messageIds: readonly number[],
  filesOf: (messageId: number) => ReadonlySet<number>,
): [number, number[]][] {
  if (org.attachments.size === 0) return [];
  const found = new Map<number, number[]>();
  for (const messageId of messageIds) {
    for (const id of filesOf(messageId)) {
      const ids = found.get(id);
      if (ids) ids.push(messageId);
      else found.set(id, [messageId]);
    }
  }
  return [...found].sort(([a], [b]) => a - b);
}

function without(ids: readonly number[], gone: readonly number[]): number[] {
  const set = new Set(gone);
  return ids.filter((id) => !set.has(id));
}

function link(
  tx: Transaction,
  sender: UserDocument,
  attachment: AttachmentDocument,
  messageId: number,
): void {
  const { org } = tx;
  const { id, message_ids, image } = attachment;
  if (image?.state === 'pending') tx.hooks.thumbnailer?.linked(id, messageId);
  if (message_ids.includes(messageId) || message_ids.length >= MAX_ATTACHMENT_MESSAGES) return;
  if (!mayFetch(org, sender, attachment)) return;
  const ids = [...message_ids, messageId].sort((a, b) => a - b);
  emitAttachment(tx, 'update', org.attachments.update(id, { message_ids: ids }));
}

function unlink(
  tx: Transaction,
  { id, message_ids }: AttachmentDocument,
  gone: readonly number[],
): AttachmentDocument {
  const left = without(message_ids, gone);
  const released = left.length === 0 ? { released_at: tx.seconds } : {};
  const changed = tx.org.attachments.update(id, { message_ids: left, ...released });
  emitAttachment(tx, 'update', changed);
  return changed;
}

/** Whether the user may fetch the file: the uploader, and users who may see a message that links it. */
export function mayFetch(
  org: Organization,
  user: UserDocument,
  attachment: AttachmentDocument,
): boolean {
  if (attachment.user_id === user.user_id) return true;
  const access = new MessageAccess(org, user);
  return attachment.message_ids.some((id) => access.canSee(id));
}
