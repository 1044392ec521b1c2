/** The words of a text, as searches compare them. Searches and the search index share this definition. */

/** A word of a text. */
export interface Word {
  /** Its folded form: what is compared. */
  readonly folded: string;
  /** Where it begins and ends in the text, UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/** Longest folded word, UTF-16 units; of a longer one the beginning counts. */
export const MAX_WORD_LENGTH = 64;

/** Scripts that put no spaces between words: each of their letters is a word, and words are phrases. */
const UNSPACED = ['Han', 'Hira', 'Kana', 'Bopo', 'Thai', 'Laoo', 'Khmr', 'Mymr']
  .map((script) => String.raw`\p{scx=${script}}`)
  .join('');
/** A letter of those scripts with its marks; letters and digits of the others; one symbol, such as `+`, `€` or `‼`. */
const WORD = new RegExp(
  String.raw`[\p{L}&&[${UNSPACED}]]\p{M}*|[[\p{L}\p{N}\p{M}]--[\p{L}&&[${UNSPACED}]]]+|[\p{S}[\p{Extended_Pictographic}--[\p{L}\p{N}]]]`,
  'gv',
);
/** The same in a text of ASCII alone, which is quicker. */
const ASCII_WORD = /[A-Za-z\d]+|[$+<=>^`|~]/g;
const NOT_ASCII = /[^\0-\x7f]/;
/**
 * Accents, vowel points of Hebrew and Arabic, variation selectors, the tones of emoji, and spaces that foldings bring; not
 * the keycap.
 */
const DROPPED =
  /[\s\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20e2\u20e4-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\u{1f3fb}-\u{1f3ff}]+/gu;

/** A word as it is compared: without case, accents and compatibility forms (`Straße`, `ＳＴＲＡＳＳＥ`: `strasse`). */
export function fold(word: string): string {
  const folded = NOT_ASCII.test(word) ? foldUnicode(word) : word.toLowerCase();
  if (folded.length <= MAX_WORD_LENGTH) return folded;
  return folded.slice(0, MAX_WORD_LENGTH).replace(/[\ud800-\udbff]$/, '');
}

/** The words of a text, in order. */
export function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  const pattern = NOT_ASCII.test(text) ? WORD : ASCII_WORD;
  for (const { 0: found, index } of text.matchAll(pattern)) {
    const folded = fold(found);
    if (folded !== '') words.push({ folded, start: index, end: index + found.length });
  }
  return words;
}

/** The folded words of a text, in order. */
export function foldedWords(text: string): string[] {
  if (!NOT_ASCII.test(text)) {
    const found = text.toLowerCase().match(ASCII_WORD) ?? [];
    return found.some(({ length }) => length > MAX_WORD_LENGTH) ? found.map(fold) : found;
  }
  return wordsOf(text).map(({ folded }) => folded);
}

/**
 * Length of the shortest beginning of a word that folds to at least this much of it; the whole word where a
 * folding is divided.
 */
export function unfoldedLength(word: string, length: number): number {
  if (!NOT_ASCII.test(word)) return length;
  let taken = 0;
  for (const character of word) {
    if (taken > 0 && fold(word.slice(0, taken)).length >= length) {
      // Marks belong to the letter before them.
      if (fold(character) !== '') return taken;
    }
    taken += character.length;
  }
  return word.length;
}

function foldUnicode(word: string): string {
  return (
    word
      // Upper case first: it expands `ß`, and makes `ς` and `σ` one letter.
      .toUpperCase()
      .normalize('NFKD')
      .replace(DROPPED, '')
      .toLowerCase()
      .replaceAll('ς', 'σ')
      .normalize('NFC')
  );
}
