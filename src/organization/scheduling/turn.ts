import { setImmediate as nextTurn } from 'node:timers/promises';

/** Work without pause: less than half of what a request may be kept waiting. Milliseconds. */
const STRETCH_MS = 8;

/** Long work in stretches, so that requests are served in between. */
export class Turn {
  private began = performance.now();

  /** Lets others work when this turn has lasted long enough; at once otherwise. */
  async yieldIfLong(): Promise<void> {
    if (performance.now() - this.began < STRETCH_MS) return;
    await nextTurn();
    this.began = performance.now();
  }
}
