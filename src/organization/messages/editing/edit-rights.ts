import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
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
 * Resolving a topic needs a permission of its own.
 * @throws ApiError when the user may not give messages of the channel another topic
 */
export function checkMayChangeTopic(
  org: Organization,
  user: UserDocument,
  channel: ChannelDocument,
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

/**
 * Checks that what is moved is recent enough; resolving a topic has no limit.
 * @param wholeTopic the topic's messages that the user can see, ascending, where all of them are to move: if some are
 * recent enough, the refusal says how many, and from which one on
 * @throws ApiError `MOVE_MESSAGES_TIME_LIMIT_EXCEEDED`, or that the time limit has passed
 */
export function checkMoveAge(
  org: Organization,
  user: UserDocument,
  message: Aged,
  { from, to }: { readonly from: TopicPlace; readonly to: TopicPlace },
  wholeTopic: (() => readonly number[]) | null,
): void {
  if (!isBoundByTime(user)) return;
  const realm = org.realm.current;
  const ofTopic = from.topic === to.topic ? null : realm.move_messages_within_stream_limit_seconds;
  const ofChannel =
    from.channel.stream_id === to.channel.stream_id
      ? null
      : realm.move_messages_between_streams_limit_seconds;
  const limit = Math.min(ofTopic ?? Infinity, ofChannel ?? Infinity);
  if (limit === Infinity) return;
  if (wholeTopic) checkTopicAge(org, wholeTopic(), limit);
  const age = ageOf(org, message);
  if (ofTopic !== null && age > ofTopic) {
    throw badRequest("The time limit for editing this message's topic has passed.");
  }
  if (ofChannel !== null && age > ofChannel) {
    throw badRequest("The time limit for editing this message's channel has passed");
  }
}

/** @throws ApiError `MOVE_MESSAGES_TIME_LIMIT_EXCEEDED` where only the later ones of the messages are recent enough */
function checkTopicAge(org: Organization, ids: readonly number[], limit: number): void {
  const { columns } = org.messages.index;
  const oldest = Math.floor(org.now() / 1000) - limit;
  const first = ids.findIndex((id) => columns.timestampAt(columns.find(id)) >= oldest);
  if (first <= 0) return;
  throw moveTimeLimitExceeded(ids[first]!, { total: ids.length, allowed: ids.length - first });
}

function allowsEither(
  org: Organization,
  user: UserDocument,
  ofRealm: RealmDocument['can_resolve_topics_group'],
  ofChannel: ChannelDocument['can_resolve_topics_group'],
): boolean {
  return allows(org, ofRealm, user) || allows(org, ofChannel, user);
}
