/** A store that tells a meter of its commits and of what goes wrong. */
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
  releaseLease: 'lease',
  getMany: 'read',
  scan: 'read',
  lastEntry: 'read',
  firstSeq: 'read',
  readJournal: 'read',
  follow: 'follow',
  trimJournal: 'trim',
  due: 'read',
};

/** The same store; a commit costs two looks at the clock more. */
export function meteredStore(store: OpenedStore, meter: StoreMeter): OpenedStore {
  const watch = watcher(meter);
  const commit: Store['commit'] = async (lease, given: Commit) => {
    const begun = performance.now();
    await watch('commit', store.commit(lease, given));
    const { length } = given.entries;
    if (length > 0) meter.committed(length, (performance.now() - begun) / 1000);
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
