import type { MarkdownIt } from 'markdown-it';

const TILDE = 0x7e;
/** Two tildes on each side and none within; the search for the end stops at the next tilde. */
const DELETED = /~~([^~\n]+)~~(?!~)/y;

/** Adds deleted text, `~~text~~`, also with spaces inside of the tildes. */
export function deletedText(md: MarkdownIt): void {
  md.disable('strikethrough');
  md.inline.ruler.before('emphasis', 'deleted_text', (state, scanOnly) => {
    const { src, pos, posMax } = state;
    if (src.charCodeAt(pos) !== TILDE) return false;
    DELETED.lastIndex = pos;
    const end = DELETED.test(src) ? DELETED.lastIndex : 0;
    if (end === 0 || end > posMax) {
      let after = pos;
      while (after < posMax && src.charCodeAt(after) === TILDE) after += 1;
      if (!scanOnly) state.pending += src.slice(pos, after);
      state.pos = after;
      return true;
    }
    if (!scanOnly) {
      state.push('del_open', 'del', 1);
      state.pos = pos + 2;
      state.posMax = end - 2;
      state.md.inline.tokenize(state);
      state.posMax = posMax;
      state.push('del_close', 'del', -1);
    }
    state.pos = end;
    return true;
  });
}
