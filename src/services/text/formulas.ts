/** A formula, or an element that may contain or be part of one. */
const SPAN = /<span class="katex">|<span\b[^>]*>|<\/span>/g;
const START = '<span class="katex">';
const SOURCE = /<annotation encoding="application\/x-tex">([^<]*)<\/annotation>/;

/** Rendered HTML with formulas as they were written, for readers without a style sheet that shows them. */
export function withFormulasAsTex(html: string): string {
  if (!html.includes(START)) return html;
  let result = '';
  let done = 0;
  // Elements that are open within the formula, itself included.
  let depth = 0;
  let start = 0;
  for (const { 0: tag, index } of html.matchAll(SPAN)) {
    if (depth > 0) depth += tag === '</span>' ? -1 : 1;
    else if (tag === START) {
      result += html.slice(done, index);
      start = index;
      depth = 1;
      continue;
    } else continue;
    if (depth > 0) continue;
    done = index + tag.length;
    const [, tex = ''] = SOURCE.exec(html.slice(start, done)) ?? [];
    result += `$$${tex}$$`;
  }
  return result + html.slice(done);
}
