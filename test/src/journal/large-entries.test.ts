import t, { type Test } from 'tap';
import type { EntryContent } from '../../../src/journal/entry.js';
import { encodeEntry } from '../../../src/journal/entry-text.js';
import { Journal } from '../../../src/journal/journal.js';
import { createMemory } from '../../../src/store/memory.js';
import type { Write } from '../../../src/store/port.js';
import { GatedStore } from '../../fixtures/gated-store.js';

function writes(count: number): Write[] {
  return Array.from({ length: count }, (_, i) => ({
    op: 'set',
    key: { collection: 'thing', id: String(i) },
    document: { i, text: `thing ${i}` },
  }));
}

const small: EntryContent = {
  writes: writes(1),
  events: [{ type: 'x', audience: { to: 'all' }, data: {}, slots: 1 }],
  due: [],
};

async function openJournal() {
  const gate = new GatedStore(createMemory());
  const { store } = gate;
  const lease = await store.acquireLease('test', 1000);
  const durable: number[] = [];
  const ignore = (): void => undefined;
  const journal = await Journal.open({
    store,
    lease: lease!,
    now: () => 7,
    listener: {
      durable: ({ position }) => durable.push(position.seq),
      flushed: ignore,
      takenBack: ignore,
      withheld: ignore,
      applyAgain: ignore,
      storeFailed: ignore,
      storeRecovered: ignore,
      deposed: ignore,
    },
  });
  return { gate, store, journal, durable };
}

/** Others have their turns while an entry is encoded, which is stored as any entry is. */
async function isEncodedInStretches(t: Test, content: EntryContent): Promise<void> {
  const { store, journal } = await openJournal();
  journal.append(content);
  let rounds = 0;
  const count = (): void => {
    rounds += 1;
    if (journal.pending > 0) setImmediate(count);
  };
  setImmediate(count);
  await journal.barrier();
  t.ok(rounds > 3, `others had ${rounds} turns`);
  const [stored] = await store.readJournal(1, 100, 100);
  t.ok(stored!.text === encodeEntry(1, 7, content).text, 'encoded as any entry is');
}

void t.test('a large entry is encoded in stretches, and nothing overtakes it', async (t) => {
  const { store, journal, durable } = await openJournal();
  const large: EntryContent = { ...small, writes: writes(60_000) };
  const contents = [small, large, small, small];
  contents.forEach((content) => journal.append(content));
  let rounds = 0;
  const count = (): void => {
    rounds += 1;
    if (journal.pending > 0) setImmediate(count);
  };
  setImmediate(count);
  // What is appended while it is being encoded comes after it, too.
  setImmediate(() => setImmediate(() => journal.append(small)));
  await journal.barrier();
  while (journal.pending > 0) await journal.barrier();
  t.ok(rounds > 3, `others had ${rounds} turns`);
  t.same(durable, [1, 2, 3, 4, 5]);
  const stored = await store.readJournal(1, 100, 100);
  t.same(
    stored.map(({ seq }) => seq),
    [1, 2, 3, 4, 5],
  );
  const expected = [...contents, small].map((content, i) => encodeEntry(i + 1, 7, content).text);
  t.ok(
    stored.every(({ text }, i) => text === expected[i]),
    'encoded as any entry is',
  );
});

void t.test(
  'so is one of a single document whose events go to thousands of users each',
  async (t) => {
    const users = Array.from({ length: 20_000 }, (_, i) => 1_000_000 + i);
    const event = { type: 'x', audience: { to: 'users', users }, data: {}, slots: 1 } as const;
    const content: EntryContent = { ...small, events: Array.from({ length: 100 }, () => event) };
    await isEncodedInStretches(t, content);
    const ofOneUser = { ...event, audience: { to: 'users', users: [1] } } as const;
    await isEncodedInStretches(t, {
      ...small,
      events: Array.from({ length: 60_000 }, () => ofOneUser),
    });
  },
);

void t.test('so is an entry of a hundred documents with thousands of ids each', async (t) => {
  const listing = { direct_members: Array.from({ length: 20_000 }, (_, i) => 1_000_000 + i) };
  const content: EntryContent = {
    writes: writes(100).map(({ key }) => {
      return { op: 'merge', key, fields: { listing }, document: { listing } };
    }),
    events: Array.from({ length: 100 }, (_, i) => {
      return { type: 'x', audience: { to: 'users', users: [i] }, data: { listing }, slots: 1 };
    }),
    due: [],
  };
  await isEncodedInStretches(t, content);
});

void t.test('a group of commits has a bounded number of documents', async (t) => {
  const { gate, journal, durable } = await openJournal();
  for (let i = 0; i < 10; i++) journal.append({ ...small, writes: writes(600) });
  journal.append({ ...small, writes: writes(5000) });
  await journal.barrier();
  t.equal(durable.length, 11);
  // Three times 600 are below 2,000; one entry is never divided.
  t.same(gate.given, [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10], [11]]);
});

void t.test('a large entry has one change of each document, as a small one has', async (t) => {
  const { store, journal } = await openJournal();
  const key = { collection: 'thing', id: '7' };
  const document = { i: 7, text: 'changed' };
  const merge: Write = { op: 'merge', key, fields: { text: 'changed' }, document };
  journal.append({ ...small, writes: [...writes(600), merge] });
  await journal.barrier();
  const [entry] = await store.readJournal(1, 1, 1);
  const expected = writes(600).map((write): Write =>
    write.key.id === '7' ? { op: 'set', key, document } : write,
  );
  t.equal(entry!.text, encodeEntry(1, 7, { ...small, writes: expected }).text);
  t.same(await store.getMany([key]), [document]);
});

void t.test(
  'a large entry folds changes of a document without a number among many others',
  async (t) => {
    for (const others of [3, 150]) {
      const { store, journal } = await openJournal();
      const named = Array.from({ length: others }, (_, i): Write => {
        const key = { collection: 'named', id: `name ${i}` };
        return { op: 'set', key, document: { i } };
      });
      const { key } = named[1]!;
      const document = { i: 1, again: true };
      const merge: Write = { op: 'merge', key, fields: { again: true }, document };
      journal.append({ ...small, writes: [...named, ...writes(600), merge] });
      await journal.barrier();
      const [entry] = await store.readJournal(1, 1, 1);
      const folded = named.map((write, i): Write =>
        i === 1 ? { op: 'set', key, document } : write,
      );
      const expected = { ...small, writes: [...folded, ...writes(600)] };
      t.equal(entry!.text, encodeEntry(1, 7, expected).text, `${others} documents with names`);
    }
  },
);
