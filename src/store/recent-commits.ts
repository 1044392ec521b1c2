import type { StoreMeter } from './metered.js';

/** Commits whose time is remembered: those of some seconds of load. */
const REMEMBERED = 1024;

/** Upper bounds of the counts by time, seconds: from what memory takes to what a client gives up on. */
export const COMMIT_BOUNDS = [
  ...[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1],
  ...[0.25, 0.5, 1, 2.5, 5, 10],
] as const;

/** What became durable since the last look. */
export interface CommitsSince {
  readonly entries: number;
  /** Groups of entries, each a commit of the store. */
  readonly groups: number;
  /** Of the newest 1,024 groups of them; null where there were none. Milliseconds. */
  readonly p99Ms: number | null;
}

/** RecentCommits remembers the newest commits for whoever looks at the running server, and tells further meters. */
export class RecentCommits implements StoreMeter {
  private entries = 0;
  private groups = 0;
  private readonly times = new Float64Array(REMEMBERED);
  private readonly buckets = new Float64Array(COMMIT_BOUNDS.length);

  /** @param others told the same */
  constructor(private readonly others: () => readonly StoreMeter[]) {}

  /** Groups since the process began: within each of {@link COMMIT_BOUNDS}, those within a smaller one too, and all. */
  latencies(): { readonly within: readonly number[]; readonly count: number } {
    let count = 0;
    return { within: [...this.buckets].map((more) => (count += more)), count: this.groups };
  }

  committed(entries: number, seconds: number): void {
    this.entries += entries;
    this.times[this.groups % REMEMBERED] = seconds;
    this.groups += 1;
    const place = COMMIT_BOUNDS.findIndex((bound) => seconds <= bound);
    if (place >= 0) this.buckets[place]! += 1;
    for (const other of this.others()) other.committed(entries, seconds);
  }

  failed(operation: string, kind: string): void {
    for (const other of this.others()) other.failed(operation, kind);
  }

  /** @returns a function that tells what came since this call, or since its own last one */
  look(): () => CommitsSince {
    let [entries, groups] = [this.entries, this.groups];
    return () => {
      const since = {
        entries: this.entries - entries,
        groups: this.groups - groups,
        p99Ms: this.p99(this.groups - groups),
      };
      [entries, groups] = [this.entries, this.groups];
      return since;
    };
  }

  /** Of the newest so many groups. */
  private p99(count: number): number | null {
    const known = Math.min(count, REMEMBERED);
    if (known === 0) return null;
    const newest = Array.from(
      { length: known },
      (_, back) => this.times[(this.groups - 1 - back) % REMEMBERED]!,
    );
    const sorted = newest.sort((a, b) => a - b);
    return sorted[Math.ceil(known * 0.99) - 1]! * 1000;
  }
}
