import type { MarkdownIt } from 'markdown-it';
import { environmentOf, type RenderEnvironment } from './render-environment.js';

/**
 * Bounds on what one message may cost. A message of 10,000 characters of ordinary text has some hundred tokens;
 * one that is made to be dear could have twenty thousand. What is beyond a bound is shown as it was written, so
 * nothing of a message is lost, and no rendering takes more than some 20 ms.
 */

/** Tokens of blocks: some 600 items of a list. */
export const MAX_BLOCK_TOKENS = 3000;
/** Tokens within paragraphs, items, cells and headings, all together: after so many no text is parsed. */
export const MAX_INLINE_TOKENS = 3000;
/** Tokens of one paragraph, item, cell or heading. */
const MAX_TOKENS_IN_TEXT = 2500;
/** Emoji, each of which is a hundred characters of HTML. */
export const MAX_EMOJI = 1000;
/** Opening brackets that are looked at as the beginning of a link: each may mean a walk to the end. */
const MAX_BRACKETS = 600;

const [OPENING_BRACKET, EXCLAMATION_MARK] = [0x5b, 0x21];

/** Ends the parsing of inline text where the bounds are reached. These rules are asked for every few characters. */
export function inlineBudget(md: MarkdownIt): void {
  md.inline.ruler.before('text', 'inline_budget', (state, scanOnly) => {
    if (state.tokens.length < MAX_TOKENS_IN_TEXT || scanOnly) return false;
    state.pending += state.src.slice(state.pos, state.posMax);
    state.pos = state.posMax;
    return true;
  });
  md.inline.ruler.before('link', 'bracket_budget', (state, scanOnly) => {
    const { src, pos } = state;
    const code = src.charCodeAt(pos);
    if (code !== OPENING_BRACKET && code !== EXCLAMATION_MARK) return false;
    // The beginning of a link or, after an exclamation mark, of a picture.
    const length = code === OPENING_BRACKET ? 1 : 2;
    if (length === 2 && src.charCodeAt(pos + 1) !== OPENING_BRACKET) return false;
    const environment = environmentOf(state);
    environment.brackets += 1;
    if (environment.brackets <= MAX_BRACKETS && src.includes(']', pos)) return false;
    if (!scanOnly) state.pending += src.slice(pos, pos + length);
    state.pos += length;
    return true;
  });
}

/** Counts the tokens of a text that was parsed. @returns whether another one may be */
export function mayParseMore(environment: RenderEnvironment, tokens: number): boolean {
  environment.inlineTokens += tokens;
  return environment.inlineTokens < MAX_INLINE_TOKENS;
}
