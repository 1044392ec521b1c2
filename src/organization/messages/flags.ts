import { positionOf } from '../../journal/ascending.js';
import type { MessageDocument } from '../../../schemas/documents/message.js';
import type { Organization } from '../organization.js';
import type { MessageAccess } from './access.js';

/**
 * The viewer's flags of a message (endpoints.md section B.1), in the order clients have always seen
 * them. Mentions are flags of messages one received: history read later never mentions anybody.
 */
export function messageFlags(access: MessageAccess, message: MessageDocument): string[] {
  const { org, user } = access;
  return flagsOf(org, user.user_id, message, access.hasReceived(message.id));
}

/** As above, given whether the viewer received the message and may still read it. */
export function flagsOf(
  org: Organization,
  userId: number,
  message: MessageDocument,
  received: boolean,
): string[] {
  const flags: string[] = [];
  if (!received || org.readings.isRead(userId, message.recipient_id, message.id)) {
    flags.push('read');
  }
  const mark = org.marks.of(userId, message.id);
  if (mark?.starred) flags.push('starred');
  if (mark?.collapsed) flags.push('collapsed');
  if (!received) return [...flags, 'historical'];
  if (lists(message.mentioned, userId)) flags.push('mentioned');
  const everyone = message.channel_wildcard;
  const topic = lists(message.topic_wildcard, userId);
  if (everyone) flags.push('stream_wildcard_mentioned');
  if (topic) flags.push('topic_wildcard_mentioned');
  if (everyone || topic) flags.push('wildcard_mentioned');
  if (lists(message.alerted, userId)) flags.push('has_alert_word');
  return flags;
}

/** Whether an ascending list has the user. */
function lists(userIds: readonly number[], userId: number): boolean {
  return positionOf(userIds, userId) >= 0;
}
