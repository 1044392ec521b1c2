import { monotonicTime } from '../../platform/time.js';
import { addressKey } from '../../services/auth/address-key.js';
import { inBackground, untold } from '../../turns/background.js';
import type { ConnectionCounts } from './open-connections.js';

/** From this part of all connections on the addresses are counted: nobody has more than are free before half of them. */
const COUNTED_FROM = 1 / 4;
/** Counts are read again after so long, milliseconds, and not more than a fiftieth of the time. */
const READ_MS = 250;
const READ_SHARE = 1 / 50;

/**
 * ConnectionShares divides connections among addresses (a whole /64 of IPv6): none gets another one that has as many as
 * are free for all. So one address that takes all it can gets half of them, two get a third each, and there are always
 * some for whoever has few. Who has more by now, because others came, keeps none beyond its next reply; the native layer
 * closes those without a whole request after 12 s. So the idle ones of the greediest make room within that time.
 */
export class ConnectionShares {
  /** At the last reading. */
  private held: ConnectionCounts = new Map();
  /** Opened since that reading began, and since the one before it, less those that are to be closed. */
  private opened = new Map<string, number>();
  private openedBefore = new Map<string, number>();
  private isReading = false;
  private readAfter = -Infinity;

  /**
   * @param most connections of this process
   * @param read connections of each address now; also those of other processes
   * @param isExempt whether all clients may share the address, as that of a trusted proxy
   */
  constructor(
    private readonly most: number,
    private readonly read: () => Promise<ConnectionCounts>,
    private readonly isExempt: (address: string) => boolean,
    private readonly now: () => number = monotonicTime,
  ) {}

  /**
   * A connection was opened.
   * @param open all that are open now, with it
   * @returns whether it may stay
   */
  admits(open: number, address: () => string): boolean {
    if (open < this.most * COUNTED_FROM) return true;
    const from = address();
    if (this.isExempt(from)) return true;
    this.refresh(open);
    const key = addressKey(from);
    if (this.countOf(key) > this.most - open) return false;
    this.add(key, 1);
    return true;
  }

  /**
   * A connection sent a request.
   * @param open all that are open now, with it
   * @returns whether it may stay after the reply; what may not, counts no more
   */
  keeps(open: number, address: () => string): boolean {
    if (open < this.most * COUNTED_FROM) return true;
    const from = address();
    if (this.isExempt(from)) return true;
    this.refresh(open);
    const key = addressKey(from);
    // Without this one it would be admitted.
    if (this.countOf(key) - 1 <= this.most - open) return true;
    this.add(key, -1);
    return false;
  }

  private countOf(key: string): number {
    const before = (this.held.get(key) ?? 0) + (this.openedBefore.get(key) ?? 0);
    return before + (this.opened.get(key) ?? 0);
  }

  private add(key: string, count: number): void {
    this.opened.set(key, (this.opened.get(key) ?? 0) + count);
  }

  private refresh(open: number): void {
    const began = this.now();
    if (this.isReading || began < this.readAfter) return;
    this.isReading = true;
    const during = new Map<string, number>();
    this.openedBefore = sums(this.openedBefore, this.opened);
    this.opened = during;
    const refresh = async (): Promise<void> => {
      try {
        this.held = ofThisProcess(await this.read(), open);
      } finally {
        this.openedBefore = new Map();
        const now = this.now();
        this.readAfter = now + Math.max(READ_MS, (now - began) / READ_SHARE);
        this.isReading = false;
      }
    };
    // Where the system does not tell, those count that were opened lately.
    inBackground(refresh, untold);
  }
}

/** The share of this process of what all processes of a port have: the system spreads connections over them. */
function ofThisProcess(counts: ConnectionCounts, open: number): ConnectionCounts {
  let all = 0;
  for (const count of counts.values()) all += count;
  const share = all === 0 ? 1 : Math.min(1, open / all);
  return new Map([...counts].map(([key, count]) => [key, Math.round(count * share)]));
}

function sums(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): Map<string, number> {
  const all = new Map(a);
  for (const [key, count] of b) all.set(key, (all.get(key) ?? 0) + count);
  return all;
}
