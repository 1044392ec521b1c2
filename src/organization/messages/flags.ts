import type { MessageDocument } from '../../../schemas/documents/message.js';
import type { MessageAccess } from './access.js';

/**
 * The viewer's flags of a message (endpoints.md section B.1), in the order clients have always seen
 * them. Mentions are flags of messages one received: history read later never mentions anybody.
 */
export function messageFlags(access: MessageAccess, message: MessageDocument): string[] {
  const { org, user } = access;
  const userId = user.user_id;
  const received = access.hasReceived(message.id);
  const flags: string[] = [];
  if (!received || org.readings.isRead(userId, message.recipient_id, message.id)) {
    flags.push('read');
  }
  const mark = org.marks.of(userId, message.id);
  if (mark?.starred) flags.push('starred');
  if (mark?.collapsed) flags.push('collapsed');
  if (!received) return [...flags, 'historical'];
  if (message.mentioned.includes(userId)) flags.push('mentioned');
  const everyone = message.channel_wildcard;
  const topic = message.topic_wildcard.includes(userId);
  if (everyone) flags.push('stream_wildcard_mentioned');
  if (topic) flags.push('topic_wildcard_mentioned');
  if (everyone || topic) flags.push('wildcard_mentioned');
  if (message.alerted.includes(userId)) flags.push('has_alert_word');
  return flags;
}
