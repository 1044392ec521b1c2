import Type from 'typebox';

declare const stored: unique symbol;

/**
 * Whole milliseconds since 1970 by the wall clock. A type of its own: a time of the steady clock, which ends with its
 * process, is a plain number and cannot take the place of one in a document.
 */
export type StoredTime = number & { readonly [stored]: true };

/** A {@link StoredTime} now, or so many milliseconds later. @param wallMs time of the wall clock */
export function storedTime(wallMs: number, laterMs = 0): StoredTime {
  return Math.floor(wallMs + laterMs) as StoredTime;
}

/** The schema of a field with a {@link StoredTime} into which earlier builds wrote fractions, too. */
export const StoredTimeField = Type.Unsafe<StoredTime>(Type.Number());
