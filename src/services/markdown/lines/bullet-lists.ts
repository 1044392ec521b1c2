import type { MarkdownIt, Token } from 'markdown-it';

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
