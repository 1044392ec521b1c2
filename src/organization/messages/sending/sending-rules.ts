import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import type { GroupSettingValue } from '../../../../schemas/groups/user-group.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { EMPTY_TOPIC_DISPLAY_NAME } from '../../../../schemas/limits.js';
import { badRequest, wildcardNotAllowed } from '../../../errors/index.js';
import type { TextFacts } from '../../../services/markdown/facts.js';
import type { Organization } from '../../state/organization.js';
import { allows, canReadChannel } from '../../access/permissions.js';
import { checkMessageFits } from '../../access/quotas.js';
import { apiEmail } from '../../views/user-view.js';
import { topicParticipants, type Recipient } from './outgoing-message.js';

/** Wildcard mentions of up to this many users need no permission. */
const FREE_WILDCARD_LIMIT = 15;

/**
 * Checks that the sender may send this message (endpoints-messages.md#send-message).
 * @throws ApiError with the messages of that section
 */
export function checkMaySend(
  org: Organization,
  sender: UserDocument,
  recipient: Recipient,
  mentions: TextFacts['mentions'],
): void {
  checkMessageFits(org);
  if (recipient.kind === 'direct') checkDirect(org, sender, recipient.users);
  else {
    checkChannel(org, sender, recipient.channel);
    checkTopic(org, sender, recipient.channel, recipient.topic);
  }
  checkMentions(org, sender, recipient, mentions);
}

/** @throws ApiError when the sender may not mention so many users, or one of the groups */
export function checkMentions(
  org: Organization,
  sender: UserDocument,
  recipient: Recipient,
  mentions: TextFacts['mentions'],
): void {
  if (recipient.kind === 'channel') {
    checkWildcards(org, sender, recipient.channel, recipient.topic, mentions);
  }
  checkGroupMentions(org, sender, mentions.groups);
}

/** The users whose permissions a sender has: a bot also has those of its owner. */
function rights(org: Organization, sender: UserDocument): UserDocument[] {
  const owner = sender.bot_owner_id === null ? undefined : org.users.get(sender.bot_owner_id);
  return sender.is_bot && owner?.is_active ? [sender, owner] : [sender];
}

function may(org: Organization, sender: UserDocument, value: GroupSettingValue): boolean {
  if (!sender.is_bot) return allows(org, value, sender);
  return rights(org, sender).some((user) => allows(org, value, user));
}

/** @throws ApiError when the sender may not post in the channel at all */
export function checkChannel(
  org: Organization,
  sender: UserDocument,
  channel: ChannelDocument,
): void {
  const readable = rights(org, sender).some((user) => canReadChannel(org, user, channel));
  if (!readable || channel.is_archived) {
    throw badRequest(`Not authorized to send to channel '${channel.name}'`);
  }
  if (!may(org, sender, channel.can_send_message_group)) {
    throw badRequest('You do not have permission to post in this channel.');
  }
}

/** @throws ApiError when a policy forbids the topic, or it is new and the sender may not create topics */
export function checkTopic(
  org: Organization,
  sender: UserDocument,
  channel: ChannelDocument,
  topic: string,
): void {
  const policy = channel.topics_policy;
  if (policy === 'empty_topic_only') {
    if (topic === '') return;
    throw badRequest(`Only the ${EMPTY_TOPIC_DISPLAY_NAME} topic is allowed in this channel.`);
  }
  if (topic === '') checkEmptyTopic(org, policy);
  if (org.messages.index.topic(channel.recipient_id, topic)) return;
  if (!may(org, sender, channel.can_create_topic_group)) {
    throw badRequest('You do not have permission to create new topics in this channel.');
  }
}

function checkEmptyTopic(org: Organization, policy: ChannelDocument['topics_policy']): void {
  if (policy === 'disable_empty_topic') {
    throw badRequest(
      `Sending messages to ${EMPTY_TOPIC_DISPLAY_NAME} is not allowed in this channel.`,
    );
  }
  if (policy === 'inherit' && org.realm.current.topics_policy === 'disable_empty_topic') {
    throw badRequest('Topics are required in this organization.');
  }
}

function checkWildcards(
  org: Organization,
  sender: UserDocument,
  channel: ChannelDocument,
  topic: string,
  mentions: TextFacts['mentions'],
): void {
  if (!mentions.channel_wildcard && !mentions.topic_wildcard) return;
  if (allows(org, org.realm.current.can_mention_many_users_group, sender)) return;
  const subscribers = org.subscriptions.subscriberCount(channel.stream_id);
  if (mentions.channel_wildcard && subscribers > FREE_WILDCARD_LIMIT) {
    throw wildcardNotAllowed('channel');
  }
  if (!mentions.topic_wildcard) return;
  if (topicParticipants(org, channel, topic).length > FREE_WILDCARD_LIMIT) {
    throw wildcardNotAllowed('topic');
  }
}

function checkGroupMentions(
  org: Organization,
  sender: UserDocument,
  groupIds: readonly number[],
): void {
  for (const id of groupIds) {
    const group = org.groups.get(id);
    if (!group || may(org, sender, group.can_mention_group)) continue;
    throw badRequest(`You are not allowed to mention user group '${group.name}'.`);
  }
}

function checkDirect(
  org: Organization,
  sender: UserDocument,
  users: readonly UserDocument[],
): void {
  for (const user of users) {
    if (!user.is_active) {
      throw badRequest(`'${apiEmail(org, user)}' is no longer using Zulip.`);
    }
  }
  const people = users.filter((user) => user.user_id !== sender.user_id && !user.is_bot);
  // Messages to oneself and to bots need no permission.
  if (sender.is_bot || people.length === 0) return;
  const { direct_message_permission_group, direct_message_initiator_group } = org.realm.current;
  if (direct_message_permission_group === org.groups.system('role:nobody').id) {
    throw badRequest('Direct messages are disabled in this organization.');
  }
  if (!users.some((user) => allows(org, direct_message_permission_group, user))) {
    throw badRequest('This conversation does not include any users who can authorize it.');
  }
  if (isUnderWay(org, users)) return;
  if (!allows(org, direct_message_initiator_group, sender)) {
    throw badRequest('You do not have permission to initiate direct message conversations.');
  }
}

/** Whether these users have written to each other before. */
function isUnderWay(org: Organization, users: readonly UserDocument[]): boolean {
  const conversation = org.conversations.between(users.map((user) => user.user_id));
  if (!conversation) return false;
  return org.messages.index.conversation(conversation.recipient_id).length > 0;
}
