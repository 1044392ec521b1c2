/** The store of a server in a test: in memory, away when the test says so. */
import { createMemory, createMemoryStore, type Memory } from '../store/memory.js';
import { StoreUnavailableError, type Store } from '../store/port.js';
import type { Backup } from './api.js';

/** A copy of what was stored. */
export class MemoryBackup implements Backup {
  private readonly memory: Memory;

  constructor(
    memory: Memory,
    readonly takenAt: Date,
  ) {
    this.memory = copyOf(memory);
  }

  /** Memory with what was stored then. */
  restore(): Memory {
    return copyOf(this.memory);
  }
}

function copyOf({ collections, journal, due, trimmedThrough, token }: Memory): Memory {
  const copied = <T>(maps: Map<string, Map<string, T>>): Map<string, Map<string, T>> =>
    new Map([...maps].map(([name, map]) => [name, new Map(map)]));
  return {
    ...createMemory(),
    ...{ collections: copied(collections), due: copied(due), journal: new Map(journal) },
    trimmedThrough,
    token,
  };
}

/** What of a store goes to its server, when it is one that can be away. */
const REMOTE: ReadonlySet<string | symbol> = new Set<keyof Store>([
  ...(['acquireLease', 'renewLease', 'commit', 'getMany', 'getManyWithLast'] as const),
  ...(['lastEntry', 'firstSeq', 'readJournal', 'trimJournal', 'due'] as const),
]);

/** A store in memory that can be away: then it answers as one of a server that nobody reaches. */
export class TestStore {
  isAway = false;
  memory: Memory = createMemory();

  /** Opens it for a server. */
  open(): Store {
    return new Proxy(createMemoryStore(this.memory), {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        const method = value.bind(target) as (...args: unknown[]) => unknown;
        if (!REMOTE.has(name)) return method;
        return (...args: unknown[]) => (this.isAway ? Promise.reject(away()) : method(...args));
      },
    });
  }
}

function away(): StoreUnavailableError {
  return new StoreUnavailableError('The store is away', new Error('the test says so'));
}
