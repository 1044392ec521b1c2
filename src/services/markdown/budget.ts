import type { MarkdownIt, StateInline } from 'markdown-it';

/** Brackets of one message that may begin a link; each is followed to the end of its paragraph. */
const MAX_BRACKETS = 400;

/** Elements of one message, blocks and what is in them; a list item is six, an emoji two; each costs about 5 µs. */
const MAX_TOKENS = 6000;

const OPEN_BRACKET = 0x5b;
const EXCLAMATION = 0x21;

/** A message has more elements than anybody writes; it is shown as it was written. */
export class TooManyElements extends Error {}

/**
 * Bounds the work of one rendering, by what is in the text and not by the clock, so that a text always
 * renders the same: brackets beyond a number are text, and so is a message of very many elements.
 * @throws TooManyElements when it is rendered
 */
export function budget(md: MarkdownIt): void {
  const brackets = new WeakMap<object, number>();
  md.inline.ruler.before('link', 'bracket_budget', (state, scanOnly) => {
    if (!mayBeginLink(state)) return false;
    // The looks ahead count too: they are what costs.
    const count = (brackets.get(state.env as object) ?? 0) + 1;
    brackets.set(state.env as object, count);
    if (count <= MAX_BRACKETS) return false;
    if (!scanOnly) state.pending += state.src[state.pos]!;
    state.pos += 1;
    return true;
  });
  md.core.ruler.after('block', 'block_budget', ({ tokens }) => {
    if (tokens.length > MAX_TOKENS) throw new TooManyElements();
  });
  md.core.ruler.push('element_budget', ({ tokens }) => {
    let count = tokens.length;
    for (const token of tokens) count += token.children?.length ?? 0;
    if (count > MAX_TOKENS) throw new TooManyElements();
  });
}

function mayBeginLink({ src, pos }: StateInline): boolean {
  const code = src.charCodeAt(pos);
  if (code === OPEN_BRACKET) return true;
  return code === EXCLAMATION && src.charCodeAt(pos + 1) === OPEN_BRACKET;
}
