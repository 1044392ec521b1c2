import { EDITABLE_FLAGS, FLAG_OPERATIONS } from '../../../schemas/messages/messages.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest } from '../../errors/index.js';
import type { MessageDetails } from '../../journal/renderers/message-flags.js';
import type { Organization } from '../state/organization.js';
import { isTopicMuted } from '../topics/topic-policy.js';
import { inOnePart, type PartedChange, type Parts } from '../state/parted-change.js';
import type { Transaction } from '../state/transaction.js';
import { MessageAccess } from './message-access.js';
import { emitFlagsTo } from './message-events.js';
import type { TopicEntry } from '../state/message-index/posting-lists.js';

/** Whether a flag is set or removed. */
type FlagOperation = (typeof FLAG_OPERATIONS)[number];
/** The personal flags that users can change (endpoints-flags.md#flags). */
type EditableFlag = (typeof EDITABLE_FLAGS)[number];

/** Most messages of one change: its event lists all of them and must leave room in the queues for others. */
export const MAX_FLAGGED_MESSAGES = 10_000;

/** Messages whose flags change in one part: each star is a document. */
const FLAGGED_IN_A_PART = 1000;

/** Most messages of a channel that a user never received and has marked as unread: one document lists them. */
const MAX_RECALLED = 10_000;

/** The result of a change of flags. */
interface FlagChange {
  /** Ids whose flag changed, ascending. */
  readonly changed: readonly number[];
  /** Valid ids, in the caller's order. */
  readonly addressed: readonly number[];
  /** Channels whose messages stay read because the user does not subscribe to them, ascending. */
  readonly ignoredChannels: readonly number[];
}

const EDITABLE: ReadonlySet<string> = new Set<EditableFlag>(EDITABLE_FLAGS);

/** Flags that only the server sets. */
const SERVER_FLAGS: ReadonlySet<string> = new Set([
  'mentioned',
  'stream_wildcard_mentioned',
  'topic_wildcard_mentioned',
  'wildcard_mentioned',
  'has_alert_word',
  'historical',
]);

/** @throws ApiError when it is neither `add` nor `remove` */
export function flagOperation(op: string): FlagOperation {
  const known = FLAG_OPERATIONS.find((one) => one === op);
  if (known === undefined) throw badRequest(`Invalid message flag operation: '${op}'`);
  return known;
}

/** @throws ApiError for an unknown flag, or one that users cannot change */
export function editableFlag(flag: string): EditableFlag {
  if (EDITABLE.has(flag)) return flag as EditableFlag;
  if (SERVER_FLAGS.has(flag)) throw badRequest(`Flag not editable: '${flag}'`);
  throw badRequest(`Invalid flag: '${flag}'`);
}

/**
 * Adds or removes a personal flag (endpoints-flags.md#flags) and emits the actual changes to the user's
 * queues. Needs no documents.
 * @throws ApiError `Invalid message(s)` when the user cannot see one of the messages, but for a flag that they remove; for
 *   too many ids
 */
export function changeFlags(
  tx: Transaction,
  user: UserDocument,
  ids: readonly number[],
  op: FlagOperation,
  flag: EditableFlag,
): FlagChange {
  return inOnePart(tx, (change) => changeFlagsInParts(change, user, ids, op, flag));
}

/** Like `changeFlags`, in parts. */
export function* changeFlagsInParts(
  change: PartedChange,
  user: UserDocument,
  ids: readonly number[],
  op: FlagOperation,
  flag: EditableFlag,
): Parts<FlagChange> {
  if (ids.length > MAX_FLAGGED_MESSAGES) {
    throw badRequest(`Too many messages (maximum ${MAX_FLAGGED_MESSAGES}).`);
  }
  const access = new MessageAccess(change.org, user);
  if (!ids.every((id) => mayChange(access, id, op, flag))) throw badRequest('Invalid message(s)');
  const ignored =
    flag === 'read' && op === 'remove' ? leftChannels(access, ids) : new Map<number, number>();
  const addressed =
    ignored.size === 0 ? ids : ids.filter((id) => !ignored.has(recipientOf(change.org, id)));
  const changed: number[] = [];
  const all = unique(addressed);
  for (let i = 0; i < all.length; i += FLAGGED_IN_A_PART) {
    const ids = all.slice(i, i + FLAGGED_IN_A_PART);
    if (i > 0) yield* change.nextPart();
    // Some may have been deleted or moved since the first part.
    const now = new MessageAccess(change.org, user);
    const part = i > 0 ? ids.filter((id) => mayChange(now, id, op, flag)) : ids;
    changed.push(...changePart(change.tx, user, part, op, flag));
  }
  const ignoredChannels = [...new Set(ignored.values())].sort((a, b) => a - b);
  return { changed, addressed, ignoredChannels };
}

