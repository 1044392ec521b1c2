import TurndownService from 'turndown';
import {
  addressLink,
  markdownLink,
  markdownLinkAround,
  plainWords,
} from '../../languages/markdown-link.js';
import { boundedHtml } from './mail-html.js';

/**
 * Longer HTML is cut: a message has 10,000 characters, and reading takes time that grows with the text. UTF-16 units.
 */
const MAX_HTML = 200_000;

/**
 * HTML of a mail as Markdown.
 * @param includeQuotes keep what the mail quotes of earlier ones
 * @throws Error for HTML that the library cannot read
 */
export function htmlToMarkdown(html: string, includeQuotes: boolean): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    bulletListMarker: '*',
    codeBlockStyle: 'fenced',
    emDelimiter: '*',
    hr: '---',
  });
  // The dialect knows no escapes: a backslash would be seen.
  service.escape = (text) => text;
  service.addRule('picture', { filter: 'img', replacement: (_text, node) => pictureText(node) });
  service.addRule('link', { filter: 'a', replacement: (text, node) => linkText(text, node) });
  return service
    .turndown(boundedHtml(html.slice(0, MAX_HTML), includeQuotes))
    .replaceAll('\u00a0', ' ');
}

interface Element {
  readonly nodeName: string;
  readonly parentNode: Element | null;
  getAttribute(name: string): string | null;
}

function isElement(node: unknown): node is Element {
  return typeof (node as Partial<Element>).getAttribute === 'function';
}

/** An address that a message may link; empty for any other. */
function addressOf(node: unknown, attribute: string): string {
  const address = isElement(node) ? (node.getAttribute(attribute) ?? '').trim() : '';
  return /^(?:https?:\/\/[^\s/?#]|mailto:[^\s])/i.test(address) ? address : '';
}

/** Pictures without a name are decoration, or count who reads the mail. In a link the name is what it shows. */
function pictureText(node: unknown): string {
  const name = isElement(node) ? (node.getAttribute('alt') ?? '').trim() : '';
  if (name === '') return '';
  return isElement(node) && isInLink(node)
    ? plainWords(name)
    : markdownLink(name, addressOf(node, 'src'));
}

function isInLink(node: Element): boolean {
  for (let at = node.parentNode; at; at = at.parentNode) {
    if (at.nodeName === 'A') return true;
  }
  return false;
}

/** The texts in a link are [plain words](mail-html.ts) already. */
function linkText(text: string, node: unknown): string {
  const address = addressOf(node, 'href');
  const shown = text.trim();
  if (address === '' || shown === '') return text;
  if (shown === address) return addressLink(address);
  if (`mailto:${shown}` === address && /^[\w.+-]+@[\w.-]+\w$/.test(shown)) return shown;
  return markdownLinkAround(shown, address);
}
