import type { LRUCache } from 'lru-cache';
import type { Mutable } from '../../../../schemas/endpoint.js';
import type { MessageDocument, MessageObject } from '../../../../schemas/messages/message.js';
import {
  messageObject,
  type MessageContext,
  type MessageForm,
} from '../../../journal/renderers/message.js';
import { lruOfBytes, type CacheLimits } from '../../../platform/lru.js';
import { shownEditHistory, type HistoryPolicy } from '../editing/history-view.js';
import type { Organization } from '../../state/organization.js';

/** A user as each of their reactions shows them to older clients (events-messages.md#messages). */
export type Reactor = NonNullable<MessageObject['reactions'][number]['user']>;

/** Everything that a message object shows beside the viewer's flags. */
export interface ShownMessage {
  readonly message: MessageDocument;
  readonly context: MessageContext;
  /** By position of their reactions. */
  readonly reactors: readonly Reactor[];
  readonly historyPolicy: HistoryPolicy;
  readonly form: MessageForm;
}

/** The message object of endpoints-messages.md#message-object, without `flags`. */
export function shownObject(shown: ShownMessage): Omit<MessageObject, 'flags'> {
  const { message, context, reactors, historyPolicy, form } = shown;
  const object: Mutable<Omit<MessageObject, 'flags'>> = messageObject(message, context, form);
  object.reactions = message.reactions.map((reaction, i) => ({ ...reaction, user: reactors[i]! }));
  const history = shownEditHistory(message, historyPolicy, form.emptyTopicName);
  if (history) object.edit_history = history;
  return object;
}

/** Bounds of the texts of an organization that are kept, with the documents that they keep in memory. */
const TEXT_LIMITS: CacheLimits = { entries: 20_000, bytes: 32 * 1024 * 1024 };
/** Memory per character of a text: two bytes, and as much for the document. */
const BYTES_PER_CHARACTER = 4;

interface KeptText {
  readonly shown: ShownMessage;
  readonly text: string;
}

const keptTexts = new WeakMap<Organization, LRUCache<number, KeptText>>();

function textsOf(org: Organization): LRUCache<number, KeptText> {
  let texts = keptTexts.get(org);
  if (!texts) {
    const sizeOf = ({ text }: KeptText): number => BYTES_PER_CHARACTER * text.length;
    texts = lruOfBytes<number, KeptText>(TEXT_LIMITS, sizeOf);
    keptTexts.set(org, texts);
  }
  return texts;
}

/**
 * JSON of {@link shownObject}, without the last brace. People who read the same history see the same but for
 * their flags, so it is encoded once and kept.
 */
export function shownText(org: Organization, shown: ShownMessage): string {
  const texts = textsOf(org);
  const key = shown.message.id * FORMS + formNumber(shown.form);
  const kept = texts.get(key);
  if (kept && isSame(kept.shown, shown)) return kept.text;
  const text = JSON.stringify(shownObject(shown)).slice(0, -1);
  texts.set(key, { shown, text });
  return text;
}

/** How many forms there are. */
const FORMS = 8;

function formNumber({ applyMarkdown, clientGravatar, emptyTopicName }: MessageForm): number {
  return (applyMarkdown ? 4 : 0) + (clientGravatar ? 2 : 0) + (emptyTopicName ? 1 : 0);
}

/** Whether two views of a message in one form show the same. A document is never changed in place. */
function isSame(a: ShownMessage, b: ShownMessage): boolean {
  return (
    a.message === b.message &&
    a.historyPolicy === b.historyPolicy &&
    a.context.realm === b.context.realm &&
    isSameFlat(a.context.sender, b.context.sender) &&
    isSameRecipient(a.context.recipient, b.context.recipient) &&
    a.reactors.every((reactor, i) => isSameFlat(reactor, b.reactors[i]!))
  );
}

type Recipient = MessageContext['recipient'];

function isSameRecipient(a: Recipient, b: Recipient): boolean {
  if (a === b) return true;
  if (typeof a === 'string' || typeof b === 'string') return false;
  return a.length === b.length && a.every((one, i) => isSameFlat(one, b[i]!));
}

/** Whether two objects of the same fields, none of them an object, are equal. */
function isSameFlat<T extends object>(a: T, b: T): boolean {
  if (a === b) return true;
  for (const name in a) if (a[name] !== b[name]) return false;
  return true;
}
