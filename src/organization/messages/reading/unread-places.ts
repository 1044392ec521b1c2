import { allAtOnce } from '../../state/snapshot-moment.js';
import { isWithinOne, subtract, type Intervals } from '../../state/message-index/intervals.js';
import { newestWithin } from '../../state/message-index/merged-cursor.js';
import type { KnownPlaces } from '../../state/message-index/unread-places.js';
import type { MessageAccess } from '../message-access.js';

/** New messages, some 20 ns each, that are looked through for one look at each conversation of a reader, some 400 ns. */
const NEWER_PER_CONVERSATION = 16;

/**
 * The conversations in which a user may have unread messages, in steps: those in which they have some, perhaps without
 * access to them now. After the first time it costs what changed since, however many conversations the user has.
 */
export function* unreadPlaces(access: MessageAccess): Generator<void, ReadonlySet<number>> {
  if (!access.hasManyConversations) return new Set(access.possibleConversations());
  const { org, user } = access;
  const kept = org.readState.unreadPlaces;
  const versions = versionsOf(access);
  const known = kept.of(user.user_id, versions);
  if (known && hasCaughtUp(access, known)) {
    for (const recipientId of known.changed) settle(access, known, recipientId);
    known.changed.clear();
    kept.keep(user.user_id, known);
    return known.unread;
  }
  const read = org.readState.ofEach.of(user.user_id);
  const until = org.messages.index.columns.lastId;
  const made: KnownPlaces = { versions, unread: new Set(), changed: new Set(), until };
  for (const recipientId of access.possibleConversations()) {
    settle(access, made, recipientId);
    yield;
  }
  // Others ran in between, perhaps.
  const isCurrent =
    read === org.readState.ofEach.of(user.user_id) &&
    versionsOf(access).every((one, i) => one === versions[i]);
  if (isCurrent) kept.keep(user.user_id, made);
  return made.unread;
}

/** As {@link unreadPlaces}, at once. */
export function unreadPlacesNow(access: MessageAccess): ReadonlySet<number> {
  return allAtOnce(unreadPlaces(access));
}

function versionsOf({ org, user }: MessageAccess): readonly number[] {
  return [org.subscriptions.ofEach.of(user.user_id), org.channels.version, org.messages.placed];
}

/** Adds the conversations of newer messages to those to be looked at; false where there are too many messages. */
function hasCaughtUp(access: MessageAccess, known: KnownPlaces): boolean {
  const { index } = access.org.messages;
  const { columns } = index;
  const { lastId } = columns;
  if (known.until >= lastId) return true;
  const from = columns.ids.lowerBound(known.until + 1);
  if (columns.length - from > NEWER_PER_CONVERSATION * access.conversationCount) return false;
  for (let row = from; row < columns.length; row++) {
    const { recipientId } = index.topicAt(row);
    if (!known.unread.has(recipientId) && access.isPossible(recipientId)) {
      known.changed.add(recipientId);
    }
  }
  known.until = lastId;
  return true;
}

function settle(access: MessageAccess, { unread }: KnownPlaces, recipientId: number): void {
  if (hasUnread(access, recipientId)) unread.add(recipientId);
  else unread.delete(recipientId);
}

/** Whether a conversation has a message that the user received and has not read; without a look at access. */
function hasUnread(access: MessageAccess, recipientId: number): boolean {
  const { org, user } = access;
  const list = org.messages.index.conversation(recipientId);
  const read: Intervals = org.readState.ranges(user.user_id, recipientId);
  if (list.length === 0 || isWithinOne(read, [list.first!, list.last!])) return false;
  if (org.readState.recalled(user.user_id, recipientId).length > 0) return true;
  return newestWithin(list, subtract(access.everReceived(recipientId), read)) >= 0;
}
