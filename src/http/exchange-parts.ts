import type { Compressor } from './compression.js';
import type { HeldReplies } from './limits/held-replies.js';
import type { RequestLog } from './request-log.js';
import type { TrustedProxies } from './request/trusted-proxies.js';

/** The part of an exchange that a drain uses. */
export interface PendingExchange {
  /** Its place among those that wait; -1 where it does not. Only {@link PendingExchanges} sets it. */
  place: number;
  /** Whether its body is still being received. */
  readonly receiving: boolean;
  /** Closes its connection after the reply. */
  closeAfterReply(): void;
}

/**
 * PendingExchanges has the exchanges that wait for their reply; a drain waits for them.
 *
 * They stand in an array and know their places. A `Set` makes a new table after some additions, and the old one,
 * once the garbage collector has taken it for long-lived, keeps all later ones and their exchanges: 650 bytes of each
 * request had to be moved.
 */
export class PendingExchanges<E extends PendingExchange> {
  private readonly waiting: E[] = [];
  private readonly emptied = new Set<() => void>();

  /** How many wait. */
  get size(): number {
    return this.waiting.length;
  }

  /** Adds an exchange. */
  add(exchange: E): void {
    exchange.place = this.waiting.push(exchange) - 1;
  }

  /** Removes an exchange that was answered or aborted; the last one takes its place. */
  remove(exchange: E): void {
    const { place } = exchange;
    if (place === -1) return;
    exchange.place = -1;
    const last = this.waiting.pop()!;
    if (last !== exchange) {
      this.waiting[place] = last;
      last.place = place;
    }
    if (this.waiting.length > 0) return;
    for (const listener of this.emptied) listener();
  }

  /** Closes the connection of every pending exchange after its reply. */
  drain(): void {
    for (const exchange of this.waiting) exchange.closeAfterReply();
  }

  /** Calls `action` for every exchange whose body is not being received any more. */
  forEachWaiting(action: (exchange: E) => void): void {
    for (const exchange of [...this.waiting]) if (!exchange.receiving) action(exchange);
  }

  /** Resolves when none is pending (true) or at the deadline (false). */
  async untilEmpty(deadlineMs: number): Promise<boolean> {
    if (this.waiting.length === 0) return true;
    return new Promise((resolve) => {
      const finish = (emptied: boolean) => {
        clearTimeout(deadline);
        this.emptied.delete(onEmpty);
        resolve(emptied);
      };
      // The last reply is still in the native layer's cork, which is flushed when this turn ends.
      const onEmpty = () => void setImmediate(finish, true);
      const deadline = setTimeout(finish, deadlineMs, false);
      this.emptied.add(onEmpty);
    });
  }
}

/** Dependencies that all exchanges share. */
export interface SharedParts<Exchange extends PendingExchange> {
  /** The exchanges that wait for their reply, for draining. */
  readonly pending: PendingExchanges<Exchange>;
  /** Proxies whose headers about the client are trusted; null: none. */
  readonly proxies: TrustedProxies | null;
  readonly compressor: Compressor;
  /** Large replies that wait for their readers. */
  readonly held: HeldReplies;
  /** The journal's position for replies to requests that may write; null where they carry none. */
  readonly position: () => number | null;
  readonly requests: RequestLog;
  /** Whether nodes of the organization are the clients, and tell where requests came from. */
  readonly isInternal: boolean;
}
