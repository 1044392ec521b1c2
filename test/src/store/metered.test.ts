import t from 'tap';
import { createMemoryStore } from '../../../src/store/memory.js';
import { meteredStore, type StoreMeter } from '../../../src/store/metered.js';
import { FencedError, TrimmedError } from '../../../src/store/port.js';
import { storeWith } from '../../fixtures/gated-store.js';
import { storeContract } from './contract.js';
import { createMemory } from '../../../src/store/memory.js';
import { commitOf, entry, set } from './contract/under-test.js';

class Notes implements StoreMeter {
  readonly groups: number[] = [];
  readonly failures: string[] = [];
  /** Negative or not finite ones. */
  wrongTimes = 0;

  committed(entries: number, seconds: number): void {
    this.groups.push(entries);
    if (!(seconds >= 0 && seconds < 60)) this.wrongTimes += 1;
  }

  failed(operation: string, kind: string): void {
    this.failures.push(`${operation} ${kind}`);
  }
}

storeContract(t, 'metered', async () => {
  const memory = createMemory();
  const store = meteredStore(createMemoryStore(memory), new Notes());
  return {
    store,
    reopen: async () => {
      await store.close();
      return meteredStore(createMemoryStore(memory), new Notes());
    },
    second: async () => createMemoryStore(memory),
  };
});

void t.test('counts groups with entries, once they are durable', async (t) => {
  const notes = new Notes();
  const store = meteredStore(createMemoryStore(), notes);
  const lease = (await store.acquireLease('a', 1))!;
  await store.commit(lease, commitOf({ entries: [entry(1), entry(2)] }));
  await store.commit(lease, commitOf({ writes: [set('users', '1', {})] }));
  await store.commit(lease, commitOf({ entries: [entry(3)] }));
  t.same(notes.groups, [2, 1]);
  t.equal(notes.wrongTimes, 0);
  t.same(notes.failures, []);
});

void t.test('counts failures by operation and class, and passes them on', async (t) => {
  const notes = new Notes();
  const inner = createMemoryStore();
  const lease = (await inner.acquireLease('a', 1))!;
  await inner.commit(lease, commitOf({ entries: [entry(1), entry(2)] }));
  await inner.trimJournal(2);
  const away = storeWith(inner, { firstSeq: () => Promise.reject(new TypeError('away')) });
  const store = meteredStore(away, notes);
  await t.rejects(store.commit({ token: 99 }, commitOf({ entries: [entry(3)] })), FencedError);
  await t.rejects(store.firstSeq(), TypeError);
  const following = store.follow(0, new AbortController().signal)[Symbol.asyncIterator]();
  await t.rejects(following.next(), TrimmedError);
  t.same(notes.failures, ['commit FencedError', 'read TypeError', 'follow TrimmedError']);
  t.same(notes.groups, []);
});
