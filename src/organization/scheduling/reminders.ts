import type { EventFields } from '../../../schemas/events.js';
import type { Static } from 'typebox';
import type { MessageDocument } from '../../../schemas/messages/message.js';
import type { ReminderDocument } from '../../../schemas/scheduling/scheduled-messages.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import {
  MAX_MESSAGE_LENGTH,
  MAX_SCHEDULED_LENGTH,
  MAX_SCHEDULED_PER_USER,
} from '../../../schemas/limits.js';
import type { Reminder } from '../../../schemas/scheduling/reminders.js';
import { badRequest } from '../../errors/index.js';
import type { Say } from '../../languages/catalogs.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { MessageAccess } from '../messages/message-access.js';
import { sendUnchecked } from '../messages/sending/send-message.js';
import { compose, renderFor, participants } from '../messages/sending/outgoing-message.js';
import { notificationBot } from '../messages/sending/notification-bot.js';
import type { Transaction } from '../state/transaction.js';
import { noticesTo } from '../views/languages.js';
import { checkFuture } from './scheduled-messages.js';
import { codePointLength, truncateContent } from '../../services/text/stored-text.js';
import { html } from '../../services/text/html.js';
import { mentionFor, messageUrl, quotation, unusedFence } from '../messages/message-markup.js';
import type { Organization } from '../state/organization.js';

const REMINDER_CLIENT = 'Internal';

/** A new reminder, as in requests. */
interface NewReminder {
  readonly messageId: number;
  /** Undefined when it does not exist. */
  readonly message: MessageDocument | undefined;
  /** UNIX seconds. */
  readonly deliverAt: number;
  readonly note: string;
}

/**
 * A reminder as clients see it (endpoints-personal.md#personal-things): without the text of a message that was deleted,
 * or that its user may no longer read.
 */
export function reminderRecord(
  org: Organization,
  document: ReminderDocument,
): Static<typeof Reminder> {
  const { value, context } = withReadableText(org, document);
  return {
    reminder_id: context.id,
    type: 'private',
    to: [context.user_id],
    content: context.content,
    rendered_content: context.rendered_content,
    scheduled_delivery_timestamp: context.deliver_at,
    failed: value === 'failed',
    reminder_target_message_id: context.message_id,
  };
}

/** A reminder without the text of a message that its user can no longer read. */
export function withReadableText(org: Organization, document: ReminderDocument): ReminderDocument {
  const { user_id, message_id, note } = document.context;
  const user = org.users.get(user_id);
  if (user && new MessageAccess(org, user).canSee(message_id)) return document;
  const say = noticesTo(org, user_id);
  return {
    ...document,
    context: {
      ...document.context,
      content: reminderWithoutMessage(say, note),
      rendered_content: html`<p>${say('reminder.gone')}</p>`.text + notedHtml(note),
    },
  };
}

/**
 * Creates a reminder of a message (endpoints-personal.md#personal-things).
 * @throws ApiError for a message the user may not read, or a time in the past
 */
export function createReminder(
  tx: Transaction,
  markdown: Markdown,
  user: UserDocument,
  { messageId, message, deliverAt, note }: NewReminder,
): ReminderDocument {
  const { org } = tx;
  checkFuture(tx, deliverAt);
  if (!message || !new MessageAccess(org, user).canSee(messageId)) {
    throw badRequest('Invalid message(s)');
  }
  if (org.reminders.index.countOf(user.user_id) >= MAX_SCHEDULED_PER_USER) {
    throw badRequest(`Too many reminders (maximum ${MAX_SCHEDULED_PER_USER}).`);
  }
  const content = reminderText(org, user, message, note);
  const context: ReminderDocument['context'] = {
    id: org.counters.next('reminder'),
    user_id: user.user_id,
    message_id: messageId,
    note,
    content,
    rendered_content: renderFor(org, markdown, user, content).html,
    deliver_at: deliverAt,
    failure: null,
  };
  if (org.reminders.growsBeyond(MAX_SCHEDULED_LENGTH, context)) {
    throw badRequest(`Too much text in reminders (maximum ${MAX_SCHEDULED_LENGTH} characters).`);
  }
  const document = org.reminders.actors.begin(tx, context);
  emitReminder(tx, document, { op: 'add', reminders: [reminderRecord(org, document)] });
  return document;
}

