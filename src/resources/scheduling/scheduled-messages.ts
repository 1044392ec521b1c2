import type { ReplyOf } from '../../../schemas/endpoint.js';
import {
  createScheduledMessage,
  deleteScheduledMessage,
  getScheduledMessages,
  type ScheduledMessageDocument,
  updateScheduledMessage,
} from '../../../schemas/scheduling/scheduled-messages.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest } from '../../errors/index.js';
import type { Organization } from '../../organization/state/organization.js';
import {
  currentOf,
  loadOne,
  loadOwned,
  ownedNow,
  type Loaded,
} from '../../organization/state/scheduled/loaded-items.js';
import {
  checkFuture,
  deleteScheduledMessage as remove,
  editScheduledMessage,
  scheduledMessageRecord,
  scheduleMessage,
} from '../../organization/scheduling/scheduled-messages.js';
import { addressType } from '../../organization/scheduling/scheduled-recipient.js';
import { isInteractive } from '../../organization/messages/sending/outgoing-message.js';
import type { Transaction } from '../../organization/state/transaction.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { handle, handlePrepared, type AnyHandler, type CallerRequest } from '../kernel/handler.js';

type Documents = Loaded<ScheduledMessageDocument>;

/**
 * Scheduled messages (specification-endpoints.md#create-scheduled-message and
 * endpoints-personal.md#scheduled-messages).
 */
export function scheduledMessageHandlers(markdown: Markdown): readonly AnyHandler[] {
  return [
    handle(createScheduledMessage, (tx, request) => create(tx, markdown, request)),
    handlePrepared(
      getScheduledMessages,
      (org, { user }) => loadOwned(org.scheduledMessages, user.user_id),
      (tx, { user }, loaded) => ({
        scheduled_messages: ownedNow(tx.org.scheduledMessages, user.user_id, loaded).map(
          (document) => scheduledMessageRecord(tx.org, document),
        ),
      }),
    ),
    handlePrepared(
      updateScheduledMessage,
      (org, { user, params }) => loadOne(org.scheduledMessages, user, params.scheduled_message_id),
      (tx, request, loaded) => update(tx, markdown, request, loaded),
    ),
    handlePrepared(
      deleteScheduledMessage,
      (org, { user, params }) => loadOne(org.scheduledMessages, user, params.scheduled_message_id),
      (tx, { user, params }, loaded) => {
        const id = params.scheduled_message_id;
        // Whoever deletes it was overtaken by its delivery, and has what they ask for: it is not scheduled any more.
        if (tx.org.scheduledMessages.wasDelivered(id, user.user_id)) return {};
        remove(tx, own(tx.org, user, id, loaded));
        return {};
      },
    ),
  ];
}

function create(
  tx: Transaction,
  markdown: Markdown,
  { user, params, clientName }: CallerRequest<typeof createScheduledMessage>,
): ReplyOf<typeof createScheduledMessage> {
  const document = scheduleMessage(tx, markdown, user, {
    type: addressType(params.type),
    to: params.to,
    topic: params.topic,
    content: params.content,
    deliverAt: params.scheduled_delivery_timestamp,
    clientName,
    readBySender: params.read_by_sender ?? null,
    interactive: isInteractive(clientName),
  });
  return { scheduled_message_id: document.context.id };
}

function update(
  tx: Transaction,
  markdown: Markdown,
  { user, params, clientName }: CallerRequest<typeof updateScheduledMessage>,
  loaded: Documents,
): ReplyOf<typeof updateScheduledMessage> {
  const { scheduled_message_id: id, scheduled_delivery_timestamp: deliverAt, ...said } = params;
  const { to, topic, content } = said;
  if ([said.type, to, topic, content, deliverAt].every((value) => value === undefined)) {
    throw badRequest('Nothing to change');
  }
  const type = said.type === undefined ? undefined : addressType(said.type);
  if (type !== undefined && to === undefined) {
    throw badRequest('Recipient required when updating type of scheduled message.');
  }
  if (type === 'stream' && topic === undefined) {
    throw badRequest('Topic required when updating scheduled message type to channel.');
  }
  if (deliverAt !== undefined) checkFuture(tx, deliverAt);
  const document = own(tx.org, user, id, loaded);
  editScheduledMessage(tx, markdown, user, document, {
    type,
    to,
    topic,
    content,
    deliverAt,
    clientName,
  });
  return {};
}

/** The user's own item with this id, as long as they may change it. @throws ApiError when there is none */
function own(
  org: Organization,
  user: UserDocument,
  id: number,
  loaded: Documents,
): ScheduledMessageDocument {
  const { scheduledMessages } = org;
  if (scheduledMessages.wasDelivered(id, user.user_id)) throw alreadySent();
  if (scheduledMessages.index.get(id)?.owner !== user.user_id) {
    throw badRequest('Scheduled message does not exist', 404);
  }
  const document = currentOf(scheduledMessages, id, loaded);
  if (!scheduledMessages.actors.takes(document, { type: 'cancel' })) throw alreadySent();
  return document;
}

function alreadySent(): Error {
  return badRequest('Scheduled message was already sent');
}
