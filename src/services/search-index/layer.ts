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
  /** Messages that it speaks of, also those that are gone. */
  readonly owned: Bits;
  /** Those that are there. */
  readonly live: Bits;
  /** Reads the conversations of messages, or their senders; for many at once. */
  recipients(): (place: number) => number;
  senders(): (place: number) => number;
  /** Adds the messages that have a word, or one that begins with it. */
  addMatches(word: string, isPrefix: boolean, found: Bits): void;
  /** Removes those that have the words of a term, but not one after another. */
  keepPhrases(found: Bits, term: Term): void;
}

/** Whether phrases decide: they cost the messages that have their words. */
export function hasPhrases({ terms }: Clause): boolean {
  return terms.some(({ words }) => words.length > 1);
}

/** Removes messages that do not satisfy all clauses, as far as single words tell. */
export function keepByWords(found: Bits, layer: Layer, clauses: readonly Clause[]): void {
  for (const clause of clauses) if (!clause.negated) keepAllWords(found, layer, clause);
  for (const clause of clauses) {
    if (!clause.negated || hasPhrases(clause) || found.isEmpty) continue;
    const all = found.copy();
    keepAllWords(all, layer, clause);
    found.subtract(all);
  }
}

/** Removes, of what is left, the messages whose phrases do not satisfy all clauses. */
export function keepByPhrases(found: Bits, layer: Layer, clauses: readonly Clause[]): void {
  for (const clause of clauses) {
    if (found.isEmpty) return;
    if (!hasPhrases(clause)) continue;
    if (!clause.negated) {
      keepAllPhrases(found, layer, clause);
      continue;
    }
    const all = found.copy();
    keepAllWords(all, layer, clause);
    keepAllPhrases(all, layer, clause);
    found.subtract(all);
  }
}

function keepAllWords(found: Bits, layer: Layer, { terms }: Clause): void {
  for (const { words, isPrefix } of terms) {
    for (const [i, word] of words.entries()) {
      if (found.isEmpty) return;
      const having = Bits.none();
      layer.addMatches(word, isPrefix && i === words.length - 1, having);
      found.intersect(having);
    }
  }
}

function keepAllPhrases(found: Bits, layer: Layer, { terms }: Clause): void {
  for (const term of terms) if (term.words.length > 1) layer.keepPhrases(found, term);
}
