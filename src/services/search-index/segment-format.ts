/** The file of one part of the index: dictionary, postings, positions of words, filter, columns, and a footer. */

/** Words of the dictionary that are read together; memory has the first of each such block. */
export const BLOCK_WORDS = 64;
/** Ends a file. */
export const MAGIC = Buffer.from('parlSRC2');
/** Behind the footer: the checksums of body and footer, the footer's length, the magic. */
export const TRAILER_BYTES = 4 + 4 + 4 + 8;

/** From and to in the file, in bytes. */
export type Region = readonly [from: number, to: number];

/** Where what is in the file; kept in memory. */
export interface Footer {
  /** Highest place of a message, plus one. */
  readonly span: number;
  /** First word of each block of the dictionary, and where the block, its postings and its positions begin. */
  readonly firstWords: readonly string[];
  readonly blocks: readonly number[];
  readonly blockPostings: readonly number[];
  readonly blockPositions: readonly number[];
  /** How many positions there are. */
  readonly positions: number;
  /** Beginnings of the words. */
  readonly filter: Region;
  /**
   * Four bytes per place: the position of its first word, and at the end that of a next one. The words of all messages
   * have consecutive positions, with one that is no word's behind each message, so that no phrase spans two.
   */
  readonly starts: Region;
  /** The messages that are there, as bits. */
  readonly live: Region;
  /** Two bytes per place: a number in `recipients` and in `senders`. */
  readonly recipientColumn: Region;
  readonly senderColumn: Region;
  readonly recipients: readonly number[];
  readonly senders: readonly number[];
}
