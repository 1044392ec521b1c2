import Type, { type Static } from 'typebox';
import { Id } from '../endpoint.js';
import { fieldTexts } from '../field-texts.js';
import { MAX_MESSAGES_PER_FETCH } from '../limits.js';
import { ShortText } from '../text.js';

/** More terms than any client sends; bounds the work of matching one message. */
export const MAX_NARROW_TERMS = 100;

/** Users whom all terms of one narrow name together. */
export const MAX_NARROW_USERS = 10_000;

const Operand = Type.Union([
  ShortText,
  Id,
  Type.Array(Type.Union([Id, ShortText]), { maxItems: 1000 }),
]);

/** One term of a message search: an object, or the legacy pair (endpoints-messages.md#read-messages). */
export const NarrowTerm = Type.Union(
  [
    Type.Object({
      operator: ShortText,
      operand: Operand,
      negated: Type.Optional(Type.Boolean()),
    }),
    Type.Tuple([ShortText, Operand]),
  ],
  { title: 'NarrowTerm' },
);
export type NarrowTerm = Static<typeof NarrowTerm>;

/** A message search; its terms are ANDed. */
export const Narrow = Type.Array(NarrowTerm, { maxItems: MAX_NARROW_TERMS });

/** How many messages on one side of an anchor; their sum has its own refusal. */
export const MessageCount = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  told: { maximum: MAX_MESSAGES_PER_FETCH },
});

/** The narrow of an event queue: pairs of texts only (event-queues.md#queue-parameters). */
export const QueueNarrow = Type.Array(Type.Tuple([ShortText, ShortText]), {
  maxItems: MAX_NARROW_TERMS,
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  negated: 'Whether messages match for which the term does not hold.',
});
