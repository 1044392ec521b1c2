import type { MarkdownIt, StateBlock } from 'markdown-it';
import { parseContent } from '../fences.js';
import { pushParagraph } from '../element-token.js';

const MARK = /^>[ \t]*$/;

/**
 * Shows `>` with nothing after it, nor after those in the next lines, as it was written; a text that follows
 * directly is quoted.
 */
export function emptyQuotations(md: MarkdownIt): void {
  md.block.ruler.before('blockquote', 'empty_quotation', (state, startLine, endLine, scanOnly) => {
    if (scanOnly || !isMark(state, startLine)) return false;
    let line = startLine + 1;
    while (line < endLine && isMark(state, line)) line += 1;
    if (line >= endLine || state.isEmpty(line) || isOutside(state, line)) {
      const marks = state.getLines(startLine, line, state.blkIndent, false);
      pushParagraph(state, marks.trim(), startLine);
      state.line = line;
      return true;
    }
    const start = state.bMarks[line]! + state.tShift[line]!;
    if (state.src[start] === '>') return false;
    let end = line + 1;
    while (end < endLine && !state.isEmpty(end) && !isOutside(state, end)) end += 1;
    state.push('blockquote_open', 'blockquote', 1);
    parseContent(state, line, end);
    state.push('blockquote_close', 'blockquote', -1);
    state.line = end;
    return true;
  });
}

function isMark(state: StateBlock, line: number): boolean {
  if (isOutside(state, line) || state.sCount[line]! - state.blkIndent >= 4) return false;
  return MARK.test(state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]));
}

function isOutside(state: StateBlock, line: number): boolean {
  return state.sCount[line]! < state.blkIndent;
}
