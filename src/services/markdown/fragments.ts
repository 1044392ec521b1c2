import { environmentIn, type RenderEnvironment } from './mention-directory.js';

/**
 * HTML that this server makes by itself out of formulas and code. It has elements and attributes by the dozen that no
 * other text may have, so it does not go through the sanitizer: a placeholder does, in whose place it is put after.
 * Nobody can write a placeholder, since no HTML of a message reaches the sanitizer as such; if somebody could, it
 * would stand for a formula of the same message.
 */

/** Class of a placeholder, with the number of its fragment. */
export const FRAGMENT_CLASS = /^fragment-\d{1,5}$/;
const PLACEHOLDER = /<span class="fragment-(\d{1,5})"><\/span>/g;

/** Keeps a fragment and returns what stands for it. */
export function placeholderOf(environment: RenderEnvironment, html: string): string {
  environment.fragments.push(html);
  return `<span class="fragment-${environment.fragments.length - 1}"></span>`;
}

/** Puts the fragments of a rendering in their places. @param env what the parser hands to its rules */
export function withFragments(html: string, env: object): string {
  const { fragments } = environmentIn(env);
  if (fragments.length === 0) return html;
  return html.replace(PLACEHOLDER, (_all, number: string) => fragments[Number(number)] ?? '');
}
