import { monotonicTime } from '../platform/time.js';
import type { OpenedStore } from './open.js';
import type { Commit, Store } from './port.js';

/** What is told of a store, for metrics. */
export interface StoreMeter {
  /** A group of so many entries became durable within so many seconds. */
  committed(entries: number, seconds: number): void;
  /** An operation failed; `kind` is the name of the error's class. */
  failed(operation: string, kind: string): void;
}

type Method = (...args: never[]) => unknown;

/** What metrics call the methods whose failures count. */
const OPERATIONS: Readonly<Partial<Record<keyof Store, string>>> = {
  acquireLease: 'lease',
  renewLease: 'lease',
  confirmLease: 'lease',
  releaseLease: 'lease',
  getMany: 'read',
  getManyWithLast: 'read',
  lineage: 'read',
  surelyNewest: 'read',
  scan: 'read',
  lastEntry: 'read',
  firstSeq: 'read',
  readJournal: 'read',
  follow: 'follow',
  trimJournal: 'trim',
  due: 'read',
};

/**
 * The same store, which tells a meter of its commits and of what goes wrong; a commit costs two looks at the clock
 * more.
 */
export function meteredStore(store: OpenedStore, meter: StoreMeter): OpenedStore {
  const watch = watcher(meter);
  const commit: Store['commit'] = async (lease, given: Commit) => {
    const begun = monotonicTime();
    await watch('commit', store.commit(lease, given));
    const { length } = given.entries;
    if (length > 0) meter.committed(length, (monotonicTime() - begun) / 1000);
  };
  const methods = new Map<string | symbol, Method>([['commit', commit]]);
  return new Proxy(store, {
    get(target, name) {
      const known = methods.get(name);
      if (known) return known;
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      const bound = value.bind(target) as Method;
      const operation = OPERATIONS[name as keyof Store];
      const method =
        operation === undefined ? bound : (...args: never[]) => watch(operation, bound(...args));
      methods.set(name, method);
      return method;
    },
  });
}

/** Notes the failure of a promise or of an iteration, and passes it on. */
function watcher(meter: StoreMeter) {
  const note = (operation: string, error: unknown): void => {
    meter.failed(operation, error instanceof Error ? error.name : 'unknown');
  };
  async function* each(operation: string, items: AsyncIterable<unknown>): AsyncGenerator<unknown> {
    try {
      yield* items;
    } catch (error) {
      note(operation, error);
      throw error;
    }
  }
  return <T>(operation: string, result: T): T => {
    if (result instanceof Promise) result.catch((error: unknown) => note(operation, error));
    else if (isIteration(result)) return each(operation, result) as T;
    return result;
  };
}

function isIteration(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

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

  private readonly others: Partial<StoreMeter>[] = [];

  /** Tells a further meter what happens from now on. */
  tell(meter: Partial<StoreMeter>): void {
    this.others.push(meter);
  }

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
    for (const other of this.others) other.committed?.(entries, seconds);
  }

  failed(operation: string, kind: string): void {
    for (const other of this.others) other.failed?.(operation, kind);
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
