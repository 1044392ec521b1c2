import { ByteReader } from './bytes.js';
import type { Footer, Region } from './segment-format.js';
import type { WordFilter } from './word-filter.js';

/**
 * Where the postings and the positions of words that follow one another are in the file; empty where there are none.
 */
export interface WordRange {
  readonly postings: Region;
  readonly positions: Region;
}

/** Where the postings and the positions of a word, and of all later ones, begin. */
interface WordPlace {
  readonly postings: number;
  readonly positions: number;
}

/** A word in its block, with its place. */
interface Entry extends WordPlace {
  readonly word: string;
}

/** Words whose place is remembered; some hundred bytes each. */
const MAX_RANGES = 256;
const NOWHERE: WordRange = { postings: [0, 0], positions: [0, 0] };

/** The sorted words of one part in its file, of which memory has the first of each block and a filter. */
export class Dictionary {
  /** Of words that were asked for of late. */
  private readonly ranges = new Map<string, WordRange>();

  constructor(
    private readonly footer: Footer,
    private readonly filter: WordFilter,
    private readonly read: (region: Region) => Buffer,
  ) {}

  /** The words that are equal to one, or begin with it. */
  range(word: string, isPrefix: boolean): WordRange {
    if (!this.filter.mayHave(word)) return NOWHERE;
    const key = `${isPrefix} ${word}`;
    let range = this.ranges.get(key);
    if (!range) {
      range = this.lookUp(word, isPrefix);
      if (this.ranges.size >= MAX_RANGES) this.ranges.clear();
      this.ranges.set(key, range);
    }
    return range;
  }

  /** All words in their order. */
  words(): string[] {
    const { blocks } = this.footer;
    const words: string[] = [];
    for (let block = 0; block + 1 < blocks.length; block++) {
      for (const { word } of this.entries(block)) words.push(word);
    }
    return words;
  }

  private lookUp(word: string, isPrefix: boolean): WordRange {
    const isBefore = (known: string): boolean => known < word;
    const isBeforeEnd = (known: string): boolean =>
      known <= word || (isPrefix && known.startsWith(word));
    const first = this.blockOf(isBefore);
    const last = this.blockOf(isBeforeEnd);
    const entries = this.entries(first);
    const from = this.firstNot(isBefore, first, entries);
    const to = this.firstNot(isBeforeEnd, last, last === first ? entries : this.entries(last));
    return {
      postings: [from.postings, to.postings],
      positions: [from.positions, to.positions],
    };
  }

  /** The last block whose first word is before some place in the order; the first one where none is. */
  private blockOf(isBefore: (word: string) => boolean): number {
    const { firstWords } = this.footer;
    let low = 0;
    let high = firstWords.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBefore(firstWords[middle]!)) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  private firstNot(
    isBefore: (word: string) => boolean,
    block: number,
    entries: readonly Entry[],
  ): WordPlace {
    const { blockPostings, blockPositions } = this.footer;
    return (
      entries.find(({ word }) => !isBefore(word)) ?? {
        postings: blockPostings[block + 1]!,
        positions: blockPositions[block + 1]!,
      }
    );
  }

  private entries(block: number): Entry[] {
    const { blocks, blockPostings, blockPositions } = this.footer;
    const entries: Entry[] = [];
    let postings = blockPostings[block]!;
    let positions = blockPositions[block]!;
    const reader = new ByteReader(this.read([blocks[block]!, blocks[block + 1]!]));
    while (!reader.isAtEnd) {
      entries.push({ word: reader.text(), postings, positions });
      postings += reader.number();
      positions += reader.number();
    }
    return entries;
  }
}
