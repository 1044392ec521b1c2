import { EXPLORED } from './clients/explorer.js';
import { kinds } from './checks/machine-states.js';
import type { Outcome } from './run.js';

/** What one process tells another. */
export interface Totals {
  readonly runs: number;
  readonly failed: number;
  readonly virtualMs: number;
  readonly steps: number;
  readonly mishaps: number;
  readonly counts: readonly (readonly [name: string, count: number])[];
}

/** What many runs came to: whether they look everywhere. */
export class Tally {
  private runs = 0;
  private failed = 0;
  private virtualMs = 0;
  private steps = 0;
  private mishaps = 0;
  private readonly counts = new Map<string, number>();

  add({ faults, counts, virtualMs, steps, mishaps }: Outcome): void {
    this.runs++;
    if (faults.length > 0) this.failed++;
    this.virtualMs += virtualMs;
    this.steps += steps;
    this.mishaps += mishaps;
    for (const [name, count] of counts) this.counted(name, count);
  }

  /** Takes what another process came to. */
  addAll(other: Totals): void {
    this.runs += other.runs;
    this.failed += other.failed;
    this.virtualMs += other.virtualMs;
    this.steps += other.steps;
    this.mishaps += other.mishaps;
    for (const [name, count] of other.counts) this.counted(name, count);
  }

  totals(): Totals {
    const { runs, failed, virtualMs, steps, mishaps } = this;
    const counts = [...this.counts, ...kinds.counts];
    return { runs, failed, virtualMs, steps, mishaps, counts };
  }

  private counted(name: string, count: number): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + count);
  }

  /** For people: the totals last. */
  lines(): string[] {
    const counted = this.totals()
      .counts.map(([name, n]) => `${name}: ${n}`)
      .sort();
    const answered = new Set(
      this.names(/^operation .*: 2xx$/).map((name) =>
        name.slice('operation '.length, -': 2xx'.length),
      ),
    );
    const never = EXPLORED.filter(({ operation }) => !answered.has(operation));
    const names = never.map(({ operation }) => operation).join(' ');
    const requests = this.sum(/^[A-Z]+ \//);
    const writes = this.counts.get('acknowledged writes') ?? 0;
    const hours = (this.virtualMs / 3_600_000).toFixed(2);
    return [
      ...counted,
      `${EXPLORED.length - never.length} of ${EXPLORED.length} operations of the contract were answered with success; not: ${names}`,
      `${this.runs} runs, ${this.failed} of them failed: ${hours} hours, ${this.steps} steps, ${requests} requests, ` +
        `${writes} acknowledged writes, ${this.mishaps} faults`,
      // As the runner of tests writes its totals.
      `# { total: ${this.runs}, pass: ${this.runs - this.failed}, fail: ${this.failed} }`,
    ];
  }

  private names(like: RegExp): string[] {
    return [...this.counts.keys()].filter((name) => like.test(name));
  }

  private sum(names: RegExp): number {
    let sum = 0;
    for (const [name, count] of this.counts) if (names.test(name)) sum += count;
    return sum;
  }
}
