import type { ReplyOf } from '../../../schemas/endpoint.js';
import type { MessageDocument } from '../../../schemas/messages/message.js';
import {
  createReminder,
  deleteReminder,
  getReminders,
} from '../../../schemas/scheduling/reminders.js';
import { badRequest } from '../../errors/index.js';
import { MessageAccess } from '../../organization/messages/message-access.js';
import {
  currentOf,
  loadOne,
  loadOwned,
  ownedNow,
} from '../../organization/state/scheduled/loaded-items.js';
import {
  createReminder as remind,
  deleteReminder as remove,
  reminderRecord,
} from '../../organization/scheduling/reminders.js';
import type { Transaction } from '../../organization/state/transaction.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { handlePrepared, type AnyHandler, type CallerRequest } from '../kernel/handler.js';

/** Reminders of messages (endpoints-personal.md#personal-things). */
export function reminderHandlers(markdown: Markdown): readonly AnyHandler[] {
  return [
    handlePrepared(
      createReminder,
      async (org, { user, params }) => {
        const readable = new MessageAccess(org, user).canSee(params.message_id);
        return readable ? org.messages.fetchAll([params.message_id]) : new Map<number, never>();
      },
      (tx, request, loaded) => create(tx, markdown, request, loaded),
    ),
    handlePrepared(
      getReminders,
      (org, { user }) => loadOwned(org.reminders, user.user_id),
      (tx, { user }, loaded) => ({
        reminders: ownedNow(tx.org.reminders, user.user_id, loaded).map((one) =>
          reminderRecord(tx.org, one),
        ),
      }),
    ),
    handlePrepared(
      deleteReminder,
      (org, { user, params }) => loadOne(org.reminders, user, params.reminder_id),
      (tx, { user, params }, loaded) => {
        const { reminders } = tx.org;
        if (reminders.index.get(params.reminder_id)?.owner !== user.user_id) {
          throw badRequest('Reminder does not exist', 404);
        }
        const document = currentOf(reminders, params.reminder_id, loaded);
        if (!reminders.actors.takes(document, { type: 'cancel' })) {
          throw badRequest('Reminder does not exist', 404);
        }
        remove(tx, document);
        return {};
      },
    ),
  ];
}

function create(
  tx: Transaction,
  markdown: Markdown,
  { user, params }: CallerRequest<typeof createReminder>,
  loaded: ReadonlyMap<number, MessageDocument>,
): ReplyOf<typeof createReminder> {
  const { message_id: messageId, scheduled_delivery_timestamp: deliverAt, note = '' } = params;
  const { messages } = tx.org;
  const message = messages.has(messageId)
    ? (messages.resident(messageId) ?? loaded.get(messageId))
    : undefined;
  const document = remind(tx, markdown, user, { messageId, message, deliverAt, note });
  return { reminder_id: document.context.id };
}
