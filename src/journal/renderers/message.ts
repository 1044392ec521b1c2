import type { Mutable } from '../../../schemas/endpoint.js';
import { TRIGGERS, type Trigger } from '../../../schemas/notifications/missed-messages-document.js';
import type { EventBodyOf } from '../../../schemas/events.js';
import type {
  EventMessage,
  MessageDocument,
  SubmessageObject,
} from '../../../schemas/messages/message.js';
import { placeIn } from '../entry.js';
import type { Receiver, RendererOf } from './event-renderer.js';
import { matchesQueueNarrow } from './queue-narrow.js';
import { EMPTY_TOPIC_DISPLAY_NAME } from '../../../schemas/limits.js';

/**
 * Data of a `message` event beside its document, which is the event's subject: only receivers with unusual
 * flags are named.
 */
export type MessageEventData = MessageContext & {
  /** Flags of single receivers by user id, in addition to `everyone`. */
  readonly flags?: Readonly<Record<string, readonly string[]>>;
  /** Flags of every receiver: those of a channel wildcard mention. */
  readonly everyone?: readonly string[];
  /**
   * Among the users with queues that ask for followed topics, those who follow this topic. Stored with the
   * event, because a replay happens in a later state.
   */
  readonly followed?: readonly number[];
  /** As `followed`: those who muted this topic, or its channel and did not unmute the topic. */
  readonly muted?: readonly number[];
  /** Receivers who may not see the sender, ascending, and what they see instead. */
  readonly unknown_to?: {
    readonly users: readonly number[];
    readonly sender: MessageContext['sender'];
  };
  /**
   * Among the users with queues that take notices, those to whom their client shows one, ascending, by the reason.
   */
  readonly notices?: Readonly<Partial<Record<Trigger, readonly number[]>>>;
  /** All-public queues of users outside the audience get it, too. */
  readonly public?: true;
  /** The sending client's own id for the message. */
  readonly local?: { readonly queue_id: string; readonly local_id: string };
};

/** In the order in which clients have always seen flags. */
const FLAG_ORDER = [
  'read',
  'mentioned',
  'stream_wildcard_mentioned',
  'topic_wildcard_mentioned',
  'wildcard_mentioned',
  'has_alert_word',
] as const;

function flagsFor(data: MessageEventData, receiver: Receiver): readonly string[] {
  if (!receiver.inAudience) return [];
  const everyone = data.everyone ?? [];
  const own = data.flags?.[receiver.userId];
  if (!own) return everyone;
  return FLAG_ORDER.filter((flag) => everyone.includes(flag) || own.includes(flag));
}

/**
 * Separates the parts of a variant key: four yes/no digits and the reason of a notice, flags, and the local id for the queue that
 * sent the message.
 */
const SEPARATOR = ';';

/** `message` (events-messages.md#messages): Markdown × gravatar × empty topic × unknown sender × notice × flags, local id. */
export const messageRenderer: RendererOf<'message', MessageEventData> = {
  variant(event, receiver) {
    const message = event.subject;
    if (!message) return null;
    const data = event.data;
    if (!receiver.inAudience && !data.public) return null;
    const flags = flagsFor(data, receiver);
    const { filter } = receiver;
    const isUnknown = data.unknown_to !== undefined && isUnknownTo(data.unknown_to, receiver);
    const sender = isUnknown ? data.unknown_to.sender : data.sender;
    // Most queues have no narrow, and a message may go to ten thousand queues.
    if (filter.narrow.length > 0 && !admits(receiver, message, data, sender, flags)) {
      return null;
    }
    // Queues whose differences do not show in this message share one text.
    const gravatar = filter.client_gravatar && sender.computable;
    const emptyTopic = message.topic === '' && (filter.capabilities.empty_topic_name ?? false);
    const form = `${digit(filter.apply_markdown)}${digit(gravatar)}${digit(emptyTopic)}${digit(isUnknown)}${noticeFor(data, receiver)}`;
    const key = `${form}${SEPARATOR}${flags.join()}`;
    if (data.local?.queue_id !== receiver.queueId) return key;
    // A sender who names another user's queue must not add anything to its events.
    if (receiver.userId !== message.sender_id) return key;
    return `${key}${SEPARATOR}${data.local.local_id}`;
  },

  bodies(event, variant) {
    const [form, flags, ...local] = variant.split(SEPARATOR);
    const context = form![3] === '1' ? unknownContext(event.data) : event.data;
    const body: Mutable<EventBodyOf<'message'>> = {
      type: event.type,
      flags: flags ? flags.split(',') : [],
      message: messageObject(event.subject!, context, {
        applyMarkdown: form![0] === '1',
        clientGravatar: form![1] === '1',
        emptyTopicName: form![2] === '1',
      }),
    };
    const reason = form!.slice(4);
    if (reason !== '') body.notice = reason as Trigger;
    if (local.length > 0) body.local_message_id = local.join(SEPARATOR);
    return [body];
  },
};

/** Why the client shows the receiver a notice; empty where it does not, or takes none. */
function noticeFor({ notices }: MessageEventData, receiver: Receiver): Trigger | '' {
  if (!notices || !receiver.inAudience) return '';
  if (!receiver.filter.capabilities.message_notices) return '';
  const { userId } = receiver;
  return TRIGGERS.find((reason) => placeIn(notices[reason] ?? NOBODY, userId) >= 0) ?? '';
}

const NOBODY: readonly number[] = [];

function admits(
  { userId, filter }: Receiver,
  message: MessageDocument,
  data: MessageEventData,
  sender: MessageContext['sender'],
  flags: readonly string[],
): boolean {
  return matchesQueueNarrow(filter.narrow, {
    channel: typeof data.recipient === 'string' ? data.recipient : null,
    topic: message.topic,
    senderEmail: sender.email,
    flags,
    followed: data.followed?.includes(userId) ?? false,
    muted: data.muted?.includes(userId) ?? false,
  });
}

function isUnknownTo(
  { users }: { readonly users: readonly number[] },
  { userId }: Receiver,
): boolean {
  return placeIn(users, userId) >= 0;
}

function unknownContext(data: MessageEventData): MessageContext {
  return { ...data, sender: data.unknown_to!.sender };
}

function digit(value: boolean): string {
  return value ? '1' : '0';
}

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
