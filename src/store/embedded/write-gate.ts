/** WriteGate holds the transactions of this process back while others open the database (`open-gate.ts`). */
export class WriteGate {
  #writes = 0;
  #pauses = 0;
  /** Called when the last transaction under way ends. */
  #idle: (() => void)[] = [];
  /** Called when the last pause ends. */
  #resumed: (() => void)[] = [];

  /** Runs a transaction, after every pause that is under way. */
  async run<T>(write: () => Promise<T>): Promise<T> {
    while (this.#pauses > 0) await new Promise<void>((resolve) => this.#resumed.push(resolve));
    this.#writes += 1;
    try {
      return await write();
    } finally {
      this.#writes -= 1;
      if (this.#writes === 0) for (const idle of this.#idle.splice(0)) idle();
    }
  }

  /**
   * Resolves when no transaction is under way; none begins any more.
   * @returns ends the pause
   */
  async pause(): Promise<() => void> {
    this.#pauses += 1;
    if (this.#writes > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#pauses -= 1;
      if (this.#pauses === 0) for (const resumed of this.#resumed.splice(0)) resumed();
    };
  }
}
