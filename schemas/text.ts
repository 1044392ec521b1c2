import Type from 'typebox';
import { MAX_FULL_NAME_LENGTH, MAX_PARAMETER_LENGTH, MIN_FULL_NAME_LENGTH } from './limits.js';

/** A text of at most `limit` code points; longer is `{name} is too long (limit: {n} characters)`. */
export function text(limit: number) {
  return Type.String({ maxLength: limit });
}

/**
 * A text that is truncated, or whose length the handler refuses with a text of its own; bounded like every
 * parameter.
 */
export const LongText = text(MAX_PARAMETER_LENGTH);

/** As `LongText`, where the handler refuses NUL with a text of its own. */
export const MessageText = Type.String({ maxLength: MAX_PARAMETER_LENGTH, nulAllowed: true });

/** Code points of a name, an address or a search operand, as far as the decoder looks. */
const MAX_SHORT_TEXT_LENGTH = 10_000;

/**
 * A name, address or search operand. The bound is far above every limit of the contract, so that the handler
 * refuses with the text for that name.
 */
export const ShortText = text(MAX_SHORT_TEXT_LENGTH);

/** What a handler asks of a text or a number. */
interface Checked {
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly enum?: readonly (string | number)[];
}

/**
 * As `ShortText`, where the handler refuses values with texts of its own: what it accepts is told, and not checked by
 * the decoder.
 *
 * @param bound code points that the decoder takes
 */
export function checkedText(told: Checked, bound = MAX_SHORT_TEXT_LENGTH) {
  return Type.String({ maxLength: bound, told });
}

/** Opaque token of a client or of this server: a queue id, a local message id. */
export const Token = text(200);

/** The name of an account, as others see it. */
export const FullName = checkedText({
  minLength: MIN_FULL_NAME_LENGTH,
  maxLength: MAX_FULL_NAME_LENGTH,
});
