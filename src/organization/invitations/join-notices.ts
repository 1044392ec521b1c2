import type { ChannelDocument } from '../../../schemas/channels/channel-document.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { mention } from '../messages/message-markup.js';
import type { Transaction } from '../state/transaction.js';

/** Sends a message of the notification bot to a topic. */
export type SendNotice = (
  tx: Transaction,
  target: { readonly channel: ChannelDocument; readonly topic: string },
  content: string,
) => unknown;

const SIGNUPS_TOPIC = 'signups';

/** Tells in the channel for it that somebody joined (endpoints-invitations.md#sign-up-messages). */
export function postJoinNotice(tx: Transaction, send: SendNotice, user: UserDocument): void {
  const { org } = tx;
  const channel = org.channels.get(org.realm.current.signup_announcements_stream_id);
  if (!channel || channel.is_archived) return;
  const topic = channel.topics_policy === 'empty_topic_only' ? '' : SIGNUPS_TOPIC;
  const content = `${mention(user)} joined this organization.`;
  send(tx, { channel, topic }, content);
}
