/** The text of a rendered message: what a reader sees of its HTML. */

import { charactersOfCode } from '../text/emoji-characters.js';

/** A part of the text that lies in one piece in the HTML; an entity and an emoji are pieces of their own. */
export interface Piece {
  /** Where it begins in the text and how long it is there, UTF-16 units. */
  readonly at: number;
  readonly length: number;
  /** Where it begins in the HTML and how long it is there. */
  readonly htmlAt: number;
  readonly htmlLength: number;
}

/** A text and where its parts are in the HTML it comes from. */
export interface RenderedText {
  readonly text: string;
  /** In order; gaps in the text are the ends of paragraphs, cells and the like. */
  readonly pieces: readonly Piece[];
}

/** Tags, entities, and what lies between. */
const PART = /<\/?([a-z\d]*)[^>]*>|&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z\d]{1,31}));|[^<&]+|[<&]/gi;
/** Elements within a word, such as one bold letter; all others end it. */
const INLINE = new Set(
  'a abbr b code del em font i ins kbd mark s small span strong sub sup time u'.split(' '),
);
/** What a picture in the text shows; it is found, but there is nothing to mark. */
const DESCRIPTION = /^<img alt="([^"]+)" class="inline-image/;
/** A custom emoji, which is found by its name, and a Unicode emoji, which is found by its characters and its name. */
const CUSTOM_EMOJI = /^<img alt="([^"]+)" class="emoji"/;
const EMOJI = /^<span aria-label="[^"]*" class="emoji emoji-([\da-f-]+)"/;
const FORMULA = '<span class="katex">';
const NAMED: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00a0'],
]);
const LAST_CODE_POINT = 0x10ffff;

/** The text of HTML as the server renders it: `>` stands in no attribute. */
export function renderedText(html: string): RenderedText {
  const pieces: Piece[] = [];
  let text = '';
  // Elements that are open within a formula, which says everything three times; what was written counts.
  let depth = 0;
  let isSource = false;
  /** What stands before the name of an emoji: its characters, as a word. */
  let emoji = '';
  for (const match of html.matchAll(PART)) {
    const { 0: part, 1: tag, index } = match;
    if (tag !== undefined) {
      if (depth > 0 || part === FORMULA) {
        if (tag === 'span') depth += part[1] === '/' ? -1 : 1;
        else if (tag === 'annotation') isSource = part[1] !== '/';
        continue;
      }
      if (tag === 'span') {
        const code = EMOJI.exec(part)?.[1];
        emoji = code === undefined ? '' : ` ${charactersOfCode(code)}`;
      }
      const custom = tag === 'img' ? CUSTOM_EMOJI.exec(part)?.[1] : undefined;
      if (custom !== undefined) {
        text += custom;
        continue;
      }
      const description = tag === 'img' ? DESCRIPTION.exec(part)?.[1] : undefined;
      if (description !== undefined) text += `\n${renderedText(description).text}`;
      if (!INLINE.has(tag.toLowerCase()) && text !== '' && !text.endsWith('\n')) text += '\n';
      continue;
    }
    if (depth > 0 && !isSource) continue;
    const shown = emoji + (part.length > 2 && part.startsWith('&') ? decoded(match) : part);
    emoji = '';
    const at = text.length;
    pieces.push({ at, length: shown.length, htmlAt: index, htmlLength: part.length });
    text += shown;
  }
  return { text, pieces };
}

/** The character of an entity; an unknown one stands for itself. */
function decoded([entity, , decimal, hexadecimal, name]: RegExpMatchArray): string {
  if (name !== undefined) return NAMED.get(name) ?? entity;
  const code = decimal === undefined ? parseInt(hexadecimal!, 16) : Number(decimal);
  return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : entity;
}
