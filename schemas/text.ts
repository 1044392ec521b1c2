import Type from 'typebox';
import { MAX_PARAMETER_LENGTH } from './limits.js';

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

/**
 * A name, address or search operand. The bound is far above every limit of the contract, so that the handler
 * refuses with the text for that name.
 */
export const ShortText = text(10_000);

/** Opaque token of a client or of this server: a queue id, a local message id. */
export const Token = text(200);
