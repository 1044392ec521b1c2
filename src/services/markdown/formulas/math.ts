import type { MarkdownIt, StateInline } from 'markdown-it';
import { environmentOf, type RenderEnvironment, placeholderOf } from '../render-environment.js';
import { renderTex } from './tex.js';

/**
 * Most parts of TeX in one message: commands, and characters outside of these, and what its own macros become. A formula
 * of so many takes some 5 ms, 20 on a slow machine, and becomes 120,000 characters of HTML; what is beyond is shown as
 * formulas with faults are.
 */
export const MAX_TEX_PARTS = 700;
/** What each formula counts besides its parts: to begin and sanitize one takes as long as seven parts do. */
export const FORMULA_PARTS = 7;
const PART = /\\[a-z]+|\S/gi;
/** A macro of the library that takes as long as two parts. */
const DOUBLE_PART = /\\not(?![a-z])/gi;

const DOLLAR = 0x24;
/** A formula within a line. It holds no dollar sign but escaped ones, so that looking for its end stays linear. */
const FORMULA = /\$\$([^\n_$](?:\\\$|[^$\n])*)\$\$(?![$\w])/y;

/** Adds formulas in TeX: `$$formula$$` within a line; fences.ts has those on lines of their own. */
export function math(md: MarkdownIt): void {
  md.inline.ruler.before('escape', 'formula', parseFormula);
  md.renderer.rules['formula'] = (tokens, index) => tokens[index]?.meta?.['html'] as string;
}

function parseFormula(state: StateInline, scanOnly: boolean): boolean {
  const { src, pos } = state;
  if (src.charCodeAt(pos) !== DOLLAR || /[$\w]/.test(src.charAt(pos - 1))) return false;
  FORMULA.lastIndex = pos;
  const tex = FORMULA.exec(src)?.[1];
  const end = FORMULA.lastIndex;
  if (tex === undefined || end > state.posMax) return false;
  if (!scanOnly) {
    const token = state.push('formula', 'span', 0);
    token.content = tex;
    const html = formulaHtml(environmentOf(state), tex, false);
    token.meta = { html: html ?? faulty(state.md, `$$${tex}$$`) };
  }
  state.pos = end;
  return true;
}

/** The paragraphs of a fenced block of TeX, each a formula on lines of its own. */
export function formulaBlock(md: MarkdownIt, environment: RenderEnvironment, tex: string): string {
  const formulas = tex.replace(/\n$/, '').split('\n\n');
  const html = formulas.map((formula) => {
    const shown = formulaHtml(environment, formula, true);
    // Its apostrophes are escaped as nothing else's are, which the sanitizer would undo.
    return shown ?? placeholderOf(environment, faulty(md, formula).replaceAll("'", '&#x27;'));
  });
  return `<p>${html.join('\n\n')}</p>\n`;
}

/** The placeholder of a formula; undefined where it cannot be shown, or the message has used up its bound. */
function formulaHtml(
  environment: RenderEnvironment,
  tex: string,
  display: boolean,
): string | undefined {
  environment.tex += FORMULA_PARTS + countOf(tex, PART) + countOf(tex, DOUBLE_PART);
  if (environment.tex > MAX_TEX_PARTS) return undefined;
  const growing = { left: MAX_TEX_PARTS - environment.tex };
  const html = renderTex(tex, display, environment.time, growing);
  environment.tex = MAX_TEX_PARTS - growing.left;
  return html === undefined ? undefined : placeholderOf(environment, html);
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function faulty(md: MarkdownIt, text: string): string {
  return `<span class="tex-error">${md.utils.escapeHtml(text)}</span>`;
}
