import type { MarkdownIt, StateCore, Token } from 'markdown-it';
import { EMOJI_CHARACTERS } from '../text/emoji-characters.js';
import {
  codeOfCharacters,
  emojiCode,
  emojiNames,
  EMOTICONS,
  EXTRA_EMOJI,
  EXTRA_EMOJI_PATH,
} from '../text/emoji.js';
import { MAX_EMOJI } from './budget.js';
import type { MentionDirectory, RenderEnvironment } from './render-environment.js';
import { environmentOf } from './render-environment.js';
import type { DialectElement } from './element-token.js';
import { elementToken } from './element-token.js';

const SHORTCODE = String.raw`:(?<name>[\w.+-]{1,80})(?=:)`;
const CHARACTERS = String.raw`(?<emoji>${EMOJI_CHARACTERS})(?!\ufe0e)`;
const EMOTICON = String.raw`(?<=^|[\s,.;?!()[\]"'])(?<emoticon>${Object.keys(EMOTICONS).map(escaped).join('|')})(?=$|[\s,.;?!()[\]"'])`;

const EMOJI = new RegExp(`${SHORTCODE}|${CHARACTERS}`, 'gu');
const EMOJI_AND_EMOTICONS = new RegExp(`${EMOTICON}|${SHORTCODE}|${CHARACTERS}`, 'gu');

/** What every emoji has one of: most texts have none and need no closer look. */
const MAY_BE_EMOJI = /[:;<\u0080-\uffff]/;

/**
 * Adds emoji: `:name:`, literal Unicode emoji and, if the sender wants it, emoticons. They are
 * looked for in text only: not in code, and not in the text of bare URLs.
 */
export function emojiTokens(md: MarkdownIt): void {
  md.core.ruler.before('text_join', 'emoji', (state) => {
    for (const token of state.tokens) {
      if (token.children?.some(mayHaveEmoji)) token.children = withEmoji(state, token.children);
    }
  });
}

function mayHaveEmoji({ type, content }: Token): boolean {
  return type === 'text' && MAY_BE_EMOJI.test(content);
}

function withEmoji(state: StateCore, tokens: Token[]): Token[] {
  const environment = environmentOf(state);
  let inBareUrl = false;
  return tokens.flatMap((token) => {
    if (token.type === 'link_open') inBareUrl = token.info === 'auto';
    else if (token.type === 'link_close') inBareUrl = false;
    return !inBareUrl && mayHaveEmoji(token) ? splitText(state, token, environment) : [token];
  });
}

function splitText(state: StateCore, token: Token, environment: RenderEnvironment): Token[] {
  const { directory } = environment;
  const text = token.content;
  const parts: Token[] = [];
  let done = 0;
  const pushText = (end: number): void => {
    if (end === done) return;
    const part = new state.Token('text', '', 0);
    part.content = text.slice(done, end);
    parts.push(part);
  };
  for (const match of text.matchAll(patternFor(directory))) {
    if (environment.emoji >= MAX_EMOJI) break;
    // The colon that ends an unknown name may begin a known one, but not the one that ended it.
    if (match.index < done) continue;
    const element = elementFor(match.groups ?? {}, directory);
    if (!element) continue;
    environment.emoji += 1;
    pushText(match.index);
    parts.push(elementToken(state.Token, element));
    done = match.index + match[0].length + (match.groups?.['name'] === undefined ? 0 : 1);
  }
  if (done === 0) return [token];
  pushText(text.length);
  return parts;
}

/** Whether a text has emoji or, if the sender wants them, emoticons that become some. */
export function hasEmoji(text: string, directory: MentionDirectory): boolean {
  for (const { groups } of text.matchAll(patternFor(directory))) {
    if (elementFor(groups ?? {}, directory)) return true;
  }
  return false;
}

function patternFor({ translateEmoticons }: MentionDirectory): RegExp {
  return translateEmoticons ? EMOJI_AND_EMOTICONS : EMOJI;
}

function elementFor(
  groups: Record<string, string | undefined>,
  directory: MentionDirectory,
): DialectElement | undefined {
  const { name, emoji, emoticon } = groups;
  if (name !== undefined) return namedEmoji(name, directory);
  if (emoticon !== undefined) return namedEmoji(EMOTICONS[emoticon] ?? '', directory);
  return emoji === undefined ? undefined : literalEmoji(emoji);
}

function namedEmoji(name: string, directory: MentionDirectory): DialectElement | undefined {
  const custom = directory.customEmoji?.(name);
  if (custom) return pictureEmoji(name, custom.source_url);
  if (name === EXTRA_EMOJI) return pictureEmoji(name, EXTRA_EMOJI_PATH);
  const code = emojiCode(name);
  return code === undefined ? undefined : unicodeEmoji(name, code);
}

function pictureEmoji(name: string, address: string): DialectElement {
  return {
    tag: 'img',
    attributes: [
      ['alt', `:${name}:`],
      ['class', 'emoji'],
      ['src', address],
      ['title', name.replaceAll('_', ' ')],
    ],
    text: '',
    meaning: { kind: 'emoji' },
  };
}

function literalEmoji(emoji: string): DialectElement | undefined {
  // Signs such as the copyright sign or arrows are text unless a selector asks for an emoji.
  if ((emoji.codePointAt(0) ?? 0) < 0x2300 && !/[\ufe0f\u20e3]/.test(emoji)) return undefined;
  const code = codeOfCharacters(emoji);
  const name = emojiNames(code)[0];
  return name === undefined ? undefined : unicodeEmoji(name, code);
}

function unicodeEmoji(name: string, code: string): DialectElement {
  const title = name.replaceAll('_', ' ');
  return {
    tag: 'span',
    attributes: [
      ['aria-label', title],
      ['class', `emoji emoji-${code}`],
      ['role', 'img'],
      ['title', title],
    ],
    text: `:${name}:`,
    meaning: { kind: 'emoji' },
  };
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
