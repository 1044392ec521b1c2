/** Marks what a search found in HTML. */
import { renderedText, type Piece } from './rendered-text.js';
import { placesOf, type Term } from './terms.js';
import { unfoldedLength, wordsOf } from './words.js';

/** Most marks in one text; what is found further on is not marked. */
export const MAX_HIGHLIGHTS = 500;
export const HIGHLIGHT_START = '<span class="highlight">';
export const HIGHLIGHT_END = '</span>';

/** From and to, UTF-16 units. */
type Range = readonly [from: number, to: number];

/**
 * The HTML with the words and phrases of a search marked: of a longer word the beginning that was asked for. Marks
 * break no tag. Costs the length of the HTML times the number of terms.
 */
export function highlight(html: string, terms: readonly Term[]): string {
  if (terms.length === 0) return html;
  const { text, pieces } = renderedText(html);
  const ranges = foundIn(text, terms);
  if (ranges.length === 0) return html;
  let marked = '';
  let done = 0;
  for (const [from, to] of inHtml(ranges, pieces, html).slice(0, MAX_HIGHLIGHTS)) {
    marked += html.slice(done, from) + HIGHLIGHT_START + html.slice(from, to) + HIGHLIGHT_END;
    done = to;
  }
  return marked + html.slice(done);
}

/** Where terms are in a text; ascending and disjoint. */
function foundIn(text: string, terms: readonly Term[]): Range[] {
  const words = wordsOf(text);
  const found = terms.flatMap((term) =>
    placesOf(words, term, MAX_HIGHLIGHTS).map((place): Range => {
      const last = words[place + term.words.length - 1]!;
      const { length } = term.words[term.words.length - 1]!;
      const asked =
        last.folded.length === length
          ? last.end - last.start
          : unfoldedLength(text.slice(last.start, last.end), length);
      return [words[place]!.start, last.start + asked];
    }),
  );
  const disjoint: [number, number][] = [];
  for (const [from, to] of found.sort((a, b) => a[0] - b[0])) {
    const before = disjoint[disjoint.length - 1];
    if (before && from < before[1]) before[1] = Math.max(before[1], to);
    else disjoint.push([from, to]);
  }
  return disjoint;
}

/** The same ranges in the HTML, divided where a tag lies between. */
function inHtml(ranges: readonly Range[], pieces: readonly Piece[], html: string): Range[] {
  const found: [number, number][] = [];
  let i = 0;
  for (const [from, to] of ranges) {
    while (i < pieces.length && pieces[i]!.at + pieces[i]!.length <= from) i++;
    let isFirst = true;
    for (let j = i; j < pieces.length && pieces[j]!.at < to; j++) {
      const part = within(pieces[j]!, from, to);
      const before = found[found.length - 1];
      if (before && (part[0] < before[1] || (!isFirst && before[1] === part[0])))
        before[1] = part[1];
      // Space between the items of a list is no place for a mark.
      else if (html.slice(...part).trim() !== '') found.push(part);
      isFirst = false;
    }
  }
  return found;
}

/** The part of a piece that lies in a range, in the HTML; an entity or emoji is marked as a whole. */
function within(
  { at, length, htmlAt, htmlLength }: Piece,
  from: number,
  to: number,
): [number, number] {
  if (length !== htmlLength) return [htmlAt, htmlAt + htmlLength];
  return [htmlAt + Math.max(0, from - at), htmlAt + Math.min(length, to - at)];
}
