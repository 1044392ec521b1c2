/** What one part of the index says, in a file or in memory. */
import type { Clause, Term } from '../search/terms.js';
import { Bits } from './bits.js';

/** A message as the index knows it. */
export interface IndexedMessage {
  /** Its conversation. */
  readonly recipient: number;
  readonly sender: number;
  readonly words: readonly string[];
}

/** Messages of one part, by their places in it; a newer layer hides what an older one says of the same ones. */
export interface Layer {
  /** Messages that it has entries of, also deleted ones. */
  readonly owned: Bits;
  /** Those that are there. */
  readonly live: Bits;
  /** Reads the conversations of messages, or their senders; for many at once. */
  recipients(): (place: number) => number;
  senders(): (place: number) => number;
  /** Grows with the number of messages that have a word, or one that begins with it; 0 where none has. */
  weight(word: string, isPrefix: boolean): number;
  /** Adds the messages that have a word, or one that begins with it. */
  addMatches(word: string, isPrefix: boolean, found: Bits): void;
  /** Whether it finds phrases without the messages that have their words. */
  readonly findsPhrases: boolean;
  /** Removes those that do not have the words of a term one after another. */
  keepPhrases(found: Bits, term: Term): void;
}

/** A word that a message has to have, or a longer one. */
interface WantedWord {
  readonly word: string;
  readonly isPrefix: boolean;
}

/** Whether a layer may have messages that satisfy all clauses: it has all words that they need. */
export function mayMatch(layer: Layer, clauses: readonly Clause[]): boolean {
  return clauses.every(
    (clause) =>
      clause.negated ||
      wordsOf(clause).every(({ word, isPrefix }) => layer.weight(word, isPrefix) > 0),
  );
}

/** Removes messages that do not satisfy all clauses. */
export function keepMatching(found: Bits, layer: Layer, clauses: readonly Clause[]): void {
  const wanted = clauses.filter(({ negated }) => !negated);
  for (const clause of wanted) keepByWords(found, layer, clause);
  for (const clause of wanted) keepByPhrases(found, layer, clause);
  for (const clause of clauses) {
    if (!clause.negated || found.isEmpty) continue;
    const all = found.copy();
    keepByWords(all, layer, clause);
    keepByPhrases(all, layer, clause);
    found.subtract(all);
  }
}

/** Messages with one word, while others are narrowed down to them. */
const having = Bits.none();

/** Among no more messages than these a phrase is looked for where all of its words are. */
const FEW = 1000;

/** The words of phrases too, unless it is quicker to look for the phrase at once. */
function keepByWords(found: Bits, layer: Layer, { terms }: Clause): void {
  const single = terms.filter(({ words }) => words.length === 1);
  keepByAll(found, layer, wordsOf({ terms: single }));
  if (single.length === terms.length) return;
  if (layer.findsPhrases && !found.hasAtMost(FEW)) return;
  keepByAll(found, layer, wordsOf({ terms: terms.filter(({ words }) => words.length > 1) }));
}

/** The rarest word first: where it leaves nothing, the others are not read. */
function keepByAll(found: Bits, layer: Layer, words: readonly WantedWord[]): void {
  const wanted = words.map((one) => ({ ...one, weight: layer.weight(one.word, one.isPrefix) }));
  for (const { word, isPrefix } of wanted.sort((a, b) => a.weight - b.weight)) {
    if (found.isEmpty) return;
    having.clear();
    layer.addMatches(word, isPrefix, having);
    found.intersect(having);
  }
}

function keepByPhrases(found: Bits, layer: Layer, { terms }: Clause): void {
  for (const term of terms) {
    if (term.words.length > 1 && !found.isEmpty) layer.keepPhrases(found, term);
  }
}

function wordsOf({ terms }: Pick<Clause, 'terms'>): WantedWord[] {
  return terms.flatMap(({ words, isPrefix }) =>
    words.map((word, i) => ({ word, isPrefix: isPrefix && i === words.length - 1 })),
  );
}
