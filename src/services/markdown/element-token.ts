import type { MarkdownIt, Token, StateBlock } from 'markdown-it';

/**
 * Tokens for elements that consist of a tag, attributes and plain text: mentions, channel links,
 * emoji, times. One token type and one renderer rule serve them all; `meta` says what a token
 * stands for, so that facts about the message are read off the tokens and not off the HTML.
 */

const ELEMENT = 'dialect_element';

/** What an element stands for, for the facts about the message. */
export type ElementMeaning =
  | { kind: 'user'; userId: number; silent: boolean }
  | { kind: 'group'; groupId: number; silent: boolean }
  | { kind: 'channel_wildcard'; silent: boolean }
  | { kind: 'topic_wildcard'; silent: boolean }
  | { kind: 'channel' | 'emoji' | 'time' };

/** An element of the dialect, as it is shown. */
export interface DialectElement {
  tag: 'span' | 'a' | 'img' | 'time';
  attributes: [name: string, value: string][];
  text: string;
  /** Shown in italics after the text. */
  emphasized?: string;
  meaning: ElementMeaning;
}

/** Appends an element to the tokens of a state that can create tokens. */
export function pushElement(
  state: { push(type: string, tag: string, nesting: 0): Token },
  element: DialectElement,
): void {
  fillToken(state.push(ELEMENT, element.tag, 0), element);
}

/** Creates a free-standing element token, for rules that rewrite a list of tokens. */
export function elementToken(
  create: new (type: string, tag: string, nesting: 0) => Token,
  element: DialectElement,
): Token {
  return fillToken(new create(ELEMENT, element.tag, 0), element);
}

/** What an element token stands for; undefined for any other token. */
export function meaningOf(token: Token): ElementMeaning | undefined {
  return token.type === ELEMENT ? (token.meta?.['meaning'] as ElementMeaning) : undefined;
}

/** Teaches the parser to render element tokens. */
export function elementTokens(md: MarkdownIt): void {
  md.renderer.rules[ELEMENT] = (tokens, index, _options, _env, renderer) => {
    const token = tokens[index];
    if (!token) return '';
    const open = `<${token.tag}${renderer.renderAttrs(token)}>`;
    if (token.tag === 'img') return open;
    const emphasized = token.meta?.['emphasized'];
    const tail =
      typeof emphasized === 'string' ? `<em>${md.utils.escapeHtml(emphasized)}</em>` : '';
    return `${open}${md.utils.escapeHtml(token.content)}${tail}</${token.tag}>`;
  };
}

function fillToken(token: Token, element: DialectElement): Token {
  token.attrs = element.attributes;
  token.content = element.text;
  token.meta = { meaning: element.meaning, emphasized: element.emphasized };
  return token;
}

/** Appends a paragraph of inline text, or nothing if there is no text. */
export function pushParagraph(state: StateBlock, text: string, line: number): void {
  if (text === '') return;
  state.push('paragraph_open', 'p', 1).map = [line, line + 1];
  const inline = state.push('inline', '', 0);
  inline.content = text;
  inline.map = [line, line + 1];
  inline.children = [];
  state.push('paragraph_close', 'p', -1);
}