/** Deletes a reminder. */
export function deleteReminder(tx: Transaction, document: ReminderDocument): void {
  tx.org.reminders.actors.send(tx, document, { type: 'cancel' });
  emitReminder(tx, document, { op: 'remove', reminder_id: document.context.id });
}

/**
 * Delivers a reminder whose delivery has begun: a direct message of the notification bot that quotes the message as it is now.
 * Delivered however late, because no event could say that a reminder failed. In a deactivated organization
 * or account, where nobody could read it, the reminder is only deleted.
 * @param message undefined when it no longer exists
 */
export function deliverReminder(
  tx: Transaction,
  markdown: Markdown,
  document: ReminderDocument,
  message: MessageDocument | undefined,
): void {
  const { org } = tx;
  const { user_id, message_id, note, id } = document.context;
  const user = org.users.get(user_id);
  if (user?.is_active && !org.realm.isDeactivated) {
    const readable = message && new MessageAccess(org, user).canSee(message_id);
    const content = readable
      ? reminderText(org, user, message, note)
      : reminderWithoutMessage(noticesTo(org, user_id), note);
    const sender = notificationBot(org);
    const unrendered = {
      sender,
      recipient: { kind: 'direct' as const, users: participants(sender, [user]) },
      content,
      clientName: REMINDER_CLIENT,
      readBySender: false,
    };
    // Rendered for its reader, so that references to channels they can see become links.
    sendUnchecked(tx, compose(org, markdown, unrendered, user));
  }
  org.reminders.actors.send(tx, document, { type: 'delivered' });
  emitReminder(tx, document, { op: 'remove', reminder_id: id });
}

function emitReminder(
  tx: Transaction,
  { context: { user_id } }: ReminderDocument,
  data: EventFields<'reminders'>,
): void {
  tx.emit('reminders', { to: 'users', users: [user_id] }, data);
}

/**
 * Text of a reminder (endpoints-personal.md#personal-things): a link to the message, the note, and the quoted
 * message.
 */
function reminderText(
  org: Organization,
  reader: UserDocument,
  message: MessageDocument,
  note: string,
): string {
  const say = noticesTo(org, reader.user_id);
  const beginning = introduction(org, say, message) + noted(say, note);
  const head = `${beginning}\n\n${attribution(org, say, reader, message)}\n`;
  const fence = unusedFence(message.content);
  const room = MAX_MESSAGE_LENGTH - codePointLength(head + quotation('', fence));
  return head + quotation(truncateContent(message.content, Math.max(0, room)), fence);
}

/** Text of a reminder of a message that its user can no longer read. */
function reminderWithoutMessage(say: Say<'notices'>, note: string): string {
  return say('reminder.gone') + noted(say, note);
}

function introduction(
  org: Organization,
  say: Say<'notices'>,
  { id, stream_id, topic }: MessageDocument,
): string {
  const channel = stream_id === null ? undefined : org.channels.get(stream_id);
  if (!channel) return say('reminder.direct');
  return say('reminder.message', { message: `#**${channel.name}>${topic}@${id}**` });
}

function noted(say: Say<'notices'>, note: string): string {
  const text = note.trim();
  if (text === '') return '';
  const lines = text.split('\n').map((line) => ` > ${line}`);
  return ` ${say('reminder.note')}\n${lines.join('\n')}`;
}

/** The note as it was written. */
function notedHtml(note: string): string {
  const text = note.trim();
  if (text === '') return '';
  return `\n${html`<blockquote><p>${text}</p></blockquote>`.text}`;
}

function attribution(
  org: Organization,
  say: Say<'notices'>,
  reader: UserDocument,
  message: MessageDocument,
): string {
  const author = org.users.get(message.sender_id);
  const sender = author ? mentionFor(org, reader, author) : say('report.somebody');
  return say('reminder.said', { sender, url: messageUrl(org, message) });
}
