import { EventLoopYield } from '../../event-loop-yield.js';

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

/** What a text costs beside its bytes. */
const OVERHEAD_BYTES = 160;

/** Passes over all texts until none is out of date; what changes later is encoded when it is used. */
const MAX_PASSES = 4;

type Texts = (RangeText | undefined)[];

/**
 * Keeps encoded texts. Above its bound the texts of the source that was not used for longest go; where
 * one source alone is above it, what does not fit is encoded for each snapshot anew.
 */
export class FragmentCache {
  /** By key of the source, the one that was not used for longest first. */
  private readonly kept = new Map<string, Texts>();
  private bytes = 0;

  /** @param maxBytes bound of what is kept */
  constructor(
    private readonly maxBytes: number,
    /** Milliseconds since 1970. */
    readonly now: () => number,
  ) {}

  /** What is kept of a source now; it counts as used. */
  use({ key }: TextSource): Texts {
    const texts = this.kept.get(key) ?? [];
    this.kept.delete(key);
    this.kept.set(key, texts);
    return texts.slice();
  }

  /** Whether a text is what would be encoded now. */
  isFresh(source: TextSource, range: number, text: RangeText): boolean {
    return text.stamp === source.stamp(range) && this.now() <= text.until;
  }

  /** The text of a range: the one that is kept if it still holds, otherwise a new one. */
  fresh(source: TextSource, range: number): RangeText {
    const kept = this.kept.get(source.key)?.[range];
    if (kept && this.isFresh(source, range, kept)) return kept;
    const { text, until = Infinity, newest = -1 } = source.encode(range);
    const made = { bytes: Buffer.from(text), stamp: source.stamp(range), until, newest };
    this.keep(source.key, range, made);
    return made;
  }

  /** Bytes of what is kept. */
  get size(): number {
    return this.bytes;
  }

  private keep(key: string, range: number, text: RangeText): void {
    let texts = this.kept.get(key);
    if (!texts) this.kept.set(key, (texts = []));
    this.bytes += costOf(text) - costOf(texts[range]);
    while (texts.length < range) texts.push(undefined);
    texts[range] = text;
    for (const [other, theirs] of this.kept) {
      if (this.bytes <= this.maxBytes) return;
      if (other === key) continue;
      this.kept.delete(other);
      for (const one of theirs) this.bytes -= costOf(one);
    }
    if (this.bytes <= this.maxBytes) return;
    texts[range] = undefined;
    this.bytes -= costOf(text);
  }
}

function costOf(text: RangeText | undefined): number {
  return text ? text.bytes.length + OVERHEAD_BYTES : 0;
}

/** The texts of one snapshot: encoded ahead, a slice at a time, and checked again when it is made. */
export class SnapshotFragments {
  private readonly held = new Map<string, Texts>();

  constructor(private readonly cache: FragmentCache) {}

  /** Encodes what has changed, letting others run in between. */
  async prepare(
    sources: () => readonly TextSource[],
    ranges: () => number,
    pause: Pick<EventLoopYield, 'isDue' | 'take'> = new EventLoopYield(),
  ): Promise<void> {
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      let waited = false;
      for (const source of sources()) {
        for (let range = 0; range < ranges(); range++) {
          this.text(source, range);
          if (!pause.isDue) continue;
          await pause.take();
          waited = true;
        }
      }
      if (!waited) return;
    }
  }

  /** The text of a range as it is now. */
  text(source: TextSource, range: number): RangeText {
    const actual = source.shared?.(range) ?? source;
    let texts = this.held.get(actual.key);
    if (!texts) this.held.set(actual.key, (texts = this.cache.use(actual)));
    const held = texts[range];
    if (held && this.cache.isFresh(actual, range, held)) return held;
    return (texts[range] = this.cache.fresh(actual, range));
  }
}
