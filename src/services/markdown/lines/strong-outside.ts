import type { MarkdownIt, Token } from 'markdown-it';

/**
 * Makes `***text***` strong text that is emphasized inside, as existing clients have it; the parser nests them the
 * other way.
 */
export function strongOutside(md: MarkdownIt): void {
  md.core.ruler.after('inline', 'strong_outside', (state) => {
    for (const { children } of state.tokens) {
      if (children?.some(({ type }) => type === 'em_open')) swapPairs(children);
    }
  });
}

function swapPairs(children: readonly Token[]): void {
  // Where two delimiters stood together there is an empty text between their tokens.
  const tokens = children.filter(({ type, content }) => type !== 'text' || content !== '');
  tokens.forEach((outer, index) => {
    const inner = tokens[index + 1];
    if (outer.type !== 'em_open' || inner?.type !== 'strong_open') return;
    let end = index + 2;
    while (end < tokens.length && !isEndOf(outer, tokens[end]!)) end += 1;
    const innerEnd = tokens[end - 1];
    if (innerEnd?.type !== 'strong_close' || innerEnd.level !== inner.level) return;
    swap(outer, inner);
    swap(innerEnd, tokens[end]!);
  });
}

function isEndOf(start: Token, token: Token): boolean {
  return token.type === 'em_close' && token.level === start.level;
}

function swap(a: Token, b: Token): void {
  [a.type, b.type] = [b.type, a.type];
  [a.tag, b.tag] = [b.tag, a.tag];
  [a.markup, b.markup] = [b.markup, a.markup];
}
