import type { MarkdownIt } from 'markdown-it';

type BlockRule = ReturnType<MarkdownIt['block']['ruler']['getRules']>[number];

/** What a cell may end with, and what takes that from it, in the order of Python-Markdown's extension for tables. */
const SIGNS = /\\\\|\\?`+|\\\||\|/g;
/** Stands for a bar in code while the rows are split: the parser has taken each such character out of the text. */
const BAR_IN_CODE = '\0';
/**
 * Stands for a backslash that is escaped itself and stands before a bar: the parser takes any backslash there for one
 * that escapes the bar. Half of a surrogate pair, which no text of a message has.
 */
const ESCAPED_BACKSLASH = '\ud800';

/**
 * The parser's rule for tables, in which a bar in code ends no cell, and one behind an escaped backslash does, as in
 * Python-Markdown since 2.6.9.
 * @param endOf the line behind the table that may begin at a line; that line where none does
 */
export function withBarsInCode(
  rule: BlockRule,
  endOf: (state: Parameters<BlockRule>[0], startLine: number, endLine: number) => number,
): BlockRule {
  return (state, startLine, endLine, silent) => {
    const last = endOf(state, startLine, endLine);
    if (last <= startLine) return rule(state, startLine, endLine, silent);
    const { src, bMarks, eMarks, tokens } = state;
    const from = bMarks[startLine]!;
    const to = eMarks[last - 1]!;
    const rows = src.slice(from, to);
    if (!rows.includes('`') && !rows.includes('\\\\|')) {
      return rule(state, startLine, endLine, silent);
    }
    const before = tokens.length;
    state.src = src.slice(0, from) + rows.replace(/.*(?:`|\\\\\|).*/g, hidden) + src.slice(to);
    const found = rule(state, startLine, endLine, silent);
    state.src = src;
    for (const token of tokens.slice(before)) {
      token.content = token.content
        .replaceAll(BAR_IN_CODE, '|')
        .replaceAll(ESCAPED_BACKSLASH, '\\');
    }
    return found;
  };
}

/** A row with its bars in code hidden, and the backslashes that escape no bar. */
function hidden(row: string): string {
  // Pairs from the left: of three backslashes the last one escapes the bar.
  return barsHidden(row).replace(/\\\\(\|?)/g, (pair, bar: string) =>
    bar === '' ? pair : `\\${ESCAPED_BACKSLASH}|`,
  );
}

function barsHidden(row: string): string {
  const signs = [...row.matchAll(SIGNS)].map(({ 0: sign, index }) => ({ sign, index }));
  const runs = signs.filter(({ sign }) => sign.endsWith('`'));
  const regions: { from: number; to: number }[] = [];
  for (let at = 0; at < runs.length; at++) {
    const { sign, index } = runs[at]!;
    // A mark behind a backslash begins no code, but may end it.
    const size = sign.startsWith('\\') ? sign.length - 2 : sign.length;
    const end = size === 0 ? -1 : runs.findIndex((one, i) => i > at && ticks(one.sign) === size);
    if (end < 0) continue;
    regions.push({ from: index, to: runs[end]!.index });
    at = end;
  }
  let text = '';
  let [done, region] = [0, 0];
  for (const { sign, index } of signs) {
    if (!sign.endsWith('|')) continue;
    while (region < regions.length && regions[region]!.to < index) region += 1;
    if (region === regions.length || regions[region]!.from > index) continue;
    // In code a backslash before a bar stays one.
    const bar = index + sign.length - 1;
    text += row.slice(done, bar) + BAR_IN_CODE;
    done = bar + 1;
  }
  return text + row.slice(done);
}

function ticks(sign: string): number {
  return sign.startsWith('\\') ? sign.length - 1 : sign.length;
}
