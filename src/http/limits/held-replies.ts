/** What all replies hold that wait for their readers, bytes. A single one may be larger. */
const MAX_HELD_BYTES = 256 * 1024 * 1024;

/** A reply that waits for its reader. */
export interface HeldReply {
  /** The reader has taken some of it. */
  progressed(): void;
  /** It is sent, or its reader is gone. */
  ended(): void;
}

interface Held {
  readonly bytes: number;
  readonly disconnect: () => void;
}

/**
 * HeldReplies bounds the memory of large replies that nobody reads. Beyond it the clients are disconnected that have
 * taken nothing for longest; who reads, however slowly, comes after all who do not.
 */
export class HeldReplies {
  /** The longest without progress first. */
  private readonly waiting = new Set<Held>();
  private total = 0;

  constructor(private readonly most: number = MAX_HELD_BYTES) {}

  /** Bytes that wait. */
  get bytes(): number {
    return this.total;
  }

  /** A reply begins to wait. @param disconnect ends it with its connection; called at most once */
  hold(bytes: number, disconnect: () => void): HeldReply {
    const held = { bytes, disconnect };
    this.waiting.add(held);
    this.total += bytes;
    for (const one of this.waiting) {
      if (this.total <= this.most || one === held) break;
      this.end(one);
      one.disconnect();
    }
    return {
      progressed: () => {
        if (this.waiting.delete(held)) this.waiting.add(held);
      },
      ended: () => this.end(held),
    };
  }

  private end(held: Held): void {
    if (this.waiting.delete(held)) this.total -= held.bytes;
  }
}
