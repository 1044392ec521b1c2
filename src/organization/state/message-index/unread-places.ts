import { lruOfBytes, type CacheLimits } from '../../../platform/lru.js';

/** Readers of whom it is kept, and for how many conversations in all: some 500,000. */
const LIMITS: CacheLimits = { entries: 4096, bytes: 24 * 1024 * 1024 };
/** Memory of a number in a set. */
const BYTES_PER_PLACE = 48;

/** The conversations in which a reader has unread messages, as of a message. */
export interface KnownPlaces {
  /** What it was made of; with other versions it is void. */
  readonly versions: readonly number[];
  /** Those with an unread message, access aside, and with some whose last one was deleted since. */
  readonly unread: Set<number>;
  /** Those of which what was read changed since: they are to be looked at. */
  readonly changed: Set<number>;
  /** The newest message that was taken into account. */
  until: number;
}

/**
 * UnreadPlaces keeps for the readers of many conversations in which of them messages are unread, so that nobody looks at
 * ten thousand for the few. It may forget everything at any time.
 */
export class UnreadPlaces {
  private readonly byReader = lruOfBytes<number, KnownPlaces>(
    LIMITS,
    ({ unread, changed }) => BYTES_PER_PLACE * (unread.size + changed.size),
  );

  /** What is known of a reader; undefined where it is not, or void. */
  of(userId: number, versions: readonly number[]): KnownPlaces | undefined {
    const known = this.byReader.get(userId);
    return known?.versions.every((one, i) => one === versions[i]) ? known : undefined;
  }

  keep(userId: number, known: KnownPlaces): void {
    this.byReader.set(userId, known);
  }

  /** What a user has read of a conversation changed, or that was taken back. */
  changed(userId: number, recipientId: number): void {
    this.byReader.peek(userId)?.changed.add(recipientId);
  }
}
