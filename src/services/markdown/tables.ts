import type { MarkdownIt, StateBlock, StateCore, Token } from 'markdown-it';
import { environmentOf } from './render-environment.js';
import { pushParagraph } from './element-token.js';
import { withBarsInCode } from './table-code.js';

/**
 * Most table cells in one message. Rows are filled up to the width of their table, so a short
 * source can ask for a great many cells; a table that would go over the limit stays text.
 */
export const MAX_TABLE_CELLS = 4096;

const DELIMITER_ROW = /^[|:\- \t]+$/;

/**
 * Bounds the cells of the tables in a message, spells their alignment as clients expect, and gives
 * a table without rows one of empty cells: the mobile app knows no table without a body.
 */
export function tables(md: MarkdownIt): void {
  md.block.ruler.before('table', 'oversized_table', (state, startLine, endLine, scanOnly) => {
    if (scanOnly) return false;
    const end = endOfTable(state, startLine, endLine);
    if (end === startLine) return false;
    const delimiters = lineText(state, startLine + 1);
    const environment = environmentOf(state);
    const cells = delimiters.split('|').length * (end - startLine);
    if (environment.tableCells + cells <= MAX_TABLE_CELLS) {
      environment.tableCells += cells;
      return false;
    }
    const text = state.getLines(startLine, end, state.blkIndent, false).trim();
    pushParagraph(state, text, startLine);
    state.line = end;
    return true;
  });
  const parsed = md.block.ruler.getRules('').find(({ name }) => name === 'table')!;
  md.block.ruler.at('table', withBarsInCode(parsed, endOfTable), {
    alt: ['paragraph', 'reference'],
  });
  md.core.ruler.after('block', 'table_body', (state) => {
    // Nearly no message has one.
    if (!state.tokens.some(endsBare)) return;
    state.tokens = state.tokens.flatMap((token, index, tokens) =>
      endsBare(token, index, tokens) ? [...emptyBody(state, tokens, index), token] : [token],
    );
  });
  for (const type of ['th_open', 'td_open']) {
    md.renderer.rules[type] = (tokens, index, options, _env, renderer) => {
      const style = String(tokens[index]?.attrGet('style') ?? '');
      const alignment = /left|center|right/.exec(style)?.[0];
      // Clients compare the style of a cell literally.
      if (alignment) tokens[index]?.attrSet('style', `text-align: ${alignment};`);
      return renderer.renderToken(tokens, index, options);
    };
  }
}

/** Whether a token ends a table without a body. */
function endsBare({ type }: Token, index: number, tokens: readonly Token[]): boolean {
  return type === 'table_close' && tokens[index - 1]?.type === 'thead_close';
}

/** A body of one row with a cell per column of the heading that ends before `end`. */
function emptyBody(state: StateCore, tokens: readonly Token[], end: number): Token[] {
  const start = tokens.findLastIndex(({ type }, index) => index < end && type === 'thead_open');
  const [first] = tokens.slice(start, end);
  const element = (type: string, tag: string, nesting: 1 | -1): Token => {
    const token = new state.Token(type, tag, nesting);
    token.block = true;
    if (first) token.level = first.level;
    return token;
  };
  const cells = tokens.slice(start, end).flatMap((heading) => {
    if (heading.type !== 'th_open') return [];
    const open = element('td_open', 'td', 1);
    open.attrs = heading.attrs?.map(([name, value]) => [name, value]) ?? null;
    return [open, element('td_close', 'td', -1)];
  });
  return [
    element('tbody_open', 'tbody', 1),
    element('tr_open', 'tr', 1),
    ...cells,
    element('tr_close', 'tr', -1),
    element('tbody_close', 'tbody', -1),
  ];
}

function lineText(state: StateBlock, line: number): string {
  const start = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
  return state.src.slice(start, state.eMarks[line]);
}

/** The line behind the table that may begin at a line; that line where none does. */
function endOfTable(state: StateBlock, startLine: number, endLine: number): number {
  if (startLine + 1 >= endLine) return startLine;
  const delimiters = lineText(state, startLine + 1);
  const isTable = delimiters.includes('|') && DELIMITER_ROW.test(delimiters);
  return isTable ? firstEmptyLine(state, startLine, endLine) : startLine;
}

function firstEmptyLine(state: StateBlock, startLine: number, endLine: number): number {
  let line = startLine;
  while (line < endLine && !state.isEmpty(line)) line += 1;
  return line;
}
