/** The encoded text about one range of user ids. */
export interface RangeText {
  /** JSON elements or members, each with a comma before it; empty where there are none. */
  readonly bytes: Buffer;
  /** What `stamp` said when it was made. */
  readonly stamp: number;
  /** It holds up to this moment, milliseconds since 1970. */
  readonly until: number;
  /** Largest number of something in it that the snapshot has to tell, or -1. */
  readonly newest: number;
}

/** What `encode` found. */
export interface Encoded {
  readonly text: string;
  /** Where time alone makes it untrue. */
  readonly until?: number;
  readonly newest?: number;
}

/**
 * A part of the snapshot that is about people, encoded range by range of their ids, so that a change of
 * one person costs one range and not all of them.
 */
export interface TextSource {
  /** What the text depends on beside the state: sources with equal keys give equal texts. */
  readonly key: string;
  /** Equal numbers mean that nothing of the range changed. */
  stamp(range: number): number;
  encode(range: number): Encoded;
  /** A source that gives the same text of this range to more viewers. */
  shared?(range: number): TextSource;
}
