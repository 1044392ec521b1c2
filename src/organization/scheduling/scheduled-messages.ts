import type { EventFields } from '../../../schemas/events.js';
import type { Static } from 'typebox';
import type {
  ScheduledMessage,
  ScheduledMessageDocument,
} from '../../../schemas/scheduling/scheduled-messages.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { MAX_SCHEDULED_LENGTH, MAX_SCHEDULED_PER_USER } from '../../../schemas/limits.js';
import { badRequest } from '../../errors/index.js';
import { refusalsIn } from '../../languages/texts.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { sendMessage } from '../messages/sending/send-message.js';
import { compose, renderFor, type Recipient } from '../messages/sending/outgoing-message.js';
import { storedContent, newTopicName } from '../../services/text/stored-text.js';
import { sendNotice } from '../messages/sending/notification-bot.js';
import { checkMaySend } from '../messages/sending/sending-rules.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';
import { languageOfUser, noticesTo } from '../views/languages.js';
import { withThumbnailsNow } from '../uploads/media.js';
import {
  isNoteToSelf,
  readAddress,
  recipientAt,
  type ScheduledAddress,
} from './scheduled-recipient.js';

type Context = ScheduledMessageDocument['context'];

/** A message to be scheduled, as in requests. */
interface NewScheduledMessage {
  readonly type: Context['type'];
  readonly to: unknown;
  readonly topic?: string;
  readonly content: string;
  /** UNIX seconds. */
  readonly deliverAt: number;
  readonly clientName: string;
  /** Null: read if the client is interactive and others receive the message. */
  readonly readBySender: boolean | null;
  /** Whether a person uses the client, unlike a bot or script. */
  readonly interactive: boolean;
}

/** New values of a scheduled message; undefined changes nothing. */
interface ScheduledMessageEdit {
  readonly type?: Context['type'];
  readonly to?: unknown;
  readonly topic?: string;
  readonly content?: string;
  /** UNIX seconds. */
  readonly deliverAt?: number;
  readonly clientName: string;
}

/**
 * A scheduled message as clients see it (endpoints-personal.md#scheduled-messages): with the thumbnails that were made
 * since it was written.
 */
export function scheduledMessageRecord(
  org: Organization,
  { value, context }: ScheduledMessageDocument,
): Static<typeof ScheduledMessage> {
  return {
    scheduled_message_id: context.id,
    type: context.type,
    to: context.to,
    ...(context.type === 'stream' ? { topic: context.topic } : {}),
    content: context.content,
    rendered_content: withThumbnailsNow(org, context.rendered_content),
    scheduled_delivery_timestamp: context.deliver_at,
    failed: value === 'failed',
    split_group_id: null,
  };
}

/** @throws ApiError for a time in the past */
export function checkFuture(tx: Transaction, deliverAt: number): void {
  if (deliverAt * 1000 <= tx.now) throw timeHasPassed();
}

function timeHasPassed(): Error {
  return badRequest('Scheduled delivery time must be in the future.');
}

/**
 * Schedules a message (specification-endpoints.md#create-scheduled-message), with all checks of sending it now.
 * @throws ApiError as for sending, and for a time in the past
 */
export function scheduleMessage(
  tx: Transaction,
  markdown: Markdown,
  sender: UserDocument,
  wanted: NewScheduledMessage,
): ScheduledMessageDocument {
  const { org } = tx;
  checkFuture(tx, wanted.deliverAt);
  if (org.scheduledMessages.index.countOf(sender.user_id) >= MAX_SCHEDULED_PER_USER) {
    throw badRequest(`Too many scheduled messages (maximum ${MAX_SCHEDULED_PER_USER}).`);
  }
  const { address, recipient } = readAddress(org, sender, wanted.type, wanted.to, wanted.topic);
  const content = storedContent(wanted.content);
  const rendered = checked(tx, markdown, sender, recipient, content);
  const context = within(org, {
    id: org.counters.nextMessageId(),
    user_id: sender.user_id,
    ...address,
    content,
    rendered_content: rendered,
    deliver_at: wanted.deliverAt,
    failure: null,
    client: wanted.clientName,
    read_by_sender: wanted.readBySender ?? (wanted.interactive && !isNoteToSelf(recipient)),
  });
  const document = org.scheduledMessages.actors.begin(tx, context);
  emitScheduledMessage(tx, document, {
    op: 'add',
    scheduled_messages: [scheduledMessageRecord(org, document)],
  });
  return document;
}

/**
 * Edits a scheduled message (endpoints-personal.md#scheduled-messages).
 * @throws ApiError as that section says, and as for sending
 */
export function editScheduledMessage(
  tx: Transaction,
  markdown: Markdown,
  sender: UserDocument,
  previous: ScheduledMessageDocument,
  edit: ScheduledMessageEdit,
): void {
  const { actors } = tx.org.scheduledMessages;
  if (edit.deliverAt !== undefined) checkFuture(tx, edit.deliverAt);
  const time = edit.deliverAt === undefined ? {} : { deliver_at: edit.deliverAt };
  const event = (changes: Partial<Context>) => ({ type: 'edit' as const, changes, now: tx.now });
  // What failed needs a new time.
  if (!actors.takes(previous, event(time))) throw timeHasPassed();
  const changes = {
    ...changedText(tx, markdown, sender, previous.context, edit),
    ...time,
    client: edit.clientName,
  };
  within(tx.org, { ...previous.context, ...changes });
  const document = actors.send(tx, previous, event(changes));
  emitScheduledMessage(tx, document, {
    op: 'update',
    scheduled_message: scheduledMessageRecord(tx.org, document),
  });
}

