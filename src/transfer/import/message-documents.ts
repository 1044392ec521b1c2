/** Documents of messages that come from elsewhere. */
import type { MessageDocument, MessageEditDocument } from '../../../schemas/messages/message.js';
import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { MAX_MESSAGE_LENGTH, MAX_TOPIC_LENGTH } from '../../../schemas/limits.js';
import { renderFor } from '../../organization/messages/sending/outgoing-message.js';
import type { Organization } from '../../organization/state/organization.js';
import {
  storedTopic,
  truncateContent,
  truncateTopic,
  withoutInvalidCharacters,
} from '../../services/text/stored-text.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import type { Write } from '../../store/port.js';
import { set, type Omissions } from './import-job.js';

/** A message is starred by someone. */
export function starredBy(user_id: number, message_id: number): Write {
  return set('mark', `${user_id}:${message_id}`, {
    user_id,
    message_id,
    starred: true,
    collapsed: false,
  });
}

/** Where a message was sent. */
export type ImportedRecipient =
  | { readonly channel: ChannelDocument; readonly topic: string }
  /** Conversation id of people who write to each other. */
  | { readonly conversation: number };

/** A message. Its HTML is made here, whatever its own server made of it. */
export interface ImportedMessage {
  readonly id: number;
  readonly sender: UserDocument;
  readonly recipient: ImportedRecipient;
  /** Markdown. */
  readonly content: string;
  /** UNIX seconds. */
  readonly timestamp: number;
  readonly client: string;
  readonly reactions?: MessageDocument['reactions'];
  /** Of a widget, oldest first. */
  readonly submessages?: MessageDocument['submessages'];
  /** Newest first; without HTML. */
  readonly edits?: readonly MessageEditDocument[];
  readonly lastEdited?: number | null;
  readonly lastMoved?: number | null;
  /** Whom it notified, ascending; absent: whom its text names among `receivers`. */
  readonly notified?: Pick<MessageDocument, 'mentioned' | 'topic_wildcard' | 'alerted'>;
  /** Who got it, ascending. */
  readonly receivers?: readonly number[];
}

/** A message as it may be here. Whoever goes on after it was written needs no more of it. */
export interface MendedMessage {
  readonly recipientId: number;
  readonly reactions: MessageDocument['reactions'];
  /** Its document: renders the text, which takes most of the time of an import. */
  document(): MessageDocument;
}

/**
 * Mends what no message may be, and counts it. Its position in the journal is its id: so it lies in the spans of
 * subscriptions as it did where it comes from, and the journal begins after the newest one.
 */
export function mendedMessage(
  org: Organization,
  markdown: Markdown,
  message: ImportedMessage,
  omissions: Omissions,
): MendedMessage {
  const { id, recipient } = message;
  const content = contentOf(message, omissions);
  const reactions = onceEach(message, omissions);
  const inChannel = 'channel' in recipient;
  const topic = inChannel ? topicOf(recipient.topic) : '';
  if (inChannel && topic !== storedTopic(recipient.topic.trim())) {
    omissions.add(
      'messages with another topic here: theirs was too long or not allowed',
      String(id),
    );
  }
  const recipientId = inChannel ? recipient.channel.recipient_id : recipient.conversation;
  const mended = { ...message, content, reactions };
  return {
    ...{ recipientId, reactions },
    document: () => documentOf(org, markdown, mended, { recipientId, topic }),
  };
}

function documentOf(
  org: Organization,
  markdown: Markdown,
  message: ImportedMessage,
  { recipientId, topic }: { recipientId: number; topic: string },
): MessageDocument {
  const { id, sender, recipient, content, reactions = [], edits = [] } = message;
  const inChannel = 'channel' in recipient;
  const rendered = renderFor(org, markdown, sender, content);
  const { users } = rendered.mentions;
  const named = (message.receivers ?? []).filter((userId) => users.includes(userId));
  const { mentioned, topic_wildcard, alerted } = message.notified ?? {
    ...{ mentioned: named, topic_wildcard: [], alerted: [] },
  };
  return {
    ...{ id, seq: id, sender_id: sender.user_id },
    recipient_id: recipientId,
    stream_id: inChannel ? recipient.channel.stream_id : null,
    topic,
    content,
    rendered_content: rendered.html,
    timestamp: message.timestamp,
    client: message.client,
    ...{ mentioned, topic_wildcard, alerted },
    channel_wildcard: inChannel && rendered.mentions.channel_wildcard,
    has_link: rendered.has_link,
    has_image: rendered.has_image,
    has_attachment: rendered.has_attachment,
    topic_links: inChannel ? markdown.renderTopicLinks(topic, org.linkifiers.compiled) : [],
    reactions: [...reactions],
    ...(message.submessages && message.submessages.length > 0
      ? { submessages: [...message.submessages] }
      : {}),
    last_edit_timestamp: message.lastEdited ?? null,
    last_moved_timestamp: message.lastMoved ?? null,
    ...(edits.length > 0
      ? { edit_history: edits.map((edit) => renderedEdit(org, markdown, sender, edit)) }
      : {}),
  };
}

/** The text as one that is sent is stored. What no message may be is mended, and counted. */
function contentOf({ id, content: given }: ImportedMessage, omissions: Omissions): string {
  const text = given.toWellFormed().replaceAll('\0', '').trimEnd();
  if (text.length !== given.trimEnd().length) {
    omissions.add('messages with U+0000, which was left out', String(id));
  }
  const content = truncateContent(text, MAX_MESSAGE_LENGTH);
  if (content !== text) {
    omissions.add(`messages above ${MAX_MESSAGE_LENGTH} characters, which were cut`, String(id));
  }
  if (content.trim() !== '') return content;
  omissions.add('messages without text, which say so', String(id));
  return NO_TEXT;
}

/** No message is empty here. */
const NO_TEXT = '(no text)';

/** Somebody reacts with an emoji once; elsewhere each colour of skin is one of its own. */
function onceEach(
  { id, reactions = [] }: ImportedMessage,
  omissions: Omissions,
): MessageDocument['reactions'] {
  const seen = new Set<string>();
  return reactions.filter(({ user_id, reaction_type, emoji_code }) => {
    const key = `${user_id} ${reaction_type} ${emoji_code}`;
    if (seen.has(key)) omissions.add('reactions that somebody gave twice', String(id));
    return !seen.has(key) && seen.add(key);
  });
}

/** A topic as it is stored: short enough, and without signs that a topic may not have. */
export function topicOf(topic: string): string {
  const line = topic.toWellFormed().replace(/[\n\r\t]+/g, ' ');
  const allowed = withoutInvalidCharacters(line).trim();
  return truncateTopic(storedTopic(allowed), MAX_TOPIC_LENGTH);
}

function renderedEdit(
  org: Organization,
  markdown: Markdown,
  sender: UserDocument,
  edit: MessageEditDocument,
): MessageEditDocument {
  if (edit.prev_content === undefined) return edit;
  const { html } = renderFor(org, markdown, sender, edit.prev_content);
  return { ...edit, prev_rendered_content: html };
}
