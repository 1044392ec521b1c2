/**
 * Group commit: commits that arrive while a write is under way wait and go out together in the next
 * one. Keeps call order and makes a failure reject everything behind it.
 */

/** Most commits written together: keeps one group, and so the latency of those behind it, short. */
const MAX_GROUP = 1024;
/** Most text written together, in UTF-16 units; one larger commit still goes out, alone. */
const MAX_GROUP_SIZE = 4 * 1024 * 1024;
/** Most commits waiting; callers bound what they have under way, this is the backstop. */
const MAX_WAITING = 65_536;

interface Waiting<T> {
  /** Null for a commit refused before it was written. */
  readonly item: T | null;
  readonly size: number;
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

/** Commits in line: those given together are made durable together, in the order in which they were given. */
export class CommitQueue<T> {
  #waiting: Waiting<T>[] = [];
  #scheduled = false;
  #writing = false;
  /** Why the last commit in line will be rejected: everything behind it is rejected at once. */
  #refused: Error | null = null;
  #idle: (() => void)[] = [];

  /**
   * @param write makes a group durable, all or nothing; called for one group at a time
   * @param emptied called when everything in line was rejected: what is durable is all there is
   */
  constructor(
    private readonly write: (group: readonly T[]) => Promise<unknown>,
    private readonly emptied: () => void,
  ) {}

  /** Queues a commit. `size` is the length of its texts, to keep groups short. */
  push(item: T, size: number): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) {
      return this.refuse(new Error(`More than ${MAX_WAITING} commits are waiting`));
    }
    return this.#enqueue(item, size);
  }

  /** Rejects a commit in its turn: those before it are written, those behind it are not. */
  refuse(error: Error): Promise<void> {
    if (this.#refused !== null) return Promise.reject(new EarlierCommitError(this.#refused));
    const refused = this.#enqueue(null, 0);
    this.#refused = error;
    return refused;
  }

  /** Resolves when nothing is waiting or being written. */
  drain(): Promise<void> {
    if (!this.#writing && this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #enqueue(item: T | null, size: number): Promise<void> {
    if (this.#refused !== null) return Promise.reject(new EarlierCommitError(this.#refused));
    const result = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ item, size, resolve, reject });
    });
    this.#schedule();
    return result;
  }

  /** A microtask later, so that commits given by one piece of code form one group. */
  #schedule(): void {
    if (this.#scheduled || this.#writing) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#next();
    });
  }

  #next(): void {
    const count = this.#groupLength();
    if (count === 0) {
      this.#rejectWaiting(this.#refused);
      return;
    }
    const group = this.#waiting.splice(0, count);
    this.#writing = true;
    const items = group.map((waiting) => waiting.item as T);
    this.#attempt(items).then(
      () => this.#written(group),
      (error: unknown) => this.#failed(group, error),
    );
  }

  async #attempt(items: readonly T[]): Promise<void> {
    await this.write(items);
  }

  /** How many from the front go out together; zero when the front one is refused. */
  #groupLength(): number {
    let size = 0;
    let count = 0;
    for (const waiting of this.#waiting) {
      size += waiting.size;
      if (waiting.item === null || count === MAX_GROUP) break;
      if (count > 0 && size > MAX_GROUP_SIZE) break;
      count++;
    }
    return count;
  }

  #written(group: readonly Waiting<T>[]): void {
    this.#writing = false;
    for (const waiting of group) waiting.resolve();
    this.#continue();
  }

  #failed(group: readonly Waiting<T>[], error: unknown): void {
    this.#writing = false;
    for (const waiting of group) waiting.reject(error);
    this.#rejectWaiting(error);
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
