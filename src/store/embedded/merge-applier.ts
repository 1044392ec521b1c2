import { setTimeout as delay } from 'node:timers/promises';
import { FencedError, UnusableStoreError } from '../port.js';

/** Before it is tried again where the store took no commit, as on a full disk. */
const RETRY_MS = 1000;
/** How long the end waits for what is left, milliseconds: another process waits to take over, and can go on with it. */
const END_MS = 300;

/** MergeApplier has what commits left applied in the background, one small commit after another (`unapplied.ts`). */
export class MergeApplier {
  #running: Promise<void> | null = null;
  #ending = new AbortController();
  /** When it ends whatever is left, by the steady clock. */
  #until = Infinity;

  /**
   * @param isLeft whether there is more to apply
   * @param applySome applies some of it as a commit in line with all others
   */
  constructor(
    private readonly isLeft: () => boolean,
    private readonly applySome: (token: number) => Promise<void>,
  ) {}

  /** Begins, unless it is under way or there is nothing. */
  start(token: number): void {
    if (this.#running !== null || !this.isLeft()) return;
    this.#ending = new AbortController();
    this.#until = Infinity;
    this.#running = this.#run(token, this.#ending.signal).finally(() => (this.#running = null));
  }

  /** Resolves when all is applied, or cannot be now, or has taken too long. */
  async end(): Promise<void> {
    this.#until = performance.now() + END_MS;
    this.#ending.abort();
    await this.#running;
  }

  async #run(token: number, ending: AbortSignal): Promise<void> {
    while (this.isLeft() && performance.now() < this.#until) {
      try {
        await this.applySome(token);
      } catch (error) {
        // What is left stays readable, and the next writer continues with it.
        if (error instanceof FencedError || error instanceof UnusableStoreError) return;
        if (ending.aborted) return;
        await delay(RETRY_MS, undefined, { signal: ending, ref: false }).catch(() => undefined);
      }
    }
  }
}
