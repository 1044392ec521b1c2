import type { StoreMeter } from './metered.js';

/** Commits whose time is remembered: those of some seconds of load. */
const REMEMBERED = 1024;

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

  /** @param others told the same; undefined for none */
  constructor(private readonly other: () => StoreMeter | undefined) {}

  committed(entries: number, seconds: number): void {
    this.entries += entries;
    this.times[this.groups % REMEMBERED] = seconds;
    this.groups += 1;
    this.other()?.committed(entries, seconds);
  }

  failed(operation: string, kind: string): void {
    this.other()?.failed(operation, kind);
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
