/** Bytes that all replies that wait for their readers may hold together; a single one may be larger. */
const MAX_HELD_BYTES = 256 * 1024 * 1024;

/** The same of one source: beyond it no more large replies are made for that source. */
const SOURCE_BYTES = 64 * 1024 * 1024;

/** A reply that waits for its reader. */
export interface HeldReply {
  /** The reader has taken some of it. */
  progressed(): void;
  /** It is sent, or its reader is gone. */
  ended(): void;
}

interface Held {
  readonly bytes: number;
  readonly source: string;
  readonly disconnect: () => void;
}

/** What waits of one source, and its requests that wait for that. */
interface Source {
  bytes: number;
  readonly forRoom: (() => void)[];
}

/**
 * HeldReplies bounds the memory of large replies that nobody reads. Beyond it, clients are
 * disconnected: first those that have taken nothing for longest, last those that read, however slowly. Before that, no
 * more large replies are made for a source that has not read what it has. Otherwise the replies of a user who asks for
 * very many would be made faster than anybody can read them, and cut off.
 */
export class HeldReplies {
  /** The longest without progress first. */
  private readonly waiting = new Set<Held>();
  private total = 0;
  private readonly sources = new Map<string, Source>();

  constructor(
    private readonly most: number = MAX_HELD_BYTES,
    private readonly mostOfSource: number = SOURCE_BYTES,
  ) {}

  /** Bytes that wait. */
  get bytes(): number {
    return this.total;
  }

  /** Whether a large reply may be made for a source, besides what waits for it. */
  hasRoom(source: string): boolean {
    return (this.sources.get(source)?.bytes ?? 0) < this.mostOfSource;
  }

  /** Resolves when {@link hasRoom} may hold again. */
  room(source: string): Promise<void> {
    if (this.hasRoom(source)) return Promise.resolve();
    return new Promise((resolve) => this.sources.get(source)!.forRoom.push(resolve));
  }

  /**
   * A reply begins to wait.
   * @param source whose it is: a user, or an address
   * @param disconnect ends it with its connection; called at most once
   */
  hold(bytes: number, source: string, disconnect: () => void): HeldReply {
    const held = { bytes, source, disconnect };
    this.waiting.add(held);
    this.total += bytes;
    const its = this.sources.get(source);
    if (its) its.bytes += bytes;
    else this.sources.set(source, { bytes, forRoom: [] });
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
    if (!this.waiting.delete(held)) return;
    this.total -= held.bytes;
    const its = this.sources.get(held.source)!;
    its.bytes -= held.bytes;
    if (this.hasRoom(held.source)) its.forRoom.shift()?.();
    if (its.bytes === 0 && its.forRoom.length === 0) this.sources.delete(held.source);
  }
}
