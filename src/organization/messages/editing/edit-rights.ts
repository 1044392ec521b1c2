import type { ChannelDocument } from '../../../../schemas/channels/channel-document.js';
import type { RealmDocument } from '../../../../schemas/realm/realm-document.js';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { badRequest, moveTimeLimitExceeded } from '../../../errors/index.js';
import type { Organization } from '../../state/organization.js';
import { allows } from '../../access/permissions.js';
import type { Resolution } from '../../topics/moved-topic.js';
import type { TopicPlace } from '../../topics/moved-topic.js';

/** Grace period of content edits, seconds: the time to write and transmit the edit. */
const EDIT_BUFFER_SECONDS = 20;

/** The fields of a message that the checks use. */
interface Aged {
  readonly sender_id: number;
  /** UNIX seconds. */
  readonly timestamp: number;
}

function ageOf(org: Organization, { timestamp }: Aged): number {
  return Math.floor(org.now() / 1000) - timestamp;
}

/** Whether time limits of moves apply; they do not apply to moderators and above. */
function isBoundByTime(user: UserDocument): boolean {
  return user.role > ROLE.moderator;
}

/** @throws ApiError when the user may not change the text of the message */
export function checkMayEditContent(org: Organization, user: UserDocument, message: Aged): void {
  const realm = org.realm.current;
  if (!realm.allow_message_editing) {
    throw badRequest('Your organization has turned off message editing');
  }
  if (message.sender_id !== user.user_id) {
    throw badRequest("You don't have permission to edit this message");
  }
  const limit = realm.message_content_edit_limit_seconds;
  if (limit !== null && ageOf(org, message) > limit + EDIT_BUFFER_SECONDS) {
    throw badRequest('The time limit for editing this message has passed');
  }
}

/**
 * Resolving a topic needs a permission of its own, without a time limit.
 * @throws ApiError when the user may not give the message another topic
 */
export function checkMayChangeTopic(
  org: Organization,
  user: UserDocument,
  channel: ChannelDocument,
  message: Aged,
  resolution: Resolution,
): void {
  const realm = org.realm.current;
  if (resolution !== null) {
    if (
      !allowsEither(org, user, realm.can_resolve_topics_group, channel.can_resolve_topics_group)
    ) {
      throw badRequest("You don't have permission to resolve topics.");
    }
    return;
  }
  const { can_move_messages_between_topics_group: ofRealm } = realm;
  if (!allowsEither(org, user, ofRealm, channel.can_move_messages_within_channel_group)) {
    throw badRequest("You don't have permission to edit this message");
  }
  const limit = realm.move_messages_within_stream_limit_seconds;
  if (limit !== null && isBoundByTime(user) && ageOf(org, message) > limit) {
    throw badRequest("The time limit for editing this message's topic has passed.");
  }
}

/** @throws ApiError when the user may not move messages out of the channel */
export function checkMayLeaveChannel(
  org: Organization,
  user: UserDocument,
  channel: ChannelDocument,
): void {
  const { can_move_messages_between_channels_group: ofRealm } = org.realm.current;
  if (!allowsEither(org, user, ofRealm, channel.can_move_messages_out_of_channel_group)) {
    throw badRequest("You don't have permission to move this message");
  }
}

/** @throws ApiError when the message is too old to be moved to another channel */
export function checkChannelAge(org: Organization, user: UserDocument, message: Aged): void {
  const limit = org.realm.current.move_messages_between_streams_limit_seconds;
  if (limit !== null && isBoundByTime(user) && ageOf(org, message) > limit) {
    throw badRequest("The time limit for editing this message's channel has passed");
  }
}

/**
 * Checks that the whole topic is recent enough to be moved.
 * @param messagesOf the topic's messages that the user can see, ascending
 * @throws ApiError `MOVE_MESSAGES_TIME_LIMIT_EXCEEDED`
 */
export function checkTopicAge(
  org: Organization,
  user: UserDocument,
  from: TopicPlace,
  to: TopicPlace,
  messagesOf: () => readonly number[],
): void {
  const limit = moveLimit(org.realm.current, from, to);
  if (limit === null || !isBoundByTime(user)) return;
  const ids = messagesOf();
  const { columns } = org.messages.index;
  const oldest = Math.floor(org.now() / 1000) - limit;
  const first = ids.findIndex((id) => columns.timestampAt(columns.find(id)) >= oldest);
  // The age of the edited message was checked before.
  if (first <= 0) return;
  throw moveTimeLimitExceeded(ids[first]!, { total: ids.length, allowed: ids.length - first });
}

/** The shortest limit that applies, seconds; null for none. */
function moveLimit(realm: RealmDocument, from: TopicPlace, to: TopicPlace): number | null {
  const limits = [
    from.topic === to.topic ? null : realm.move_messages_within_stream_limit_seconds,
    from.channel.stream_id === to.channel.stream_id
      ? null
      : realm.move_messages_between_streams_limit_seconds,
  ].filter((limit) => limit !== null);
  return limits.length === 0 ? null : Math.min(...limits);
}

function allowsEither(
  org: Organization,
  user: UserDocument,
  ofRealm: RealmDocument['can_resolve_topics_group'],
  ofChannel: ChannelDocument['can_resolve_topics_group'],
): boolean {
  return allows(org, ofRealm, user) || allows(org, ofChannel, user);
}
