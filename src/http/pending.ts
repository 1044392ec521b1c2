/** What a drain asks of an exchange. */
interface PendingExchange {
  /** Whether its body is still on the way. */
  readonly receiving: boolean;
  /** Lets its connection close after the reply. */
  closeAfterReply(): void;
}

/** The exchanges that wait for their reply; what a drain waits for. */
export class PendingExchanges<E extends PendingExchange> {
  private readonly waiting = new Set<E>();
  private readonly emptied = new Set<() => void>();

  /** How many wait. */
  get size(): number {
    return this.waiting.size;
  }

  /** Notes that one begins to wait. */
  add(exchange: E): void {
    this.waiting.add(exchange);
  }

  /** Notes that one was answered or aborted. */
  remove(exchange: E): void {
    if (!this.waiting.delete(exchange) || this.waiting.size > 0) return;
    for (const listener of this.emptied) listener();
  }

  /** Lets the connection of every waiting exchange close after its reply. */
  drain(): void {
    for (const exchange of this.waiting) exchange.closeAfterReply();
  }

  /** Hands over every exchange that waits for us, whatever else it waits for. */
  forEachWaiting(action: (exchange: E) => void): void {
    for (const exchange of [...this.waiting]) if (!exchange.receiving) action(exchange);
  }

  /** Resolves when none waits any more, or after the deadline; true for the former. */
  async untilEmpty(deadlineMs: number): Promise<boolean> {
    if (this.waiting.size === 0) return true;
    return new Promise((resolve) => {
      const finish = (emptied: boolean) => {
        clearTimeout(deadline);
        this.emptied.delete(onEmpty);
        resolve(emptied);
      };
      // The last reply is still in the native layer's cork; it leaves when this turn ends.
      const onEmpty = () => void setImmediate(finish, true);
      const deadline = setTimeout(finish, deadlineMs, false);
      this.emptied.add(onEmpty);
    });
  }
}
