import type { MarkdownIt } from 'markdown-it';

/** What may be an address: most texts are none and need no closer look. */
export const MAY_LINK = /[^\s.]\.[^\s.]|:\/\/|@|\b(?:mailto|tel):/i;
/** A domain that more often is the name of a file. */
const FILE_NAME = /^[^/?#:]+\.(?:java|md|mov|py|zip)(?=$|[/?#:])/i;
/** Addresses of one text that become links; further ones stay text. */
const MAX_ADDRESSES = 500;
/** Schemes of programs whose addresses lead to a place in them, as existing servers link them. */
export const PROGRAM_SCHEMES = ['asanadesktop', 'hansoft', 'obsidian', 'zotero'] as const;
const PLACE = /^\/\/[^\s/?#<>"'][^\s<>"']{0,1997}(?<![.,:;!?)\]*])/;
const TELEPHONE = /^[+\d(][\d() .-]{1,30}\d/;
/** Domains without a country that people name bare, beside those the library knows. */
const MORE_DOMAINS =
  'app art blog chat cloud club company design dev digital email events foundation games global google group ' +
  'health int jobs life link live media mil mobi network news online page run site social software space ' +
  'store studio systems team tech tel today tools top travel wiki work world xyz zone';

/** What of a text becomes a link as it stands: addresses with and without scheme, without the colon after them. */
export function addressesInText(linkify: MarkdownIt['linkify']): void {
  linkify.set({ fuzzyLink: true, fuzzyEmail: true, fuzzyIP: false, urlAuth: true });
  linkify.tlds(MORE_DOMAINS.split(' '), true);
  linkify.add('ftp:', null).add('//', null);
  linkify.add('tel:', {
    validate: (text, position) =>
      TELEPHONE.exec(text.slice(position, position + 40))?.[0].length ?? 0,
  });
  for (const scheme of PROGRAM_SCHEMES) {
    linkify.add(`${scheme}:`, {
      validate: (text, position) =>
        PLACE.exec(text.slice(position, position + 2000))?.[0].length ?? 0,
    });
  }
  const [test, match, atStart] = [
    linkify.test.bind(linkify),
    linkify.match.bind(linkify),
    linkify.matchAtStart.bind(linkify),
  ];
  linkify.test = (text) => MAY_LINK.test(text) && test(text.replace(OTHER_SCHEME, ' '));
  linkify.match = (text) => {
    // A name of something before a domain is no scheme, and no reason to miss the domain.
    const found = match(text.replace(OTHER_SCHEME, ' ')) ?? [];
    return found
      .filter(({ schema, raw }) => schema !== '' || !FILE_NAME.test(raw))
      .filter(({ schema, lastIndex }) => schema !== 'mailto:' || text[lastIndex] !== '/')
      .filter(({ index }) => !ATTRIBUTE.test(text.slice(Math.max(0, index - 2), index)))
      .slice(0, MAX_ADDRESSES)
      .flatMap((address) => withParentheses(text, withoutColon(address)) ?? []);
  };
  linkify.matchAtStart = (text) => {
    const found = atStart(text);
    return found ? (withParentheses(text, withoutColon(found)) ?? null) : found;
  };
}

/** The colon between a word that begins no address and a domain. */
const OTHER_SCHEME =
  /(?<=\b(?!https?:|ftp:|mailto:|tel:|sms:)[a-z]{3,20}):(?=[a-z\d-]{1,63}\.[a-z])/gi;
/** `src="http://…`: the value of something is no link. */
const ATTRIBUTE = /=["']?$/;
export const ATTRIBUTE_SCHEME = /=["']?[a-z]{2,8}$/i;
/** How deep parentheses nest in an address; the library knows one level. */
const MAX_PARENTHESES = 6;

/**
 * With the parentheses that follow it directly, and what follows these, if all of them close; undefined where they nest
 * too deeply.
 */
function withParentheses(text: string, address: Address): Address | undefined {
  const start = address.lastIndex;
  if (text[start] !== '(' || !/^https?:$/.test(address.schema)) return address;
  let depth = 0;
  let end = start;
  for (let at = start; at < text.length && !/[\s<>"]/.test(text[at]!); at += 1) {
    if (text[at] === '(') depth += 1;
    else if (text[at] === ')') depth -= 1;
    if (depth < 0) break;
    if (depth > MAX_PARENTHESES) return undefined;
    if (depth === 0 && /[\w/)-]/.test(text[at]!)) end = at + 1;
  }
  if (depth > 0 || end === start) return address;
  const more = text.slice(start, end);
  const { raw, text: shown, url } = address;
  return Object.assign(address, {
    raw: raw + more,
    text: shown + more,
    url: url + more,
    lastIndex: end,
  });
}

type Address = NonNullable<ReturnType<MarkdownIt['linkify']['match']>>[number];

/** `see https://example.com/a: it says…`: the colon is the sentence's. */
function withoutColon(address: Address): Address {
  if (!address.raw.endsWith(':')) return address;
  const cut = (text: string): string => text.replace(/:$/, '');
  const { raw, text, url, lastIndex } = address;
  return Object.assign(address, {
    raw: cut(raw),
    text: cut(text),
    url: cut(url),
    lastIndex: lastIndex - 1,
  });
}
