import { hasEmoji } from './emoji-tokens.js';
import { MAY_LINK } from './addresses.js';
import type { MentionDirectory } from './mention-directory.js';

/**
 * Recognizes text without any construct of the dialect, which is what most messages are: the parser makes one
 * paragraph of it, with its lines as they are. In doubt the answer is no: then the parser decides.
 */

/** Longest such text, UTF-16 code units: it comes nowhere near the bounds of budget.ts. */
const MAX_LENGTH = 2000;

/** Letters, marks and digits but for those that make emoji: `ℹ` is a letter, and so are selectors marks. */
const WORD = String.raw`[\p{L}\p{M}\p{Nd}]--[\p{Extended_Pictographic}\ufe0f\u20e3]`;
/** What means something to no rule, wherever it stands behind the first character of a line. */
const ANY = String.raw`[[${WORD}][ ,.?!'"\(\)\/\-%=+$_‘’“”…–—€、。「」！？，（）]]`;
/** A line begins with a letter or digit, but not with the number of an item. It ends with no space. */
const LINE = String.raw`(?!\d{1,9}[.\)])[[\p{L}\p{Nd}]--\p{Extended_Pictographic}][${ANY}:]*(?<! )`;
const PLAIN = new RegExp(String.raw`^${LINE}(?:\n${LINE})*$`, 'v');

/** The HTML of a text without any construct; undefined where there may be one. */
export function plainText(source: string, directory: MentionDirectory): string | undefined {
  const { linkifiers = [] } = directory;
  if (source.length > MAX_LENGTH || linkifiers.length > 0) return undefined;
  if (!PLAIN.test(source) || MAY_LINK.test(source) || source.includes('$$')) return undefined;
  // With a colon there may be a shortcode or an emoticon.
  if (source.includes(':') && hasEmoji(source, directory)) return undefined;
  return `<p>${source.includes('\n') ? source.replaceAll('\n', '<br>\n') : source}</p>`;
}
