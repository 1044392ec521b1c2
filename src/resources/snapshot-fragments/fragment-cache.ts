import { EventLoopYield } from '../../turns/event-loop-yield.js';

/** Encoded text about one range of user ids. */
export interface RangeText {
  /** JSON elements or members, each after a comma; may be empty. */
  readonly bytes: Buffer;
  /** The same without the first comma, if there is one. */
  readonly withoutComma: Buffer;
  /** Whether other replies have the same text. */
  readonly isShared: boolean;
  /** `stamp` of the source when it was encoded. */
  readonly stamp: number;
  /** Valid up to this moment, milliseconds since 1970. */
  readonly until: number;
  /** Largest number in it that the snapshot also shows elsewhere (`update_id` of presences), or -1. */
  readonly newest: number;
}

/** Result of `encode`. */
export interface Encoded {
  readonly text: string;
  /** When it becomes stale by time alone, milliseconds since 1970; absent: never. */
  readonly until?: number;
  readonly newest?: number;
}

/**
 * A part of the snapshot about users, encoded by ranges of user ids, so that a change of one user costs
 * one range, not all of them.
 */
export interface TextSource {
  /** Identifies the text beside the state: sources with equal keys give equal texts. */
  readonly key: string;
  /** Only one reply has these texts: they are not cached, and the key only differs from those of others. */
  readonly isPrivate?: true;
  /** Version of the range: equal numbers mean no change. */
  stamp(range: number): number;
  encode(range: number): Encoded;
  /** A source with the same text for this range that more viewers share. */
  shared?(range: number): TextSource;
}

/** Forms of an encoded text. */
export function encodedText(bytes: Buffer): Pick<RangeText, 'bytes' | 'withoutComma'> {
  return { bytes, withoutComma: bytes.subarray(1) };
}

/** Memory of a text beside its bytes: buffers, object and map entry. */
const OVERHEAD_BYTES = 260;

/**
 * Memory of a text and its compressed form, as a multiple of the text: lists of ids shrink to half, users to a tenth.
 */
const COMPRESSED_AS_WELL = 1.5;

/** Passes over all texts until all are fresh; texts that change later are encoded when they are used. */
const MAX_PASSES = 4;

type Texts = (RangeText | undefined)[];

/**
 * Caches encoded texts. Above its bound it evicts the least recently used source; of a source that exceeds
 * the bound alone, the texts that do not fit are encoded for each snapshot anew.
 */
export class FragmentCache {
  /** By key of the source, least recently used first. */
  private readonly cached = new Map<string, Texts>();
  private bytes = 0;

  /** @param maxBytes bound of the cache */
  constructor(
    private readonly maxBytes: number,
    /** Milliseconds since 1970. */
    readonly now: () => number,
  ) {}

  /** Cached texts of a source, which counts as used. */
  use({ key, isPrivate }: TextSource): Texts {
    if (isPrivate) return [];
    const texts = this.cached.get(key) ?? [];
    this.cached.delete(key);
    this.cached.set(key, texts);
    return texts.slice();
  }

  /** Whether encoding now would give the same text. */
  isFresh(source: TextSource, range: number, text: RangeText): boolean {
    return text.stamp === source.stamp(range) && this.now() <= text.until;
  }

  /** The text of a range: cached if still fresh, otherwise encoded. */
  fresh(source: TextSource, range: number): RangeText {
    const isShared = source.isPrivate !== true;
    const cached = isShared ? this.cached.get(source.key)?.[range] : undefined;
    if (cached && this.isFresh(source, range, cached)) return cached;
    const { text, until = Infinity, newest = -1 } = source.encode(range);
    const stamp = source.stamp(range);
    const made = { ...encodedText(Buffer.from(text)), isShared, stamp, until, newest };
    if (isShared) this.store(source.key, range, made);
    return made;
  }

  /** Bytes in the cache. */
  get size(): number {
    return this.bytes;
  }

  private store(key: string, range: number, text: RangeText): void {
    let texts = this.cached.get(key);
    if (!texts) this.cached.set(key, (texts = []));
    this.bytes += costOf(text) - costOf(texts[range]);
    while (texts.length < range) texts.push(undefined);
    texts[range] = text;
    for (const [other, theirs] of this.cached) {
      if (this.bytes <= this.maxBytes) return;
      if (other === key) continue;
      this.cached.delete(other);
      for (const one of theirs) this.bytes -= costOf(one);
    }
    if (this.bytes <= this.maxBytes) return;
    texts[range] = undefined;
    this.bytes -= costOf(text);
  }
}

function costOf(text: RangeText | undefined): number {
  return text ? Math.ceil(text.bytes.length * COMPRESSED_AS_WELL) + OVERHEAD_BYTES : 0;
}

/** The texts of one snapshot: encoded in advance, in slices, and checked again when the snapshot is made. */
export class SnapshotFragments {
  private readonly pinned = new Map<string, Texts>();

  constructor(private readonly cache: FragmentCache) {}

  /** Encodes texts that have changed, yielding to the event loop in between. */
  async prepare(
    sources: () => readonly TextSource[],
    ranges: () => number,
    yielder: Pick<EventLoopYield, 'isDue' | 'take'> = new EventLoopYield(),
  ): Promise<void> {
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      let waited = false;
      for (const source of sources()) {
        for (let range = 0; range < ranges(); range++) {
          this.text(source, range);
          if (!yielder.isDue) continue;
          await yielder.take();
          waited = true;
        }
      }
      if (!waited) return;
    }
  }

  /** The text of a range as it is now. */
  text(source: TextSource, range: number): RangeText {
    const actual = source.shared?.(range) ?? source;
    let texts = this.pinned.get(actual.key);
    if (!texts) this.pinned.set(actual.key, (texts = this.cache.use(actual)));
    const current = texts[range];
    if (current && this.cache.isFresh(actual, range, current)) return current;
    return (texts[range] = this.cache.fresh(actual, range));
  }
}
