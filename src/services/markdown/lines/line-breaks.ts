import type { MarkdownIt, StateCore, StateInline } from 'markdown-it';

const NEWLINE = 0x0a;

/**
 * Keeps lines as they were written, with the spaces at their beginning and end, which the parser would drop. Stars in
 * different lines have nothing to do with each other: nothing strong or emphasized goes on in the next line.
 */
export function lineBreaks(md: MarkdownIt): void {
  md.inline.ruler.at('newline', (state, scanOnly) => {
    if (state.src.charCodeAt(state.pos) !== NEWLINE) return false;
    if (!scanOnly) {
      state.push('softbreak', 'br', 0);
      forgetStars(state);
    }
    state.pos += 1;
    return true;
  });
  md.core.ruler.after('block', 'spaces_of_lines', (state) => {
    if (/\S[ \t]+(?:\n|$)/.test(state.src)) keepTrailingSpaces(state);
    if (/\n +[^ ]/.test(state.src)) keepIndentation(state);
  });
}

/** Begins a list of delimiters of its own; the parser pairs those of each list that a token holds. */
function forgetStars(state: StateInline): void {
  // Within a link the parser goes back to the list outside at its end.
  if (state.linkLevel > 0 || state.level > 0 || state.delimiters.length === 0) return;
  state.tokens_meta[state.tokens.length - 1] = { delimiters: state.delimiters };
  state.delimiters = [];
}

/** The parser takes the spaces after the last line of a paragraph for nothing. */
function keepTrailingSpaces({ src, tokens }: StateCore): void {
  const lines = src.split('\n');
  tokens.forEach((token, index) => {
    if (token.type !== 'inline' || token.content === '' || !token.map) return;
    if (tokens[index - 1]?.type !== 'paragraph_open') return;
    const line = lines[token.map[1] - 1] ?? '';
    const text = line.trimEnd();
    const last = token.content.slice(token.content.lastIndexOf('\n') + 1).trimStart();
    if (last !== '' && text.endsWith(last)) token.content += line.slice(text.length);
  });
}

/** Columns that belong to each list around a line. */
const LIST_COLUMNS = 2;

/** The parser takes the indentation of further lines in an item's first text for the item's. */
function keepIndentation({ src, tokens }: StateCore): void {
  const lines = src.split('\n');
  let depth = 0;
  tokens.forEach((token, index) => {
    if (token.type.endsWith('_list_open')) depth += 1;
    else if (token.type.endsWith('_list_close')) depth -= 1;
    if (token.type !== 'inline' || !token.map || depth === 0) return;
    if (tokens[index - 2]?.type !== 'list_item_open') return;
    const [first] = token.map;
    const texts = token.content.split('\n').map((text, number) => {
      const line = lines[first + number] ?? '';
      const start = line.length - line.trimStart().length;
      if (number === 0 || line.trim() !== text.trim()) return text;
      return line.slice(Math.min(start, LIST_COLUMNS * (depth - 1)));
    });
    token.content = texts.join('\n');
  });
}
