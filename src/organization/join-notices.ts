import type { ChannelDocument } from '../../schemas/documents/channel.js';
import type { UserDocument } from '../../schemas/documents/user.js';
import { mention } from './citations.js';
import type { Transaction } from './transaction.js';

/** Sends a message of the notification bot to a topic. */
export type SendNotice = (
  tx: Transaction,
  target: { readonly channel: ChannelDocument; readonly topic: string },
  content: string,
) => unknown;

const SIGNUPS_TOPIC = 'signups';

/** Tells in the channel for it that somebody joined (endpoints.md section H, 5). */
export function noticeJoined(tx: Transaction, send: SendNotice, user: UserDocument): void {
  const { org } = tx;
  const channel = org.channels.get(org.realm.current.signup_announcements_stream_id);
  if (!channel || channel.is_archived) return;
  const topic = channel.topics_policy === 'empty_topic_only' ? '' : SIGNUPS_TOPIC;
  const content = `${mention(user)} joined this organization.`;
  send(tx, { channel, topic }, content);
}
