import type { MarkdownIt, StateCore, Token } from 'markdown-it';
import { addressLink, markdownLink } from '../../languages/markdown-link.js';
import { ATTRIBUTE_SCHEME, PROGRAM_SCHEMES, addressesInText } from './addresses.js';
import { MediaInText } from './media/media-in-text.js';
import { environmentOf } from './render-environment.js';

/**
 * Addresses of the web, of mails and their parts, and of places in some programs, and telephone numbers; in particular
 * no `javascript:` and no `data:`.
 */
const ABSOLUTE = new RegExp(
  String.raw`^(?:(?:https?|${PROGRAM_SCHEMES.join('|')}):\/\/[^\s/?#]|(?:mailto|mid):[^\s]|(?:tel|sms):[+\d*#(])`,
  'i',
);
/** Uploaded files and places in the client, both on this server. */
const RELATIVE = /^(?:\/user_uploads\/[^/]|\/?#narrow\/)/;
const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e){1,2}(?:[/?#]|$)/i;
const BARE_DOMAIN = /^(?:[a-z0-9-]{1,63}\.)+[a-z]{2,24}(?:[:/?#]|$)/i;

/** Whether a message may link to `url`. */
export function isSafeUrl(url: string): boolean {
  return ABSOLUTE.test(url) || (RELATIVE.test(url) && !DOT_SEGMENT.test(url));
}

/**
 * A link in Markdown to an address that somebody else wrote. Both stay in sight where no message may link there; the
 * address alone stands where it reads as it is.
 */
export function linkOrWords(words: string, address: string): string {
  const [shown, target] = [words.trim(), address.trim()];
  if (shown === '' || shown === target) {
    return isSafeUrl(target) ? addressLink(target) : target;
  }
  if (isSafeUrl(target)) return markdownLink(shown, target);
  return target === '' ? shown : `${shown} (${target})`;
}

/**
 * Restricts links to safe addresses, links bare URLs and e-mail addresses, and turns the image
 * syntax of what is no uploaded picture or sound into a link: loading images from anywhere would reveal to their
 * owner who reads the message.
 */
export function links(md: MarkdownIt): void {
  const encode = md.normalizeLink.bind(md);
  md.normalizeLink = (url) => encode(BARE_DOMAIN.test(url) ? `http://${url}` : url);
  // A decoded text could look like another address than the one it links to.
  md.normalizeLinkText = (url) => url;
  md.validateLink = isSafeUrl;
  addressesInText(md.linkify);
  const atScheme = md.inline.ruler.getRules('').find(({ name }) => name === 'linkify')!;
  md.inline.ruler.at('linkify', (state, scanOnly) => {
    return !ATTRIBUTE_SCHEME.test(state.pending.slice(-12)) && atScheme(state, scanOnly);
  });
  md.core.ruler.after('linkify', 'image_links', (state) => {
    const media = new MediaInText(state);
    for (const token of state.tokens) {
      if (!token.children) continue;
      repairLinks(state, token.children);
      token.children = withoutImages(state, token.children, media);
    }
  });
}

/**
 * `[text]()` leads nowhere: only its text is shown. `[](address)` shows its address. A place in the client has the
 * short form in which clients go there without loading anything.
 */
function repairLinks(state: StateCore, tokens: Token[]): void {
  const { publicUrl } = environmentOf(state);
  let empty = false;
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'link_open') {
      const href = String(token.attrGet('href') ?? '');
      empty = href === '';
      if (publicUrl !== undefined && href.startsWith(`${publicUrl}/#narrow/`)) {
        token.attrSet('href', href.slice(publicUrl.length + 1));
      }
      if (!empty) giveText(state, tokens, index, href);
    }
    if (empty && (token.type === 'link_open' || token.type === 'link_close')) token.hidden = true;
    if (token.type === 'link_close') empty = false;
  }
}

/** Shows the address of a link that has no other text. */
function giveText(state: StateCore, tokens: Token[], index: number, href: string): void {
  const next = tokens[index + 1];
  if (next?.type === 'link_close') {
    const text = new state.Token('text', '', 0);
    text.content = href;
    tokens.splice(index + 1, 0, text);
  } else if (next?.type === 'text' && next.content.trim() === '') {
    if (tokens[index + 2]?.type === 'link_close') next.content = href;
  }
}

function withoutImages(state: StateCore, tokens: Token[], media: MediaInText): Token[] {
  if (!tokens.some((token) => token.type === 'image')) return tokens;
  let linkDepth = 0;
  return tokens.flatMap((token) => {
    if (token.type === 'link_open' || token.type === 'link_close') linkDepth += token.nesting;
    if (token.type !== 'image') return [token];
    if (linkDepth > 0) return [textToken(state, token)];
    const shown = media.tokenFor(token);
    return shown ? [shown] : imageLink(state, token);
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
