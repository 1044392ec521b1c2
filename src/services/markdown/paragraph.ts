import type { StateBlock } from 'markdown-it';

/** Appends a paragraph of inline text, or nothing if there is no text. */
export function pushParagraph(state: StateBlock, text: string, line: number): void {
  if (text === '') return;
  state.push('paragraph_open', 'p', 1).map = [line, line + 1];
  const inline = state.push('inline', '', 0);
  inline.content = text;
  inline.map = [line, line + 1];
  inline.children = [];
  state.push('paragraph_close', 'p', -1);
}
