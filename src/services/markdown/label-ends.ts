import type { MarkdownIt } from 'markdown-it';

type ParseLabel = MarkdownIt['helpers']['parseLinkLabel'];
type State = Parameters<ParseLabel>[0];

/** Position of an opening bracket -> that of the bracket which closes it, or -1. */
type Ends = Map<number, number>;

const [OPENING, CLOSING] = [0x5b, 0x5d];

/**
 * Has the parser look once where each bracket ends. It walks to the end of a label from its opening bracket, and to the
 * end of the text where none closes it: hundreds of open brackets took a hundred walks of the whole text. One walk
 * tells the ends of all brackets that it passes.
 */
export function labelEnds(md: MarkdownIt): void {
  const known = new WeakMap<State, Map<string, Ends>>();
  md.helpers.parseLinkLabel = (state, start, disableNested) => {
    const ofState = known.get(state) ?? new Map<string, Ends>();
    known.set(state, ofState);
    // The text of a link is parsed by itself: a bracket that is closed outside of it may be open there.
    const key = `${state.posMax} ${disableNested === true}`;
    const ends: Ends = ofState.get(key) ?? new Map();
    ofState.set(key, ends);
    if (!ends.has(start)) walk(state, start, disableNested === true, ends);
    return ends.get(start)!;
  };
}

/** Finds the ends of the bracket at `start` and of those that it passes. */
function walk(state: State, start: number, disableNested: boolean, ends: Ends): void {
  const { pos, posMax, src } = state;
  const open = [start];
  state.pos = start + 1;
  while (state.pos < posMax) {
    const at = state.pos;
    const mark = src.charCodeAt(at);
    if (mark === CLOSING) {
      ends.set(open.pop()!, at);
      if (open.length === 0) break;
    }
    state.md.inline.skipToken(state);
    if (mark !== OPENING) continue;
    if (state.pos === at + 1) {
      open.push(at);
      // The parser may have looked at this bracket before, on its way to what the text has at this place.
      const end = ends.get(at);
      // What is open around one that has no end has none either.
      if (end === -1) break;
      if (end !== undefined) state.pos = end;
    } else if (disableNested) {
      // A link, in which there is another, is none.
      break;
    }
  }
  for (const one of open) ends.set(one, -1);
  state.pos = pos;
}
