import type { StateBlock } from 'markdown-it';

/** The opening line of a fenced block. */
export interface Fence {
  /** The fence itself, which has to be repeated exactly to close the block. */
  markup: string;
  kind: 'code' | 'quote' | 'spoiler' | 'math';
  /** Language of code or header of a spoiler. */
  label: string;
}

const OPENING = /^(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*)$/;
/** `python`, `.python`, `{.python}`, `{ .python }`, with whatever follows, such as the header of a spoiler. */
const INFO = /^\{?[ \t]*\.?([\w+#./-]+)\}?(?:[ \t]+([^~`]*))?$/;
const MAX_LABEL_LENGTH = 1000;

/** Reads the fence that opens at a line, if one does. */
export function fenceAt(state: StateBlock, line: number): Fence | undefined {
  const text = fenceText(state, line);
  return text === undefined ? undefined : readFence(text);
}

function readFence(text: string): Fence | undefined {
  const [, markup, info] = OPENING.exec(text) ?? [];
  if (markup === undefined || info === undefined || info.length > MAX_LABEL_LENGTH) {
    return undefined;
  }
  const words = info.trim();
  if (words === '') return { markup, kind: 'code', label: '' };
  const [, label, rest = ''] = INFO.exec(words) ?? [];
  if (label === undefined) return undefined;
  if (label === 'quote' || label === 'quoted') return { markup, kind: 'quote', label: '' };
  if (label === 'spoiler') return { markup, kind: 'spoiler', label: rest.trim() };
  if (label === 'math') return { markup, kind: 'math', label };
  return { markup, kind: 'code', label };
}

/**
 * Where the block that `fence` opened ends: the line after its content, and the line after its
 * closing fence. A block without a closing fence ends with what contains it.
 */
export function blockEndingAt(
  state: StateBlock,
  fence: Fence,
  startLine: number,
  endLine: number,
): { contentEnd: number; next: number } {
  const open = [fence];
  for (let line = startLine + 1; line < endLine; line += 1) {
    if (isOutdented(state, line)) return { contentEnd: line, next: line };
    const text = fenceText(state, line);
    const innermost = open.at(-1);
    if (text === undefined || innermost === undefined) continue;
    if (text.trimEnd() === innermost.markup) {
      open.pop();
      if (open.length === 0) return { contentEnd: line, next: line + 1 };
    } else if (innermost.kind !== 'code') {
      const inner = readFence(text);
      if (inner) open.push(inner);
    }
  }
  return { contentEnd: endLine, next: endLine };
}

function isOutdented(state: StateBlock, line: number): boolean {
  return !state.isEmpty(line) && (state.sCount[line] ?? 0) < state.blkIndent;
}

/** The text of a line that begins like a fence; undefined for every other line. */
function fenceText(state: StateBlock, line: number): string | undefined {
  if ((state.sCount[line] ?? 0) - state.blkIndent >= 4) return undefined;
  const start = (state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0);
  if (!state.src.startsWith('```', start) && !state.src.startsWith('~~~', start)) return undefined;
  return state.src.slice(start, state.eMarks[line]);
}
