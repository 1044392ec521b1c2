/** The query of nearly all polls, read without a parser. */

/** The parameters of the usual query of a poll. */
interface UsualPoll {
  readonly queueId: string;
  readonly cursor: number;
  readonly dontBlock: boolean;
}

const QUEUE_ID = 'queue_id=';
const CURSOR = '&last_event_id=';
const DONT_BLOCK = '&dont_block=true';
const BLOCK = '&dont_block=false';
/** JavaScript does not represent numbers of more digits exactly. */
const MAX_DIGITS = 15;

/**
 * Reads `queue_id=…&last_event_id=…` with, or without, `&dont_block=true` or `false`: the query of nearly all
 * polls. Null for every other query. The id is as it was sent: with escapes it names no queue.
 */
export function usualPoll(query: string): UsualPoll | null {
  const end = query.indexOf('&', QUEUE_ID.length);
  if (end < 0 || !query.startsWith(QUEUE_ID) || !query.startsWith(CURSOR, end)) return null;
  const begin = end + CURSOR.length;
  const next = query.indexOf('&', begin);
  const cursor = cursorOf(query, begin, next < 0 ? query.length : next);
  if (cursor === null) return null;
  const dontBlock = next >= 0 && endsWith(query, next, DONT_BLOCK);
  if (next >= 0 && !dontBlock && !endsWith(query, next, BLOCK)) return null;
  return { queueId: query.slice(QUEUE_ID.length, end), cursor, dontBlock };
}

/** Whether a text has nothing but `end` from a place on. To cut that out and compare it takes four times as long. */
function endsWith(text: string, from: number, end: string): boolean {
  return text.length - from === end.length && text.startsWith(end, from);
}

/** The decimal number, without leading zeros, or -1; null for another text. */
export function cursorOf(text: string, begin: number, end: number): number | null {
  const length = end - begin;
  if (length === 2 && text.startsWith('-1', begin)) return -1;
  if (length === 0 || length > MAX_DIGITS || (length > 1 && text.startsWith('0', begin)))
    return null;
  let value = 0;
  for (let i = begin; i < end; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return null;
    value = value * 10 + digit;
  }
  return value;
}
