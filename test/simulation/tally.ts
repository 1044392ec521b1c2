import { EXPLORED } from './clients/explorer.js';
import { kinds } from './checks/machine-states.js';
import type { Outcome } from './run.js';

/** What one process tells another. */
export interface Totals {
  readonly runs: number;
  /** Seeds of those that failed. */
  readonly failing: readonly string[];
  readonly virtualMs: number;
  /** Of a processor. */
  readonly cpuMs: number;
  readonly steps: number;
  readonly mishaps: number;
  readonly counts: readonly (readonly [name: string, count: number])[];
}

/** Counts that are shown to whoever looks for gaps. */
const DETAIL = /^(refusal [\w-]+|roles): /;

/** What many runs came to: whether they look everywhere. */
export class Tally {
  runs = 0;
  readonly failing: string[] = [];
  private virtualMs = 0;
  private cpuMs = 0;
  private steps = 0;
  private mishaps = 0;
  private readonly counts = new Map<string, number>();

  add(seed: string, { faults, counts, virtualMs, cpuMs, steps, mishaps }: Outcome): void {
    this.runs++;
    if (faults.length > 0) this.failing.push(seed);
    this.virtualMs += virtualMs;
    this.cpuMs += cpuMs;
    this.steps += steps;
    this.mishaps += mishaps;
    for (const [name, count] of counts) this.counted(name, count);
    for (const [name, count] of kinds.counts) this.counted(name, count);
    kinds.counts.clear();
  }

  /** Takes what another process came to. */
  addAll(other: Totals): void {
    this.runs += other.runs;
    this.failing.push(...other.failing);
    this.virtualMs += other.virtualMs;
    this.cpuMs += other.cpuMs;
    this.steps += other.steps;
    this.mishaps += other.mishaps;
    for (const [name, count] of other.counts) this.counted(name, count);
  }

  totals(): Totals {
    const { runs, failing, virtualMs, cpuMs, steps, mishaps } = this;
    const counts = [...this.counts];
    return { runs, failing, virtualMs, cpuMs, steps, mishaps, counts };
  }

  private counted(name: string, count: number): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + count);
  }

  /**
   * For people: the totals last.
   * @param again the command that runs a seed again
   * @param isDetailed with what only whoever looks for gaps wants to know
   */
  lines(again: (seed: string) => string, isDetailed = false): string[] {
    const { failing } = this;
    const shown = [...this.counts].filter(([name]) => isDetailed || !DETAIL.test(name));
    const counted = shown.map(([name, n]) => `${name}: ${n}`).sort();
    if (isDetailed) counted.push(...this.gaps());
    const answered = new Set(
      this.names(/^operation .*: 2xx$/).map((name) =>
        name.slice('operation '.length, -': 2xx'.length),
      ),
    );
    const never = EXPLORED.filter(({ operation }) => !answered.has(operation));
    const names = never.map(({ operation }) => operation).join(' ');
    return [
      ...counted,
      `${EXPLORED.length - never.length} of ${EXPLORED.length} operations of the contract were answered with success; not: ${names}`,
      ...failing.map((seed) => `FAILED seed ${seed}: ${again(seed)}`),
      this.summary(),
      // As the runner of tests writes its totals.
      `# { total: ${this.runs}, pass: ${this.runs - failing.length}, fail: ${failing.length} }`,
    ];
  }

  /** Refusals that operations declare and no run came to, and how many ways of nodes to change one after the other. */
  private gaps(): string[] {
    const declared = EXPLORED.flatMap(({ operation, errors }) =>
      errors.map((code) => `${operation}: ${code}`),
    );
    const never = declared.filter((one) => !this.counts.has(`refusal ${one}`));
    return [
      ...never.map((one) => `never refused: ${one}`),
      `refusals that operations declare, entered: ${declared.length - never.length} of ${declared.length}`,
      `ways in which two nodes change one after the other, entered: ${this.names(/^roles: /).length}`,
    ];
  }

  /** How much was done, and how fast a processor does it. */
  summary(): string {
    const requests = this.sum(/^[A-Z]+ \//);
    const open = this.sum(/^[A-Z]+ \/.*: (503 .*|no reply)$/);
    const writes = this.counts.get('acknowledged writes') ?? 0;
    const hours = (this.virtualMs / 3_600_000).toFixed(2);
    const seconds = this.cpuMs / 1000;
    const each = (count: number): string => (seconds > 0 ? (count / seconds).toFixed(0) : '0');
    return (
      `${this.runs} runs, ${this.failing.length} of them failed: ${hours} hours, ${this.steps} steps, ${requests} requests ` +
      `(${requests - open} answered, and not by 503), ${writes} acknowledged writes, ${this.mishaps} faults; a second of a ` +
      `processor does ${each(this.virtualMs / 1000)} seconds, ${each(requests)} requests, ${each(this.mishaps)} faults`
    );
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
