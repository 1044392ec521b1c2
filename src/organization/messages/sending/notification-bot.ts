import type { ChannelDocument } from '../../../../schemas/channels/channel-document.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import type { Markdown } from '../../../services/markdown/markdown.js';
import type { Organization } from '../../state/organization.js';
import { renderFor, deliver } from './send-message.js';
import type { Transaction } from '../../state/transaction.js';
import { storedContent, storedTopicName } from '../../topics/topic-names.js';
import { participants, type Recipient } from './recipients.js';

const NOTICE_CLIENT = 'Internal';

/** Where a notice goes: a topic, or one direct conversation with the users named. */
type NoticeTarget =
  | {
      readonly channel: ChannelDocument;
      readonly topic: string;
      /** Subscribers for whom it is read at once. */
      readonly readBy?: readonly number[];
      /** As below. */
      readonly sight?: UserDocument;
    }
  | {
      readonly users: readonly UserDocument[];
      /** Whose sight decides which channels it can link; the bot's, who sees public ones only, if not given. */
      readonly sight?: UserDocument;
    };

/** The notification bot. @throws Error when the organization has none */
export function notificationBot(org: Organization): UserDocument {
  return systemBot(org, 'notification-bot');
}

/** A system bot by the local part of its address. @throws Error when the organization has none */
export function systemBot(org: Organization, local: string): UserDocument {
  // System bots are made with the organization, so they stand at the front.
  for (const user of org.users.values()) {
    if (user.is_system_bot && user.email.toLowerCase().startsWith(`${local}@`)) return user;
  }
  throw new Error(`The system bot ${local} is missing`);
}

/**
 * Sends a message of the notification bot, which needs nobody's permission and is bound by no policy.
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

/** As `sendNotice`, by any system bot. */
export function sendAsSystem(
  tx: Transaction,
  markdown: Markdown,
  sender: UserDocument,
  target: NoticeTarget,
  content: string,
): number {
  const text = storedContent(content);
  const sight = target.sight ?? sender;
  return deliver(tx, {
    sender,
    recipient: recipientOf(sender, target),
    content: text,
    rendered: renderFor(tx.org, markdown, sight, text),
    topicLinks:
      'channel' in target
        ? markdown.renderTopicLinks(target.topic, tx.org.linkifiers.compiled)
        : [],
    clientName: NOTICE_CLIENT,
    readBySender: false,
    ...('channel' in target && target.readBy ? { readBy: target.readBy } : {}),
  });
}

function recipientOf(sender: UserDocument, target: NoticeTarget): Recipient {
  if ('users' in target) return { kind: 'direct', users: participants(sender, target.users) };
  return { kind: 'channel', channel: target.channel, topic: storedTopicName(target.topic) };
}
