/** What a search asks for, and whether words satisfy it. The search index decides the same. */
import { EMOJI_CHARACTERS } from '../text/emoji-characters.js';
import { renderedText } from './rendered-text.js';
import { foldedWords, type Word } from './words.js';

/** One word or phrase of a search: words that follow one another. */
export interface Term {
  /** Folded; at least one. */
  readonly words: readonly string[];
  /** Whether the last one may be the beginning of a longer word. */
  readonly isPrefix: boolean;
}

/** One search operand: all of its terms, or not all of them. */
export interface Clause {
  readonly terms: readonly Term[];
  readonly negated: boolean;
}

/** What is searched of a message. */
export interface Searchable {
  readonly rendered_content: string;
  readonly topic: string;
}

const WORD_OR_PHRASE = /"([^"]*)"|[^\s"]+/g;
/** What ends with an emoji, or has none. */
const UP_TO_EMOJI = new RegExp(`.*?${EMOJI_CHARACTERS}|.+`, 'gsu');
/** Between the text and the topic, so that no phrase spans both. */
const BETWEEN = '';

/**
 * The terms of a search operand, each once. A quoted phrase has whole words; a word may be the beginning of one, and
 * is a phrase where it has several (`foo.bar`, `don't`, words of scripts without spaces). A phrase ends with an emoji,
 * which has its name behind it in a message; what follows is another.
 */
export function readTerms(operand: string): Term[] {
  const terms = new Map<string, Term>();
  for (const { 0: part, 1: phrase } of operand.matchAll(WORD_OR_PHRASE)) {
    const isPrefix = phrase === undefined;
    for (const [piece] of (phrase ?? part).matchAll(UP_TO_EMOJI)) {
      const words = foldedWords(piece);
      if (words.length > 0) terms.set(`${isPrefix} ${words.join(' ')}`, { words, isPrefix });
    }
  }
  return [...terms.values()];
}

/** The folded words of a message: of its text as it is shown, and of its topic. */
export function messageWords({ rendered_content: html, topic }: Searchable): string[] {
  const words = foldedWords(renderedText(html).text);
  if (topic !== '') words.push(BETWEEN, ...foldedWords(topic));
  return words;
}

/** Whether the words satisfy all clauses. */
export function satisfies(words: readonly string[], clauses: readonly Clause[]): boolean {
  return clauses.every(
    ({ terms, negated }) => terms.every((term) => hasTerm(words, term)) !== negated,
  );
}

/** Whether a term is among the words. */
export function hasTerm(words: readonly string[], term: Term): boolean {
  return placeOf(words, term, 0) >= 0;
}

/** Places of a term among words, as indexes of its first word; at most `limit`. */
export function placesOf(words: readonly Word[], term: Term, limit: number): number[] {
  const folded = words.map((word) => word.folded);
  const places: number[] = [];
  let place = placeOf(folded, term, 0);
  while (place >= 0 && places.length < limit) {
    places.push(place);
    place = placeOf(folded, term, place + 1);
  }
  return places;
}

function placeOf(words: readonly string[], { words: asked, isPrefix }: Term, from: number): number {
  const last = asked.length - 1;
  for (let i = from; i + last < words.length; i++) {
    let same = 0;
    while (same < last && words[i + same] === asked[same]) same++;
    if (same < last) continue;
    const word = words[i + last]!;
    if (word === asked[last] || (isPrefix && word.startsWith(asked[last]!))) return i;
  }
  return -1;
}