/** The context, where the text of all that its sender scheduled is within its bound. @throws ApiError */
function within({ scheduledMessages }: Organization, context: Context): Context {
  if (!scheduledMessages.growsBeyond(MAX_SCHEDULED_LENGTH, context)) return context;
  throw badRequest(
    `Too much text in scheduled messages (maximum ${MAX_SCHEDULED_LENGTH} characters).`,
  );
}

/** Content and recipient after an edit; a change of either is checked like sending. */
function changedText(
  tx: Transaction,
  markdown: Markdown,
  sender: UserDocument,
  previous: Context,
  edit: ScheduledMessageEdit,
): ScheduledAddress & Pick<Context, 'content' | 'rendered_content'> {
  const type = edit.type ?? previous.type;
  const { content: was, rendered_content } = previous;
  // The topic of a direct message is ignored.
  const topic = previous.type === 'stream' || edit.to !== undefined ? edit.topic : undefined;
  if (edit.to === undefined && topic === undefined && edit.content === undefined) {
    const { to, topic: name } = previous;
    return { type, to, topic: name, content: was, rendered_content };
  }
  const { address, recipient } = changedAddress(tx, sender, previous, { ...edit, type, topic });
  const content = edit.content === undefined ? was : storedContent(edit.content);
  const rendered = checked(tx, markdown, sender, recipient, content);
  const kept = edit.content === undefined;
  return { ...address, content, rendered_content: kept ? rendered_content : rendered };
}

function changedAddress(
  tx: Transaction,
  sender: UserDocument,
  previous: Context,
  edit: ScheduledMessageEdit & Pick<ScheduledAddress, 'type'>,
): { address: ScheduledAddress; recipient: Recipient } {
  const former = previous.type === 'stream' ? previous.topic : undefined;
  if (edit.to !== undefined) {
    return readAddress(tx.org, sender, edit.type, edit.to, edit.topic ?? former);
  }
  const { type, to } = previous;
  const topic = edit.topic === undefined ? previous.topic : newTopicName(edit.topic);
  const address: ScheduledAddress = { type, to, topic };
  return { address, recipient: recipientAt(tx.org, sender, address) };
}

/** Checks that a message may be sent, and renders it. @throws ApiError */
function checked(
  tx: Transaction,
  markdown: Markdown,
  sender: UserDocument,
  recipient: Recipient,
  content: string,
): string {
  const rendered = renderFor(tx.org, markdown, sender, content);
  checkMaySend(tx.org, sender, recipient, rendered.mentions);
  return rendered.html;
}

/** Deletes a scheduled message without sending it. */
export function deleteScheduledMessage(tx: Transaction, document: ScheduledMessageDocument): void {
  tx.org.scheduledMessages.actors.send(tx, document, { type: 'cancel' });
  emitRemoved(tx, document);
}

/**
 * Sends a scheduled message whose delivery has begun as if it were written now, and ends it (events.md#order).
 * @param lateLimitMs a message later than this is not sent
 * @throws ApiError when it may not be sent; its text becomes the failure shown to the author
 */
export function deliverScheduledMessage(
  tx: Transaction,
  markdown: Markdown,
  document: ScheduledMessageDocument,
  lateLimitMs: number,
): void {
  const { org } = tx;
  const { context } = document;
  if (org.realm.isDeactivated) throw badRequest('This organization has been deactivated');
  const sender = org.users.get(context.user_id);
  if (!sender?.is_active) throw badRequest('Account is deactivated');
  if (tx.now - context.deliver_at * 1000 > lateLimitMs) {
    throw badRequest('Message could not be sent at the scheduled time.');
  }
  const recipient = recipientAt(org, sender, context);
  const unrendered = {
    sender,
    recipient,
    content: context.content,
    clientName: context.client,
    readBySender: context.read_by_sender,
  };
  sendMessage(tx, compose(org, markdown, unrendered));
  org.scheduledMessages.actors.send(tx, document, { type: 'delivered' });
  emitRemoved(tx, document);
}

/**
 * Ends the delivery of a scheduled message as failed, emits that to its author, and posts a direct message unless
 * nobody could read it (endpoints-personal.md#scheduled-messages).
 */
export function failScheduledMessage(
  tx: Transaction,
  markdown: Markdown,
  document: ScheduledMessageDocument,
  failure: string,
): void {
  const { org } = tx;
  const { user_id, deliver_at } = document.context;
  const failed = org.scheduledMessages.actors.send(tx, document, { type: 'refused', failure });
  emitScheduledMessage(tx, failed, {
    op: 'update',
    scheduled_message: scheduledMessageRecord(org, failed),
  });
  const author = org.users.get(user_id);
  if (!author?.is_active || org.realm.isDeactivated) return;
  const time = new Date(deliver_at * 1000).toISOString().replace('.000Z', 'Z');
  const text = noticesTo(org, user_id)('scheduled.failed', {
    time: `<time:${time}>`,
    error: refusalsIn(languageOfUser(org, user_id))({
      code: 'BAD_REQUEST',
      msg: failure,
      fields: {},
    }),
  });
  sendNotice(tx, markdown, { users: [author] }, text);
}

function emitRemoved(tx: Transaction, document: ScheduledMessageDocument): void {
  const { id } = document.context;
  emitScheduledMessage(tx, document, { op: 'remove', scheduled_message_id: id });
}

function emitScheduledMessage(
  tx: Transaction,
  { context: { user_id } }: ScheduledMessageDocument,
  data: EventFields<'scheduled_messages'>,
): void {
  tx.emit('scheduled_messages', { to: 'users', users: [user_id] }, data);
}
