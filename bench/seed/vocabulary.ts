/** Texts of words that are as frequent as those of people: the n-th with 1/n of the frequency of the first. */

const WORDS = 100_000;
const WORDS_PER_TEXT = 15;
const CONSONANTS = 'bcdfghjklmnprstvwz';
const VOWELS = 'aeiou';

/** The word of a rank, from 0: the more frequent, the shorter. */
export function wordOf(rank: number): string {
  let word = '';
  for (let rest = rank + 90; rest > 0; rest = Math.floor(rest / 90)) {
    const syllable = rest % 90;
    word += CONSONANTS[Math.floor(syllable / 5)]! + VOWELS[syllable % 5]!;
  }
  return word;
}

/** The text of a message, the same one for the same id. */
export function textOf(id: number): string {
  const words: string[] = [];
  for (let i = 0; i < WORDS_PER_TEXT; i++) words.push(wordOf(rankOf(id * WORDS_PER_TEXT + i)));
  return words.join(' ');
}

/** A rank by Zipf's law: its logarithm is spread evenly. */
function rankOf(number: number): number {
  return Math.floor(WORDS ** fraction(number)) - 1;
}

/** A number in [0, 1) that looks random. */
function fraction(number: number): number {
  let mixed = Math.imul(number ^ (number >>> 16), 0x21f0aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
}
