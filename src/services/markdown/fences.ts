import type { MarkdownIt, StateBlock } from 'markdown-it';
import { environmentIn, environmentOf } from './render-environment.js';
import { blockEndingAt, fenceAt } from './fence-lines.js';
import { formulaBlock } from './formulas/math.js';
import { pushParagraph } from './element-token.js';

/**
 * Replaces fenced blocks: code (with its language), ```` ```quote ````, ```` ```spoiler Header ````
 * and ```` ```math ````. A quote or spoiler contains blocks of every kind, fenced ones included,
 * and ends at the first fence that closes it and none of them. Indented code looks like fenced
 * code without a language.
 */
export function fences(md: MarkdownIt): void {
  md.block.ruler.at('fence', parseFence, { alt: ['paragraph', 'blockquote', 'list'] });
  md.renderer.rules['formulas'] = (tokens, index, _options, env) =>
    formulaBlock(md, environmentIn(env as object), tokens[index]?.content ?? '');
  // Clients expect no white space between the two parts of a spoiler.
  md.renderer.rules['spoiler_open'] = () =>
    '<div class="spoiler-block"><div class="spoiler-header">\n';
  md.renderer.rules['spoiler_content'] = () =>
    '</div><div class="spoiler-content" aria-hidden="true">\n';
  md.renderer.rules['spoiler_close'] = () => '</div></div>\n';
}

function parseFence(
  state: StateBlock,
  startLine: number,
  endLine: number,
  scanOnly: boolean,
): boolean {
  const fence = fenceAt(state, startLine);
  if (!fence) return false;
  if (scanOnly) return true;
  const { contentEnd, next } = blockEndingAt(state, fence, startLine, endLine);
  if (fence.kind === 'quote') {
    state.push('blockquote_open', 'blockquote', 1);
    parseContent(state, startLine + 1, contentEnd);
    state.push('blockquote_close', 'blockquote', -1);
  } else if (fence.kind === 'spoiler') {
    parseSpoiler(state, fence.label, startLine, contentEnd);
  } else {
    const token = state.push(fence.kind === 'math' ? 'formulas' : 'fence', 'code', 0);
    token.info = fence.label || (environmentOf(state).directory.defaultCodeLanguage ?? '');
    const lines = state.getLines(startLine + 1, contentEnd, state.sCount[startLine] ?? 0, true);
    token.content = lines.replace(/[ \t]+$/gm, '');
  }
  state.line = next;
  return true;
}

/** Parses the lines of a container as blocks of their own. */
export function parseContent(state: StateBlock, startLine: number, endLine: number): void {
  const outer = { parentType: state.parentType, lineMax: state.lineMax };
  // The end of the container ends every paragraph in it, so that is where the document ends too.
  state.parentType = 'blockquote';
  state.lineMax = endLine;
  state.md.block.tokenize(state, startLine, endLine);
  state.parentType = outer.parentType;
  state.lineMax = outer.lineMax;
}

function parseSpoiler(
  state: StateBlock,
  header: string,
  startLine: number,
  contentEnd: number,
): void {
  state.push('spoiler_open', 'div', 1);
  pushParagraph(state, header, startLine);
  state.push('spoiler_content', 'div', 0);
  parseContent(state, startLine + 1, contentEnd);
  state.push('spoiler_close', 'div', -1);
}
