import type { MarkdownIt } from 'markdown-it';

const UNDERSCORE = 0x5f;

/**
 * Adjusts the parser's own constructs to the dialect: no reference links, underlined headings or
 * raw HTML; underscores are ordinary characters, so that `snake_case_names` survive. An address in angle brackets is
 * one that stands for itself between them.
 */
export function dialect(md: MarkdownIt): void {
  md.disable(['reference', 'lheading', 'html_block', 'html_inline', 'replacements', 'smartquotes']);
  md.disable('autolink');
  md.inline.ruler.before('emphasis', 'underscores', (state, scanOnly) => {
    const start = state.pos;
    let end = start;
    while (end < state.posMax && state.src.charCodeAt(end) === UNDERSCORE) end += 1;
    if (end === start) return false;
    if (!scanOnly) state.pending += state.src.slice(start, end);
    state.pos = end;
    return true;
  });
  md.inline.ruler.at('backticks', wholeCode(md));
}

type InlineRule = Parameters<MarkdownIt['inline']['ruler']['at']>[1];

/** Code within a line with the spaces at its beginning and end, which the parser's rule would drop. */
function wholeCode(md: MarkdownIt): InlineRule {
  const rules = md.inline.ruler.getRules('');
  const parsed = rules.find(({ name }) => name === 'backtick')!;
  return (state, scanOnly) => {
    const start = state.pos;
    const before = state.tokens.length;
    if (!parsed(state, scanOnly)) return false;
    const token = state.tokens.at(-1);
    if (!scanOnly && state.tokens.length > before && token?.type === 'code_inline') {
      const { length } = token.markup;
      token.content = state.src.slice(start + length, state.pos - length);
    }
    return true;
  };
}
