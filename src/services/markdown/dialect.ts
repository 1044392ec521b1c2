import type { MarkdownIt } from 'markdown-it';

const UNDERSCORE = 0x5f;

/**
 * Adjusts the parser's own constructs to the dialect: no reference links, underlined headings or
 * raw HTML; underscores are ordinary characters, so that `snake_case_names` survive; `~~text~~`
 * is deleted text.
 */
export function dialect(md: MarkdownIt): void {
  md.disable(['reference', 'lheading', 'html_block', 'html_inline', 'replacements', 'smartquotes']);
  md.inline.ruler.before('emphasis', 'underscores', (state, scanOnly) => {
    const start = state.pos;
    let end = start;
    while (end < state.posMax && state.src.charCodeAt(end) === UNDERSCORE) end += 1;
    if (end === start) return false;
    if (!scanOnly) state.pending += state.src.slice(start, end);
    state.pos = end;
    return true;
  });
  for (const type of ['s_open', 's_close']) {
    md.renderer.rules[type] = (tokens, index, options, _env, renderer) => {
      const token = tokens[index];
      if (token) token.tag = 'del';
      return renderer.renderToken(tokens, index, options);
    };
  }
}
