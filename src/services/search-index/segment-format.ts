/** The file of one part of the index: dictionary, postings, the words of each message, columns, and a footer. */

/** Words of the dictionary that are read together; memory has the first of each such block. */
export const BLOCK_WORDS = 64;
/** Messages whose words are read together. */
export const BLOCK_MESSAGES = 256;
/** Ends a file. */
export const MAGIC = Buffer.from('parlSRC1');
/** Behind the footer: the checksums of body and footer, the footer's length, the magic. */
export const TRAILER_BYTES = 4 + 4 + 4 + 8;

/** From and to in the file, in bytes. */
export type Region = readonly [from: number, to: number];

/** Where what is in the file; kept in memory. */
export interface Footer {
  /** Highest place of a message, plus one. */
  readonly span: number;
  /** First word of each block of the dictionary, and where the block and its postings begin. */
  readonly firstWords: readonly string[];
  readonly blocks: readonly number[];
  readonly blockPostings: readonly number[];
  readonly words: number;
  /** Where the words of each block of messages begin, and the end of the last. */
  readonly messages: readonly number[];
  /** The messages that are there, as bits. */
  readonly live: Region;
  /** Two bytes per place: a number in `recipients` and in `senders`. */
  readonly recipientColumn: Region;
  readonly senderColumn: Region;
  readonly recipients: readonly number[];
  readonly senders: readonly number[];
}
