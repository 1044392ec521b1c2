import type { MarkdownIt, StateCore, Token } from 'markdown-it';

/** Web addresses, mail addresses and telephone numbers; in particular no `javascript:` and no `data:`. */
const ABSOLUTE = /^(?:https?:\/\/[^\s/?#]|mailto:[^\s]|tel:[+\d*#(])/i;
/** Uploaded files and places in the client, both on this server. */
const RELATIVE = /^(?:\/user_uploads\/[^/]|\/?#narrow\/)/;
const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?:[/?#]|$)/i;
const BARE_DOMAIN = /^(?:[a-z0-9-]{1,63}\.)+[a-z]{2,24}(?:[:/?#]|$)/i;

/** Whether a message may link to `url`. */
export function isSafeUrl(url: string): boolean {
  return ABSOLUTE.test(url) || (RELATIVE.test(url) && !DOT_SEGMENT.test(url));
}

/**
 * Restricts links to safe addresses, links bare URLs and e-mail addresses, and turns the image
 * syntax into a link: loading images from anywhere would tell their owner who reads the message.
 */
export function links(md: MarkdownIt): void {
  const encode = md.normalizeLink.bind(md);
  md.normalizeLink = (url) => encode(BARE_DOMAIN.test(url) ? `http://${url}` : url);
  // A decoded text could look like another address than the one it links to.
  md.normalizeLinkText = (url) => url;
  md.validateLink = isSafeUrl;
  addressesInText(md.linkify);
  md.core.ruler.after('linkify', 'image_links', (state) => {
    for (const token of state.tokens) {
      if (!token.children) continue;
      hideEmptyLinks(token.children);
      token.children = withoutImages(state, token.children);
    }
  });
}

/** What may be an address: most texts are none and need no closer look. */
export const MAY_LINK = /[^\s.]\.[^\s.]|:\/\/|@|\b(?:mailto|tel):/i;
/** A domain that more often is the name of a file. */
const FILE_NAME = /^[^/?#:]+\.(?:java|md|mov|py|zip)(?=$|[/?#:])/i;
/** Addresses of one text that become links; further ones stay text. */
const MAX_ADDRESSES = 500;
const TELEPHONE = /^[+\d(][\d() .-]{1,30}\d/;
/** Domains without a country that people name bare, beside those the library knows. */
const MORE_DOMAINS =
  'app art blog chat cloud club company design dev digital email events foundation games global google group ' +
  'health int jobs life link live media mil mobi network news online page run site social software space ' +
  'store studio systems team tech tel today tools top travel wiki work world xyz zone';

/** What of a text becomes a link as it stands: addresses with and without scheme, without the colon after them. */
function addressesInText(linkify: MarkdownIt['linkify']): void {
  linkify.set({ fuzzyLink: true, fuzzyEmail: true, fuzzyIP: false });
  linkify.tlds(MORE_DOMAINS.split(' '), true);
  linkify.add('ftp:', null).add('//', null);
  linkify.add('tel:', {
    validate: (text, position) =>
      TELEPHONE.exec(text.slice(position, position + 40))?.[0].length ?? 0,
  });
  const [test, match, atStart] = [
    linkify.test.bind(linkify),
    linkify.match.bind(linkify),
    linkify.matchAtStart.bind(linkify),
  ];
  linkify.test = (text) => MAY_LINK.test(text) && test(text);
  linkify.match = (text) => {
    const found = match(text) ?? [];
    return found
      .filter(({ schema, raw }) => schema !== '' || !FILE_NAME.test(raw))
      .slice(0, MAX_ADDRESSES)
      .map(withoutColon);
  };
  linkify.matchAtStart = (text) => {
    const found = atStart(text);
    return found && withoutColon(found);
  };
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

/** `[text]()` leads nowhere: only its text is shown. */
function hideEmptyLinks(tokens: Token[]): void {
  let empty = false;
  for (const token of tokens) {
    if (token.type === 'link_open') empty = token.attrGet('href') === '';
    if (empty && (token.type === 'link_open' || token.type === 'link_close')) token.hidden = true;
    if (token.type === 'link_close') empty = false;
  }
}

function withoutImages(state: StateCore, tokens: Token[]): Token[] {
  if (!tokens.some((token) => token.type === 'image')) return tokens;
  let linkDepth = 0;
  return tokens.flatMap((token) => {
    if (token.type === 'link_open' || token.type === 'link_close') linkDepth += token.nesting;
    if (token.type !== 'image') return [token];
    return linkDepth > 0 ? [textToken(state, token)] : imageLink(state, token);
  });
}

function imageLink(state: StateCore, image: Token): Token[] {
  const open = new state.Token('link_open', 'a', 1);
  open.attrs = [['href', image.attrGet('src') ?? '']];
  const title = image.attrGet('title');
  if (title !== null && title !== '') open.attrs.push(['title', title]);
  // Like an address that was linked as it stands: its text is not looked at again.
  open.info = 'auto';
  return [open, textToken(state, image), new state.Token('link_close', 'a', -1)];
}

/** The description of an image, or its address if it has none. */
function textToken(state: StateCore, image: Token): Token {
  const text = new state.Token('text', '', 0);
  text.content = image.content || String(image.attrGet('src') ?? '');
  return text;
}
