/** Most commits waiting; callers bound what they have under way, this is the backstop. */
const MAX_WAITING = 65_536;

interface Waiting<T> {
  /** Null for a commit refused before it was written. */
  readonly item: T | null;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Rejects a commit that was given while one before it was failing. */
export class EarlierCommitError extends Error {
  constructor(cause: unknown) {
    super('An earlier commit failed', { cause });
    this.name = 'EarlierCommitError';
  }
}

/**
 * CommitQueue writes commits one at a time, in the order in which they were given; a failure rejects everything
 * behind it. Who commits puts together what belongs together (architecture.md#group-commit).
 */
export class CommitQueue<T> {
  #waiting: Waiting<T>[] = [];
  #scheduled = false;
  #writing = false;
  /** Why the last commit in line will be rejected: everything behind it is rejected at once. */
  #refused: Error | null = null;
  #idle: (() => void)[] = [];

  /**
   * @param write makes a commit durable, all or nothing; called for one at a time
   * @param emptied called when everything in line was rejected: what is durable is all there is
   */
  constructor(
    private readonly write: (item: T) => Promise<unknown>,
    private readonly emptied: () => void,
  ) {}

  /** Queues a commit. */
  push(item: T): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) {
      return this.refuse(new Error(`More than ${MAX_WAITING} commits are waiting`));
    }
    return this.#enqueue(item);
  }

  /** Rejects a commit in its turn: those before it are written, those behind it are not. */
  refuse(error: Error): Promise<void> {
    if (this.#refused !== null) return Promise.reject(new EarlierCommitError(this.#refused));
    const refused = this.#enqueue(null);
    this.#refused = error;
    return refused;
  }

  /** Resolves when nothing is waiting or being written. */
  drain(): Promise<void> {
    if (!this.#writing && this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #enqueue(item: T | null): Promise<void> {
    if (this.#refused !== null) return Promise.reject(new EarlierCommitError(this.#refused));
    const result = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
    });
    this.#schedule();
    return result;
  }

  /** A microtask later, so that whoever gives several commits gives them all before one is refused. */
  #schedule(): void {
    if (this.#scheduled || this.#writing) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#next();
    });
  }

  #next(): void {
    const next = this.#waiting[0];
    if (!next || next.item === null) {
      this.#rejectWaiting(this.#refused);
      return;
    }
    this.#waiting.shift();
    this.#writing = true;
    this.#attempt(next.item).then(
      () => {
        this.#writing = false;
        next.resolve();
        this.#continue();
      },
      (error: unknown) => {
        this.#writing = false;
        next.reject(error);
        this.#rejectWaiting(error);
      },
    );
  }

  async #attempt(item: T): Promise<void> {
    await this.write(item);
  }

  /** Rejects everything in line; the refused one, if any, with its own reason. */
  #rejectWaiting(error: unknown): void {
    const waiting = this.#waiting;
    const refused = this.#refused;
    this.#waiting = [];
    this.#refused = null;
    for (const { item, reject } of waiting) {
      reject(item === null ? refused : new EarlierCommitError(error));
    }
    this.emptied();
    this.#continue();
  }

  #continue(): void {
    if (this.#waiting.length > 0) {
      this.#schedule();
      return;
    }
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }
}
