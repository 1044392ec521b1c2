import type { MarkdownIt } from 'markdown-it';
import { codeLanguage } from './code-languages.js';
import { environmentIn, type RenderEnvironment, placeholderOf } from '../render-environment.js';
import { escaped, highlighted } from './highlight.js';

/**
 * Most characters of code in one message that are coloured, UTF-16 units: a hundred and fifty lines. Telling their
 * parts takes 4 ms, ten times that the first time. A block that goes over the bound is plain.
 */
const MAX_CODE_LENGTH = 6000;
/** Most coloured parts in one message, each some 25 characters of HTML; what follows is plain. */
const MAX_CODE_PARTS = 2500;
/** Most blocks in one message that are coloured. */
const MAX_CODE_BLOCKS = 100;

/** Code whose first line says what it is: `#!/usr/bin/python3`, `:::python`. */
const FIRST_LINE = /^(?:#!.*?([\w+-]+)[\d.]*(?: .*)?|:::([\w+-]+))(?:\n|$)/;

/** Renders code, with its language if it has one, coloured if that is known (highlight.ts). */
export function codeBlocks(md: MarkdownIt): void {
  md.renderer.rules['fence'] = (tokens, index, _options, env) => {
    const token = tokens[index];
    return token ? codeBlock(md, environmentIn(env as object), token.content, token.info) : '';
  };
  md.renderer.rules['code_block'] = (tokens, index, _options, env) =>
    codeBlock(md, environmentIn(env as object), tokens[index]?.content ?? '', '');
}

function codeBlock(
  md: MarkdownIt,
  environment: RenderEnvironment,
  content: string,
  label: string,
): string {
  const text = content.replace(/^\n+|\n+$/g, '');
  const code = text === '' ? '' : `${text}\n`;
  const { name } = codeLanguage(label);
  const attribute = label === '' ? '' : ` data-code-language="${md.utils.escapeHtml(name)}"`;
  const html = coloured(environment, code, grammarOf(label, code)) ?? escaped(code);
  // Text without quotation marks is the same before the sanitizer and after.
  const inner = /<|&(?:quot|#39);/.test(html) ? placeholderOf(environment, html) : html;
  return `<div class="codehilite"${attribute}><pre><span></span><code>${inner}</code></pre></div>\n`;
}

function grammarOf(label: string, code: string): string | undefined {
  if (label !== '') return codeLanguage(label).grammar;
  const [, program, named] = FIRST_LINE.exec(code.slice(0, 200)) ?? [];
  const name = program ?? named;
  return name === undefined ? undefined : codeLanguage(name).grammar;
}

function coloured(
  environment: RenderEnvironment,
  code: string,
  grammar: string | undefined,
): string | undefined {
  environment.code += code.length;
  environment.codeBlocks += 1;
  const left = MAX_CODE_PARTS - environment.codeParts;
  if (grammar === undefined || left <= 0) return undefined;
  if (environment.code > MAX_CODE_LENGTH || environment.codeBlocks > MAX_CODE_BLOCKS)
    return undefined;
  const html = highlighted(code, grammar, left, environment.time);
  if (html !== undefined) environment.codeParts += html.split('<span').length - 1;
  return html;
}
