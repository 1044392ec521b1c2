import type { MarkdownIt, Token } from 'markdown-it';

/** An item of a numbered list, and something that is indented: only with both there is anything to do. */
const NUMBERED = /^ *\d{1,9}[.)] /m;
const INDENTED = /^ {2,}\S/m;
const ITEM = /^( *)([-*+]|\d{1,9}[.)]) +\S/;
const NUMBER = /^\d{1,9}[.)] +\S/;
const FENCE = /^ *(`{3,}|~{3,})/;

interface Item {
  /** Columns before its marker, as it was written. */
  readonly indent: number;
  /** Column where the parser expects what belongs to it. */
  readonly content: number;
  /** Columns by which lines that belong to it are moved. */
  readonly shift: number;
}

/**
 * Lets two spaces nest a list in a numbered one, as existing clients write it: the parser asks for as many as the
 * marker is wide. A nested list begins directly after the text of its item.
 */
export function listIndentation(md: MarkdownIt): void {
  md.core.ruler.before('block', 'list_indentation', (state) => {
    if (NUMBERED.test(state.src) && INDENTED.test(state.src)) state.src = indented(state.src);
  });
  // The parser lets only a list that begins with 1 follow a text directly; within an item every one does.
  md.block.ruler.before(
    'list',
    'numbered_in_item',
    (state, startLine, _endLine, scanOnly) => {
      if (!scanOnly || state.listIndent < 0 || state.sCount[startLine]! < state.blkIndent)
        return false;
      const start = state.bMarks[startLine]! + state.tShift[startLine]!;
      return NUMBER.test(state.src.slice(start, start + 12));
    },
    { alt: ['paragraph'] },
  );
  for (const type of ['bullet_list_open', 'ordered_list_open']) {
    md.renderer.rules[type] = (tokens, index, options, _env, renderer) => {
      const html = renderer.renderToken(tokens, index, options);
      return html.startsWith('\n') ? html.slice(1) : html;
    };
  }
}

function indented(source: string): string {
  const items: Item[] = [];
  let fence: string | undefined;
  const lines = source.split('\n').map((line) => {
    const text = line.trimStart();
    if (text === '') return line;
    const indent = line.length - text.length;
    if (fence === undefined) {
      const [, , marker] = ITEM.exec(line) ?? [];
      // What is two columns further in than an item belongs to it.
      while (items.length > 0 && indent < items.at(-1)!.indent + 2) items.pop();
      if (marker !== undefined) return pushItem(items, line, indent, marker);
    }
    const shift = items.at(-1)?.shift ?? 0;
    const [, markup] = FENCE.exec(line) ?? [];
    if (fence === undefined) fence = markup;
    else if (text.trimEnd() === fence) fence = undefined;
    return ' '.repeat(shift) + line;
  });
  return lines.join('\n');
}

/** The line of an item, moved to where the parser sees it in its parent. */
function pushItem(items: Item[], line: string, indent: number, marker: string): string {
  const parent = items.at(-1);
  // So far in it is code.
  if (!parent && indent >= 4) return line;
  const shift = parent ? Math.max(parent.shift, parent.content - indent) : 0;
  items.push({ indent, shift, content: indent + shift + marker.length + 1 });
  return ' '.repeat(shift) + line;
}

/** Makes one list of items whose marks differ (`*`, `-`, `+`), as existing clients have it. */
export function bulletLists(md: MarkdownIt): void {
  md.core.ruler.after('block', 'one_bullet_list', (state) => {
    const { tokens } = state;
    if (!tokens.some((_, index) => isSeam(tokens, index))) return;
    state.tokens = tokens.filter(
      (_, index) => !isSeam(tokens, index) && !isSeam(tokens, index - 1),
    );
  });
}

/** Whether a list ends at a token and another begins with the next one. */
function isSeam(tokens: readonly Token[], index: number): boolean {
  return (
    tokens[index]?.type === 'bullet_list_close' && tokens[index + 1]?.type === 'bullet_list_open'
  );
}
