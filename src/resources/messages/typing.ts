import { entriesOf, principalsOf, type LenientList } from '../../../schemas/lenient-list.js';
import { EMPTY_TOPIC_DISPLAY_NAME, MAX_TYPING_SUBSCRIBERS } from '../../../schemas/limits.js';
import { setTypingStatus } from '../../../schemas/messages/typing.js';
import type { ParamsOf } from '../../../schemas/endpoint.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest, missingArgument } from '../../errors/index.js';
import type { Organization } from '../../organization/state/organization.js';
import { allows, canReadChannel, canSeeChannel } from '../../organization/access/permissions.js';
import { canSeeUser, guestsWithoutAccess } from '../../organization/access/user-access.js';
import { checkTopicCharacters } from '../../services/text/stored-text.js';
import type { Transaction } from '../../organization/state/transaction.js';
import { apiEmail } from '../../organization/views/user-view.js';
import { handle, type AnyHandler } from '../kernel/handler.js';
import { visibleByEmail } from '../users/users.js';

type Params = ParamsOf<typeof setTypingStatus>;

/**
 * How long a notice may wait for others to share a commit with, milliseconds: too short for people to notice. A
 * crash within this time loses it.
 */
export const TYPING_DEFER_MS = 50;

/** `POST /typing` (endpoints-queues.md#post-typing): emits an event and stores nothing. */
export const typingHandler: AnyHandler = handle(setTypingStatus, (tx, { user, params }) => {
  tx.defer(TYPING_DEFER_MS);
  if (params.type === 'direct' || params.type === 'private') typeDirectly(tx, user, params);
  else typeInChannel(tx, user, params);
  return {};
});

/** @throws ApiError when the user does not share typing notifications */
export function checkSendsTyping(
  org: Organization,
  user: UserDocument,
  kind: 'direct' | 'channel',
): void {
  const setting =
    kind === 'direct' ? 'send_private_typing_notifications' : 'send_stream_typing_notifications';
  if (org.settings.value(user.user_id, setting)) return;
  throw badRequest(`User has disabled typing notifications for ${kind} messages`);
}

function typeDirectly(tx: Transaction, user: UserDocument, { op, to }: Params): void {
  const { org } = tx;
  checkSendsTyping(org, user, 'direct');
  if (to === undefined) throw missingArgument('to');
  const people = new Map([[user.user_id, user]]);
  for (const other of recipients(org, user, to)) people.set(other.user_id, other);
  const everybody = [...people.values()].sort((a, b) => a.user_id - b.user_id);
  tx.emit('typing', listeners(org, everybody, everybody), {
    op,
    message_type: 'direct',
    sender: reference(org, user),
    recipients: everybody.map((one) => reference(org, one)),
  });
}

/** @throws ApiError `Empty 'to' list`, `Invalid user ID {id}`, `No such user`, `to[0] is not an integer` */
function recipients(org: Organization, caller: UserDocument, to: LenientList): UserDocument[] {
  if (entriesOf(to).length === 0) throw badRequest("Empty 'to' list");
  return principalsOf(to).map((principal, i) => {
    if (typeof principal === 'string') {
      // Old clients name people by their addresses; what is none was meant to be an id.
      if (!principal.includes('@')) throw badRequest(`to[${i}] is not an integer`);
      return visibleByEmail(org, caller, principal);
    }
    const user = org.users.get(principal);
    if (!user || !canSeeUser(org, caller, user)) throw badRequest(`Invalid user ID ${principal}`);
    return user;
  });
}

function typeInChannel(tx: Transaction, user: UserDocument, params: Params): void {
  const { org } = tx;
  const { op, stream_id, topic } = params;
  checkSendsTyping(org, user, 'channel');
  if (stream_id === undefined) throw badRequest('Missing stream_id');
  if (topic === undefined) throw badRequest('Missing topic');
  assertMayPost(org, user, stream_id);
  const subscribers = org.subscriptions.subscribers(stream_id);
  if (subscribers.length > MAX_TYPING_SUBSCRIBERS) return;
  const people = subscribers.map((id) => org.users.get(id)!);
  tx.emit('typing', listeners(org, people, [user]), {
    op,
    message_type: 'stream',
    sender: reference(org, user),
    stream_id,
    topic: topicName(topic),
  });
}

/** @throws ApiError as for a channel that is not there, or as sending there would be refused */
export function assertMayPost(org: Organization, user: UserDocument, streamId: number): void {
  const channel = org.channels.get(streamId);
  if (!channel || !canSeeChannel(org, user, channel)) throw badRequest('Invalid channel ID');
  if (channel.is_archived || !canReadChannel(org, user, channel)) {
    throw badRequest(`Not authorized to send to channel '${channel.name}'`);
  }
  if (!allows(org, channel.can_send_message_group, user)) {
    throw badRequest('You do not have permission to post in this channel.');
  }
}

/** Two spellings besides the empty text mean the empty topic (conventions.md#access). */
function topicName(topic: string): string {
  const name = topic.trim();
  checkTopicCharacters(name);
  return name === '(no topic)' || name === EMPTY_TOPIC_DISPLAY_NAME ? '' : name;
}

function reference(org: Organization, user: UserDocument) {
  return { user_id: user.user_id, email: apiEmail(org, user) };
}

/**
 * Users who receive typing notifications.
 * @param named users whom the notification names: receivers who may not see one of them do not get it
 */
export function listeners(
  org: Organization,
  people: readonly UserDocument[],
  named: readonly UserDocument[],
) {
  const blind = new Set(named.flatMap((user) => guestsWithoutAccess(org, user)));
  const users = people
    .filter((user) => user.is_active && !user.is_system_bot)
    .map((user) => user.user_id)
    .filter((id) => !blind.has(id) && org.settings.value(id, 'receives_typing_notifications'));
  return { to: 'users', users: users.sort((a, b) => a - b) } as const;
}
