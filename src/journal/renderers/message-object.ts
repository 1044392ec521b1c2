import type { Mutable } from '../../../schemas/endpoint.js';
import type { MessageDocument } from '../../../schemas/messages/message-document.js';
import type { EventMessage, SubmessageObject } from '../../../schemas/messages/message-object.js';
import { EMPTY_TOPIC_DISPLAY_NAME } from '../../../schemas/limits.js';

/** A participant as `display_recipient` of a direct message lists it. */
export interface Participant {
  readonly id: number;
  readonly email: string;
  readonly full_name: string;
  readonly is_mirror_dummy: false;
}

/**
 * The people and channel that a message object shows, as they are at one moment; they are not part of the
 * stored message. Plain JSON.
 */
export type MessageContext = {
  readonly sender: {
    readonly full_name: string;
    /** API e-mail. */
    readonly email: string;
    readonly avatar_url: string;
    /** The client can compute the picture's address itself (`client_gravatar`). */
    readonly computable: boolean;
  };
  /** `sender_realm_str`. */
  readonly realm: string;
  /** Name of the channel, or all participants by ascending id. */
  readonly recipient: string | readonly Participant[];
};

/** The client's choices that a message object depends on. */
export interface MessageForm {
  readonly applyMarkdown: boolean;
  readonly clientGravatar: boolean;
  /** The client can show an empty topic; others get the display name for it. */
  readonly emptyTopicName: boolean;
}

/** A topic as a client shows it (conventions.md#access). */
export function shownTopic(topic: string, emptyTopicName: boolean): string {
  return topic === '' && !emptyTopicName ? EMPTY_TOPIC_DISPLAY_NAME : topic;
}

const NONE: readonly SubmessageObject[] = [];

/** The widget of a message and what people did with it, as clients see it. */
function shownSubmessages({ id, submessages }: MessageDocument): readonly SubmessageObject[] {
  if (!submessages) return NONE;
  return submessages.map((one) => ({
    id: one.id,
    message_id: id,
    sender_id: one.sender_id,
    msg_type: 'widget' as const,
    content: one.content,
  }));
}

/** The message object of endpoints-messages.md#message-object, without `flags`. */
export function messageObject(
  message: MessageDocument,
  context: MessageContext,
  form: MessageForm,
): EventMessage {
  const { sender } = context;
  const channel = message.stream_id !== null;
  const object: Mutable<EventMessage> = {
    id: message.id,
    sender_id: message.sender_id,
    content: form.applyMarkdown ? message.rendered_content : message.content,
    recipient_id: message.recipient_id,
    timestamp: message.timestamp,
    client: message.client,
    subject: channel ? shownTopic(message.topic, form.emptyTopicName) : '',
    topic_links: message.topic_links,
    is_me_message: message.content.startsWith('/me '),
    reactions: message.reactions,
    submessages: shownSubmessages(message),
    sender_full_name: sender.full_name,
    sender_email: sender.email,
    sender_realm_str: context.realm,
    display_recipient: context.recipient,
    type: channel ? 'stream' : 'private',
    avatar_url: form.clientGravatar && sender.computable ? null : sender.avatar_url,
    content_type: form.applyMarkdown ? 'text/html' : 'text/x-markdown',
  };
  if (message.stream_id !== null) object.stream_id = message.stream_id;
  if (message.last_edit_timestamp !== null) {
    object.last_edit_timestamp = message.last_edit_timestamp;
  }
  if (message.last_moved_timestamp !== null) {
    object.last_moved_timestamp = message.last_moved_timestamp;
  }
  return object;
}
