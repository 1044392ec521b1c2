import type { Markdown } from '../../services/markdown/markdown.js';
import { sendNotice } from '../messages/sending/notification-bot.js';
import { SOFTWARE_VERSION } from '../state/software.js';
import type { Transaction } from '../state/transaction.js';
import { noticesToAll } from '../views/languages.js';

/**
 * Posts in the channel for it that the server runs other software than before (`zulip_update_announcements_stream_id`).
 */
export function postUpdateNotice(tx: Transaction, markdown: Markdown): void {
  const { channels, realm } = tx.org;
  const channel = channels.get(realm.current.zulip_update_announcements_stream_id);
  if (!channel || channel.is_archived) return;
  const say = noticesToAll(tx.org);
  const topic = channel.topics_policy === 'empty_topic_only' ? '' : say('topic.server-updates');
  sendNotice(tx, markdown, { channel, topic }, say('updated', { version: SOFTWARE_VERSION }));
}
