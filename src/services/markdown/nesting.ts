import type { MarkdownIt, StateCore, Token } from 'markdown-it';
import { MAX_BLOCK_TOKENS, mayParseMore } from './budget.js';
import { environmentOf } from './render-environment.js';
import { pushParagraph } from './element-token.js';

/**
 * Deepest nesting of blocks (a quotation is one level, a list two) that is still parsed. Deeper
 * text becomes one plain paragraph: nothing of the message is lost, and the work per character
 * and the depth of the HTML that clients have to walk stay bounded.
 */
const MAX_BLOCK_LEVEL = 40;

/** Bounds the nesting and the number of blocks, and tracks which text is quoted. */
export function nesting(md: MarkdownIt): void {
  md.block.ruler.before('table', 'deepest_level', (state, startLine, endLine, scanOnly) => {
    if (scanOnly) return false;
    if (state.level < MAX_BLOCK_LEVEL && state.tokens.length < MAX_BLOCK_TOKENS) return false;
    pushParagraph(
      state,
      state.getLines(startLine, endLine, state.blkIndent, false).trim(),
      startLine,
    );
    state.line = endLine;
    return true;
  });
  md.core.ruler.at('inline', (state) => {
    const environment = environmentOf(state);
    let quotations = 0;
    let isParsed = true;
    for (const token of state.tokens) {
      if (token.type === 'blockquote_open') quotations += 1;
      else if (token.type === 'blockquote_close') quotations -= 1;
      if (token.type !== 'inline' || !token.children) continue;
      environment.quoted = quotations > 0;
      if (isParsed) {
        state.md.inline.parse(token.content, state.md, state.env, token.children);
        isParsed = mayParseMore(environment, token.children.length);
      } else token.children.push(plainText(state, token.content));
    }
  });
}

function plainText(state: StateCore, content: string): Token {
  const text = new state.Token('text', '', 0);
  text.content = content;
  return text;
}
