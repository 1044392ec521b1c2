import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import type { Markdown } from '../../../services/markdown/markdown.js';
import type { Organization } from '../../state/organization.js';
import { sendUnchecked } from './send-message.js';
import { compose, participants, type Recipient } from './outgoing-message.js';
import type { Transaction } from '../../state/transaction.js';
import { storedContent, storedTopicName } from '../../../services/text/stored-text.js';

const NOTICE_CLIENT = 'Internal';

/** The recipient of a notice: a topic, or one direct conversation with the users. */
type NoticeTarget =
  | {
      readonly channel: ChannelDocument;
      readonly topic: string;
      /** Subscribers for whom the notice is read at once. */
      readonly readBy?: readonly number[];
      /** As below. */
      readonly linkAccess?: UserDocument;
    }
  | {
      readonly users: readonly UserDocument[];
      /**
       * User whose access decides which channels the text can link; default: the bot, which sees public
       * channels only.
       */
      readonly linkAccess?: UserDocument;
      /** As of a message. */
      readonly unannounced?: true;
    };

/** The notification bot. @throws Error when the organization has none */
export function notificationBot(org: Organization): UserDocument {
  return systemBot(org, 'notification-bot');
}

/** The bot that posts what comes by mail. @throws Error when the organization has none */
export function emailGatewayBot(org: Organization): UserDocument {
  return systemBot(org, 'emailgateway');
}

/** A system bot by the local part of its address. @throws Error when the organization has none */
export function systemBot(org: Organization, local: string): UserDocument {
  // System bots are created with the organization, so they come first.
  for (const user of org.users.values()) {
    if (user.is_system_bot && user.email.toLowerCase().startsWith(`${local}@`)) return user;
  }
  throw new Error(`The system bot ${local} is missing`);
}

/**
 * Sends a message of the notification bot, to which permissions and policies do not apply.
 * @returns the message's id
 */
export function sendNotice(
  tx: Transaction,
  markdown: Markdown,
  target: NoticeTarget,
  content: string,
): number {
  return sendAsSystem(tx, markdown, notificationBot(tx.org), target, content);
}

/** Like `sendNotice`, as any system bot. */
export function sendAsSystem(
  tx: Transaction,
  markdown: Markdown,
  sender: UserDocument,
  target: NoticeTarget,
  content: string,
): number {
  const unrendered = {
    sender,
    recipient: recipientOf(sender, target),
    content: storedContent(content),
    clientName: NOTICE_CLIENT,
    readBySender: false,
    ...('channel' in target && target.readBy ? { readBy: target.readBy } : {}),
    ...('users' in target && target.unannounced ? { unannounced: true as const } : {}),
  };
  return sendUnchecked(tx, compose(tx.org, markdown, unrendered, target.linkAccess));
}

function recipientOf(sender: UserDocument, target: NoticeTarget): Recipient {
  if ('users' in target) return { kind: 'direct', users: participants(sender, target.users) };
  return { kind: 'channel', channel: target.channel, topic: storedTopicName(target.topic) };
}
