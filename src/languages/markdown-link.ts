/**
 * Links in Markdown, for all who write messages: hooks, mails, imports, notices and the composer of the web app. What
 * is written reads the same by CommonMark and by Python-Markdown as existing servers use it, which knows no escapes by
 * backslash, so what must not be read as a mark is written as a character reference.
 */

/**
 * Marks of the dialect that may begin anywhere in a line, and addresses that would go on behind the words. Emoji stay
 * what they are.
 */
const MARKS = /[*`\\]|(?<=~)~|(?<=\$)\$|<(?=time:)|&(?=#?\w{1,31};)|:(?=\/\/\S*[^\s\w./?=%#:-])/g;
/** Those that may begin in an address, where a reference means its character, too. */
const TARGET_MARKS = /\*|(?<=~)~|(?<=\$)\$|&(?=#?\w{1,31};)/g;
/** What a URL has escaped if it stands for itself: blanks, controls, and what delimits a URL in a text. */
const DELIMITERS = /[\0- \u007f-\u00a0<>"`\\]/g;
/** What may end an address that has no angle brackets around it, by one of the two rules. */
const ENDS = /[()']/;

/** An address that is linked as far as it goes, wherever it stands. */
const BARE = /^https?:\/\/[\w.-]+(?:[/?#][\w./~%?=&#,:;@!+-]*)?(?<=[\w/])$/i;

/** A link with plain words; the words alone where there is no address. @param address one that a message may link to */
export function markdownLink(words: string, address: string): string {
  return markdownLinkAround(plainWords(words), address);
}

/** A link with words that are Markdown already, whose marks all have their ends. */
export function markdownLinkAround(markdown: string, address: string): string {
  const shown = inOneLine(markdown);
  const target = destination(address);
  return target === '' ? shown : `[${shown}](${target})`;
}

/** A link that shows its address: the address alone, where every dialect links all of it wherever it stands. */
export function addressLink(address: string): string {
  return BARE.test(address) ? address : markdownLink(address, address);
}

/** Words as Markdown that shows them as they are. */
export function plainWords(words: string): string {
  return words.replace(MARKS, reference);
}

/** Brackets stay where they read as a part of the words. */
function inOneLine(label: string): string {
  const text = label.replace(/\s+/g, ' ').trim();
  return isBalanced(text) && !text.includes('](') ? text : text.replace(/[[\]]/g, reference);
}

function isBalanced(text: string): boolean {
  let open = 0;
  for (const [bracket] of text.matchAll(/[[\]]/g)) {
    open += bracket === '[' ? 1 : -1;
    if (open < 0) return false;
  }
  return open === 0;
}

/** An address as browsers take it, without line breaks and what is blank around it, so that no rule ends it early. */
function destination(address: string): string {
  const escaped = address
    .trim()
    .replace(/[\t\n\r]/g, '')
    .replace(DELIMITERS, encodeURIComponent);
  const target = escaped.replace(TARGET_MARKS, reference);
  return ENDS.test(target) ? `<${target}>` : target;
}

function reference(mark: string): string {
  return `&#${mark.codePointAt(0)};`;
}
