import type { UserDocument } from '../../../schemas/users/user-document.js';
import { changeEmail } from '../accounts/email-change.js';
import { randomKeyVersion } from '../accounts/accounts.js';
import { NO_PLACES } from '../accounts/login-places.js';
import { forgetDevices } from '../personal/push.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';
import { dropAttachment } from '../uploads/attachments.js';
import { pieceKeys } from '../uploads/upload-pieces.js';
import { changeAvatar } from './avatar-change.js';
import { changeFullName } from './settings-change.js';
import type { AuditChange, AuditDocument } from '../../../schemas/realm/audit-log.js';

/**
 * Erasure of a person: what the organization keeps of them beside what others have of them (erasure.md#erase). The
 * account stays under another name, because messages, votes and members' lists refer to its number.
 */

/** Documents that one transaction deletes at most, some milliseconds of work. */
const TOGETHER = 500;
/** Records that one transaction rewrites at most; each has some kilobytes. */
const REWRITTEN_TOGETHER = 200;
/** Kinds of changes that are about a person. */
const PERSONAL: ReadonlySet<string> = new Set(['user', 'user_settings', 'bot']);

/** The name that everybody sees from then on. */
export function erasedName(userId: number): string {
  return `Deleted user ${userId}`;
}

/** What an erasure needs beside the transaction. */
export interface ErasureParts {
  /** Removes files once it is durable. */
  readonly remove: (keys: readonly string[]) => void;
}

/**
 * Takes name, address, picture and credentials from a deactivated account, with the events by which clients learn the
 * new ones. @returns the account afterwards
 */
export function eraseAccount(
  tx: Transaction,
  user: UserDocument,
  { remove }: ErasureParts,
): UserDocument {
  const { org } = tx;
  const { user_id } = user;
  // Letters of the address that was asked for would reveal it.
  forgetLetters(org, user);
  changeFullName(tx, user, erasedName(user_id));
  const named = org.users.get(user_id)!;
  const pictured = named.avatar_file === undefined ? named : changeAvatar(tx, named, null, remove);
  changeEmail(tx, pictured, `deleted${user_id}@${org.site.botDomain}`);
  org.users.update(user_id, {
    ...{ password_hash: null, key_version: randomKeyVersion(), vacated: [], ...NO_PLACES },
    is_deleted: true,
  });
  forgetDevices(tx, user_id);
  for (const group of [...org.groups.values()]) {
    if (!group.members.includes(user_id)) continue;
    const members = group.members.filter((id) => id !== user_id);
    org.groups.update(group.id, { members });
  }
  return org.users.get(user_id)!;
}

/** Mails that wait, links and invitations that name an account's address. */
function forgetLetters(org: Organization, { user_id, email }: UserDocument): void {
  const own = email.toLowerCase();
  const is = (address: string): boolean => address.toLowerCase() === own;
  for (const one of [...org.confirmations.values()]) {
    if ('user_id' in one ? one.user_id === user_id : is(one.email)) {
      org.confirmations.delete(one.key_hash);
    }
  }
  for (const mail of [...org.mails.values()]) if (is(mail.to)) org.mails.delete(mail.id);
  for (const one of [...org.invitations.values()]) {
    if (is(one.email) || one.referrer_id === user_id) org.invitations.delete(one.id);
  }
}

/**
 * Deletes some of what the organization keeps for one person alone: settings, drafts, what they read …
 * @returns how many documents; call it again until it is none
 */
export function erasePersonal(tx: Transaction, userId: number, { remove }: ErasureParts): number {
  const { org } = tx;
  let count = 0;
  for (const forget of personalOf(tx, userId, remove)) {
    forget();
    count += 1;
    if (count >= TOGETHER) return count;
  }
  for (const one of ['scheduledMessages', 'reminders'] as const) {
    for (const id of org[one].index.ofUser(userId)) {
      org[one].delete(tx, id);
      count += 1;
      if (count >= TOGETHER) return count;
    }
  }
  return count;
}

/** One function per document, which deletes it. */
function* personalOf(
  tx: Transaction,
  userId: number,
  remove: ErasureParts['remove'],
): Generator<() => unknown> {
  const { org } = tx;
  const single = [
    ...[org.twoFactors, org.settings, org.bots, org.botStorage, org.profiles, org.statuses],
    ...[org.presences, org.activities, org.missedMessages, org.pushedMessages, org.onboarding],
    org.alertWords,
  ];
  for (const collection of single) {
    if (collection.has(userId)) yield () => collection.delete(userId);
  }
  for (const collection of org.belongings) {
    for (const { id } of collection.of(userId)) yield () => collection.delete(id);
  }
  for (const { stream_id, topic } of org.userTopics.ofUser(userId)) {
    yield () => org.userTopics.forget(userId, stream_id, topic);
  }
  for (const id of [...org.mutedUsers.mutedBy(userId)]) {
    yield () => org.mutedUsers.delete(`${userId}:${id}`);
  }
  for (const recipientId of [...org.readState.ofUser(userId).keys()]) {
    yield () => org.readState.delete(`${userId}:${recipientId}`);
  }
  for (const streamId of [...org.subscriptions.ofUser(userId).keys()]) {
    yield () => org.subscriptions.delete(`${userId}:${streamId}`);
  }
  for (const { user_id, message_id } of [...org.messageFlags.values()]) {
    if (user_id === userId) yield () => org.messageFlags.delete(`${userId}:${message_id}`);
  }
  for (const { id, user_id } of [...org.outgoingPushes.values()]) {
    if (user_id === userId) yield () => org.outgoingPushes.delete(id);
  }
  for (const upload of org.resumableUploads.of(userId)) {
    yield () => {
      org.resumableUploads.delete(upload.id);
      tx.onceDurable(() => remove(pieceKeys(upload)));
    };
  }
  for (const file of org.attachments.of(userId)) {
    if (org.attachments.unclaimed.has(file.id)) {
      yield () => dropAttachment(tx, file, (key) => remove([key]));
    }
  }
}

/**
 * Takes out of the audit log what it says of a person: the names and values of changes of their account and settings.
 * That something was changed, when and by whom stays, by number; so does what they changed of the organization.
 * @returns how many records; call it again until it is none
 */
export function scrubAudit({ org }: Transaction, userId: number): number {
  const name = erasedName(userId);
  const tells = ({ kind, id, ...change }: AuditChange): boolean =>
    PERSONAL.has(kind) &&
    id === userId &&
    (change.name !== name || change.fields.some((one) => one.old !== null || one.new !== null));
  const found: AuditDocument[] = [];
  for (const record of org.audit.values()) {
    if (record.changes.some(tells)) found.push(record);
    if (found.length === REWRITTEN_TOGETHER) break;
  }
  for (const record of found) {
    const changes = record.changes.map((change) => {
      if (!tells(change)) return change;
      const fields = change.fields.map((one) => ({ name: one.name, old: null, new: null }));
      return { ...change, name, fields };
    });
    org.audit.insert({ ...record, changes });
  }
  return found.length;
}
