import type { AuditField } from '../../../../schemas/realm/audit-log.js';
import type { MessageDocument } from '../../../../schemas/messages/message.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { isAdministrator } from '../../access/permissions.js';
import { recordAction } from '../../state/audit.js';
import type { Transaction } from '../../state/transaction.js';
import type { MovePlan } from '../../topics/moved-topic.js';

/**
 * Records that an administrator moved or renamed what others wrote: how many messages, and between which channels. Not
 * the topics: an owner need not be among those who could read them. Who resolves a topic is told in it.
 * @param messages as they are when they have moved
 */
export function recordMove(
  tx: Transaction,
  actor: UserDocument,
  { from, to, resolution }: MovePlan,
  messages: readonly Pick<MessageDocument, 'sender_id'>[],
): void {
  if (!isAdministrator(actor) || resolution !== null) return;
  let others = 0;
  for (const { sender_id } of messages) if (sender_id !== actor.user_id) others += 1;
  if (others === 0) return;
  const { stream_id: id, name } = from.channel;
  const fields: AuditField[] = [{ name: 'messages', old: null, new: String(others) }];
  if (from.topic !== to.topic) fields.push({ name: 'topic', old: null, new: null });
  if (id !== to.channel.stream_id) {
    fields.push({ name: 'stream_id', old: String(id), new: String(to.channel.stream_id) });
  }
  recordAction(tx, { kind: 'channel', id, name, action: 'changed', fields });
}
