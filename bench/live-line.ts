/** The line of a terminal that changes while something is measured. */

import { machineNow } from './clock.js';

/** Time between two counts of operations: each is a message of a generator, and costs the server nothing. */
export const TALLY_MS = 1000;

/** Where lines for the operator go: standard error, or what a test reads. */
interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Goes to the beginning of the line and clears it. */
const CLEAR = '\r\u001b[K';

/**
 * Tells what a run is at. On a terminal the last line also says how many operations there were in the second before, as
 * counted by those who made them; elsewhere only whole lines are written.
 */
export class LiveLine {
  private label = '';
  private isShown = false;

  constructor(private readonly output: Output) {}

  /** Whether anybody sees a line that changes; else nobody counts for it. */
  get isLive(): boolean {
    return this.output.isTTY === true;
  }

  /** Says what comes now, on a line that stays. */
  say(text: string): void {
    this.clear();
    this.label = text;
    this.output.write(`  ${text}\n`);
  }

  /** Shows the rate of the last second. @param second of the window, from 1 */
  rate(operations: number, ms: number, second: number): void {
    if (!this.isLive) return;
    const perSecond = Math.round((operations * 1000) / ms).toLocaleString('en-US');
    const text = `  ${this.label}: second ${second}, ${perSecond} operations/s`;
    this.output.write(CLEAR + text.slice(0, (this.output.columns ?? 80) - 1));
    this.isShown = true;
  }

  /** Takes the changing line away. */
  clear(): void {
    if (this.isShown) this.output.write(CLEAR);
    this.isShown = false;
  }
}

/** Adds up what generators count while they measure, and shows how much it grew, once all of them have told. */
export class Tallies {
  private readonly latest = new Map<number, number>();
  private shown = 0;
  private shownAt: number;
  private heard = 0;

  /** @param generators how many count. @param startAt when the window begins, on the machine's clock */
  constructor(
    private readonly line: LiveLine,
    private readonly generators: number,
    private readonly startAt: number,
  ) {
    this.shownAt = startAt;
  }

  /** A generator tells how many operations there were since its window began. */
  take(generator: number, operations: number, now = machineNow()): void {
    this.latest.set(generator, operations);
    this.heard += 1;
    if (this.heard < this.generators || this.latest.size < this.generators) return;
    this.heard = 0;
    const total = [...this.latest.values()].reduce((sum, one) => sum + one, 0);
    const second = Math.max(1, Math.round((now - this.startAt) / TALLY_MS));
    this.line.rate(total - this.shown, Math.max(1, now - this.shownAt), second);
    this.shown = total;
    this.shownAt = now;
  }
}

/** Of this process. */
export const liveLine = new LiveLine(process.stderr);
