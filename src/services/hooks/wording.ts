import { addressLink, markdownLink } from '../../languages/markdown-link.js';
import { withoutMentions } from '../text/stored-text.js';
import { MAX_PAYLOAD_TEXT, type Payload } from './payload.js';

/* Parts of messages about what outsiders wrote: none of them mentions anybody, and none breaks out of its place. */

/** Longest title in a line of text, and longest text in a quote, in characters. */
const MAX_INLINE = 200;
const MAX_QUOTED = 1000;
/** Longest address that is linked, in UTF-16 units: browsers and proxies take no longer one for sure. */
const MAX_ADDRESS = 2000;
/** Entries of a list that a message names before it only counts. */
export const MAX_LISTED = 20;

/** A text of at most so many characters. */
export function cut(text: string, limit: number): string {
  const characters = [...text.slice(0, 2 * limit)];
  return characters.length <= limit && text.length <= 2 * limit
    ? text
    : `${characters.slice(0, limit - 1).join('')}…`;
}

/** Text of an outsider in a line. */
export function inline(text: string, limit = MAX_INLINE): string {
  return cut(text.replace(/\s+/gu, ' ').trim(), limit).replaceAll('@', '@\u200b');
}

/** Text in bold, as far as it can be. */
export function bold(text: string): string {
  const said = inline(text).replaceAll('*', '');
  return said === '' ? '' : `**${said}**`;
}

/** Code in a line; a mark in the text before it could end it early, so that no mention in it may work. */
export function code(text: string): string {
  const said = cut(text.replace(/\s+/gu, ' ').trim(), MAX_INLINE).replaceAll('`', "'");
  return `\`${withoutMentions(said)}\``;
}

/** A link, or its text alone where the address is none that people should open. */
export function link(text: string, address: Payload | string): string {
  const said = inline(text);
  const url = typeof address === 'string' ? address : address.textOr('');
  const isOpened = url.length <= MAX_ADDRESS && /^\s*https?:\/\/[^\s/?#]/i.test(url);
  if (isOpened && text.trim() === url.trim()) return addressLink(url.trim());
  return markdownLink(said, isOpened ? url : '');
}

/** Text of an outsider on lines of its own; empty where there is none. */
export function quote(text: string, language = 'quote'): string {
  const said = cut(text.trim(), MAX_QUOTED);
  if (said === '') return '';
  const longest = Math.max(2, ...[...said.matchAll(/~{3,}/g)].map(([run]) => run.length));
  const fence = '~'.repeat(longest + 1);
  const body = language === 'quote' ? said.replaceAll('@', '@\u200b') : said;
  return `\n\n${fence} ${language}\n${body}\n${fence}`;
}

/** A count with its noun: `1 commit`, `3 commits`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A list with a line for each of the first entries, saying how many there are beyond. */
export function listed<T>(entries: readonly T[], lineOf: (entry: T) => string): string {
  const shown = entries.slice(0, MAX_LISTED).map((entry) => `\n* ${lineOf(entry)}`);
  const more = entries.length - shown.length;
  return shown.join('') + (more > 0 ? `\n* and ${more} more` : '');
}

/** Texts in a row, without empty ones, up to the first that no message has room for. */
export function joined(texts: Iterable<string>, separator: string): string {
  let whole = '';
  for (const text of texts) {
    if (text !== '') whole += (whole === '' ? '' : separator) + text;
    if (whole.length > MAX_PAYLOAD_TEXT) break;
  }
  return whole;
}

/** The texts of a list, each made when it is asked for. */
export function* mapped(
  list: readonly Payload[],
  text: (one: Payload) => string,
): Generator<string> {
  for (const one of list) yield text(one);
}

/** A word of a payload as people write it: `in_progress` is `in progress`. */
export function spaced(word: string): string {
  return inline(word.replaceAll('_', ' '));
}
