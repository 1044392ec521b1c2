import Type, { type Static } from 'typebox';
import { Id } from './endpoint.js';
import { MAX_LIST_ITEMS, MAX_PARAMETER_LENGTH } from './limits.js';
import { ShortText } from './text.js';

/** A list of ids, or of names or addresses. */
export const Entries = Type.Array(Type.Union([Id, ShortText]), { maxItems: MAX_LIST_ITEMS });

/**
 * A list as clients send it (clients.md#zulip-js): JSON, one bare entry, or `a,b,c`, as zulip-js sends an
 * array in a query. Declare it with wire `lenient`, read it with `entriesOf`.
 */
export const LenientList = Type.Union([
  Entries,
  Id,
  Type.String({ maxLength: MAX_PARAMETER_LENGTH, maxEntries: MAX_LIST_ITEMS }),
]);
export type LenientList = Static<typeof LenientList>;

/** The entries of a lenient list, in order; blanks between commas are dropped. */
export function entriesOf(list: LenientList): (number | string)[] {
  if (typeof list !== 'string') return Array.isArray(list) ? list : [list];
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** The entries of a lenient list as names; a number is one too, because a channel may be called `2024`. */
export function namesOf(list: LenientList): string[] {
  return entriesOf(list).map(String);
}

/**
 * The entries of a lenient list as user ids or e-mail addresses: `7,8` are ids. A text in a JSON list is an address,
 * whatever it says, as the reference takes it.
 */
export function principalsOf(list: LenientList): (number | string)[] {
  if (Array.isArray(list)) return list;
  return entriesOf(list).map((entry) => {
    const id = Number(entry);
    return typeof entry === 'string' && /^\d+$/.test(entry) && Number.isSafeInteger(id)
      ? id
      : entry;
  });
}
