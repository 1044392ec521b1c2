import Type from 'typebox';
import { MAX_PARAMETER_LENGTH } from './limits.js';

/** A text of at most `limit` code points; longer is `{name} is too long (limit: {n} characters)`. */
export function text(limit: number) {
  return Type.String({ maxLength: limit });
}

/**
 * A text that is cut instead of refused, or whose length the handler refuses in words of its own;
 * bounded as every parameter is.
 */
export const LongText = text(MAX_PARAMETER_LENGTH);

/** As `LongText`, where the handler refuses NUL in words of its own. */
export const MessageText = Type.String({ maxLength: MAX_PARAMETER_LENGTH, nulAllowed: true });

/**
 * A name, address or search operand. Far above every limit of the contract, so that the handler can
 * answer with the wording that belongs to the name at hand.
 */
export const ShortText = text(10_000);

/** Opaque token made by a client or by us: a queue id, a local message id. */
export const Token = text(200);