/** Whether the user sees the message, or takes back a flag that they gave it when they did. */
function mayChange(
  access: MessageAccess,
  id: number,
  op: FlagOperation,
  flag: EditableFlag,
): boolean {
  if (access.canSee(id)) return true;
  if (op === 'add' || flag === 'read') return false;
  return access.org.messageFlags.of(access.user.user_id, id)?.[flag] === true;
}

/**
 * @param ids ascending, all of them visible
 * @returns those whose flag changed, ascending
 */
function changePart(
  tx: Transaction,
  user: UserDocument,
  ids: readonly number[],
  op: FlagOperation,
  flag: EditableFlag,
): number[] {
  const { org } = tx;
  const changed: number[] = [];
  if (flag === 'read') changed.push(...changeRead(tx, user, ids, op));
  else
    changed.push(...ids.filter((id) => org.messageFlags.set(user.user_id, id, flag, op === 'add')));
  emitFlags(tx, user.user_id, op, flag, changed);
  return changed;
}

function changeRead(
  { org }: Transaction,
  user: UserDocument,
  ids: readonly number[],
  op: FlagOperation,
): number[] {
  const access = new MessageAccess(org, user);
  const changed: number[] = [];
  for (const [recipientId, part] of byConversation(org, ids)) {
    const received = part.filter((id) => access.hasReceived(id));
    const list = org.messages.index.conversation(recipientId);
    const mark = op === 'add' ? 'markRead' : 'markUnread';
    changed.push(...org.readState[mark](user.user_id, recipientId, received, list));
    // What was never received counts as read.
    if (op === 'add' || received.length === part.length) continue;
    const older = without(part, received);
    const recalled = org.readState.recalled(user.user_id, recipientId);
    if (recalled.length + older.length > MAX_RECALLED) {
      const text = `You can mark at most ${MAX_RECALLED} earlier messages of a channel as unread.`;
      throw badRequest(text);
    }
    org.readState.recall(user.user_id, recipientId, older, list);
    changed.push(...older);
  }
  return changed.sort((a, b) => a - b);
}

/**
 * Emits `update_message_flags` for messages whose flag changed; nothing without any.
 * @param changed ascending
 */
export function emitFlags(
  tx: Transaction,
  userId: number,
  op: FlagOperation,
  flag: EditableFlag,
  changed: readonly number[],
): void {
  if (changed.length === 0) return;
  const isUnread = op === 'remove' && flag === 'read';
  const message_details = isUnread
    ? Object.fromEntries(changed.map((id) => [String(id), detailsOf(tx.org, userId, id)]))
    : undefined;
  emitFlagsTo(tx, [userId], { op, flag, messages: changed, message_details });
}

function unique(ids: readonly number[]): number[] {
  return [...new Set(ids)].sort((a, b) => a - b);
}

function topicOf(org: Organization, id: number): TopicEntry {
  return org.messages.index.topicOf(id)!;
}

function recipientOf(org: Organization, id: number): number {
  return topicOf(org, id).recipientId;
}

function without(ids: readonly number[], gone: readonly number[]): number[] {
  const set = new Set(gone);
  return ids.filter((id) => !set.has(id));
}

/** Message ids by conversation, each group in the same order. */
export function byConversation(org: Organization, ids: readonly number[]): Map<number, number[]> {
  const parts = new Map<number, number[]>();
  for (const id of ids) {
    const recipientId = recipientOf(org, id);
    const part = parts.get(recipientId);
    if (part) part.push(id);
    else parts.set(recipientId, [id]);
  }
  return parts;
}

/** The channels of the messages that the user does not subscribe to: conversation id to channel id. */
function leftChannels(access: MessageAccess, ids: readonly number[]): Map<number, number> {
  const { org, user } = access;
  const left = new Map<number, number>();
  for (const id of ids) {
    const channel = org.channels.byRecipient(recipientOf(org, id));
    if (channel && !org.subscriptions.isSubscribed(user.user_id, channel.stream_id)) {
      left.set(channel.recipient_id, channel.stream_id);
    }
  }
  return left;
}

function detailsOf(org: Organization, userId: number, id: number): MessageDetails {
  const { index } = org.messages;
  const topic = topicOf(org, id);
  const mentions =
    index.notified.mentionsOf(userId).has(id) ||
    index.notified.channelWildcards.has(id) ||
    index.notified.topicWildcardsOf(userId).has(id);
  const mentioned = mentions ? { mentioned: true as const } : {};
  const channel = org.channels.byRecipient(topic.recipientId);
  if (!channel) {
    const userIds = org.conversations.get(topic.recipientId)?.user_ids ?? [];
    return { type: 'private', ...mentioned, user_ids: userIds.filter((one) => one !== userId) };
  }
  return {
    type: 'stream',
    ...mentioned,
    stream_id: channel.stream_id,
    topic: topic.name,
    unmuted_stream_msg: !isTopicMuted(org, userId, channel, topic.key),
  };
}
