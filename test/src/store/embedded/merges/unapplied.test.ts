import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { changesOf } from '../../../../../src/journal/entry-reading.js';
import {
  openEnvironment,
  UNAPPLIED_MERGES_KEY,
} from '../../../../../src/store/embedded/environment.js';
import { openEmbeddedStore } from '../../../../../src/store/embedded/store.js';
import { sealDocument, sealEntry, unsealDocument } from '../../../../../src/store/checksum.js';
import type { Document, Store, StoreReads, Write } from '../../../../../src/store/port.js';
import { commitOf, entry, set, TTL_MS } from '../../contract/under-test.js';
import { start } from '../../fixtures/talking-process.js';
import { testFolder } from '../../../../fixtures/test-folder.js';

const FIXTURE = fileURLToPath(new URL('../../fixtures/merge-commit.js', import.meta.url));
const COUNT = 2000;
const EMPTY = '{"at":1,"changes":[],"events":[]}';
const COLLECTION = 'message';

function keyOf(id: number) {
  return { collection: COLLECTION, id: String(id) };
}

/** The documents that a store should have, and writes that change them. */
class Model {
  readonly documents = new Map<number, Document>();

  insert(id: number, document: Document): Write {
    this.documents.set(id, document);
    return set(COLLECTION, String(id), document);
  }

  merge(id: number, fields: Document): Write {
    const document = { ...this.documents.get(id)!, ...fields };
    this.documents.set(id, document);
    return { op: 'merge', key: keyOf(id), fields, document };
  }

  delete(id: number): Write {
    this.documents.delete(id);
    return { op: 'delete', key: keyOf(id) };
  }

  /** Merges with all documents that are there. */
  mergeAll(fields: Document): Write[] {
    return [...this.documents.keys()].map((id) => this.merge(id, fields));
  }
}

async function filled(store: Store) {
  const lease = (await store.acquireLease('writer', TTL_MS))!;
  let seq = 0;
  const put = (writes: readonly Write[]): Promise<void> =>
    store.commit(lease, commitOf({ entries: [entry(++seq)], writes }));
  const model = new Model();
  await put(Array.from({ length: COUNT }, (_, id) => model.insert(id, { id, topic: 'old' })));
  return { lease, put, model };
}

/** What a store has, read in both ways. */
async function checkSame(t: Test, store: StoreReads, { documents }: Model, when: string) {
  const ids = Array.from({ length: COUNT + 100 }, (_, id) => id);
  const found = await store.getMany(ids.map(keyOf));
  t.strictSame(
    found,
    ids.map((id) => documents.get(id)),
    `${when}: by key`,
  );
  const scanned: [string, Document][] = [];
  for await (const batch of store.scan(COLLECTION, { batch: 300 })) {
    for (const { id, document } of batch) scanned.push([id, document]);
  }
  const expected = [...documents].sort(([a], [b]) => a - b);
  t.strictSame(
    scanned,
    expected.map(([id, document]) => [String(id), document]),
    `${when}: by scan`,
  );
}

/** The format that a build reads before it reads anything else. */
async function formatOf(directory: string): Promise<string | undefined> {
  const environment = await openEnvironment(directory, 'process');
  const format = environment.meta.get('format');
  await environment.close();
  return format;
}

/**
 * Starts writers one after the other until nothing is left: the end of each waits a bounded time, which depends on the
 * machine.
 */
async function formatAtTheEnd(
  directory: string,
  options: Parameters<typeof openEmbeddedStore>[1] = {},
): Promise<string | undefined> {
  for (let tries = 0; tries < 50 && (await formatOf(directory)) !== '2'; tries += 1) {
    const store = await openEmbeddedStore(directory, options);
    await store.acquireLease('last', TTL_MS);
    await store.close();
  }
  return formatOf(directory);
}

void t.test('many merges are read whole, everywhere, before they are all written', async (t) => {
  const directory = join(testFolder(t), 'data');
  const store = await openEmbeddedStore(directory);
  const { put, model } = await filled(store);
  await put(model.mergeAll({ topic: 'new', edited: [1, null] }));
  t.equal(await formatOf(directory), '2 with unapplied merges', 'a former build refuses it');
  const other = await openEmbeddedStore(directory);
  t.teardown(() => other.close());
  await checkSame(t, other, model, 'in another process');
  await checkSame(t, store, model, 'in this one');
  await store.close();
  await checkSame(t, other, model, 'when the writer has ended');
  t.equal(await formatAtTheEnd(directory), '2', 'nothing is left');
});

void t.test('a snapshot has the merges that were unapplied when it was taken', async (t) => {
  const store = await openEmbeddedStore(join(testFolder(t), 'data'));
  t.teardown(() => store.close());
  const { put, model } = await filled(store);
  await put(model.mergeAll({ topic: 'new' }));
  const snapshot = await store.snapshot!();
  const then = new Model();
  for (const [id, document] of model.documents) then.documents.set(id, document);
  await put([model.merge(7, { topic: 'newer' })]);
  await checkSame(t, snapshot, then, 'the snapshot');
  await checkSame(t, store, model, 'the store');
  await snapshot.close();
});

void t.test('commits behind many merges, of the same documents and of others', async (t) => {
  const directory = join(testFolder(t), 'data');
  let store = await openEmbeddedStore(directory);
  const { put, model } = await filled(store);
  const other = await openEmbeddedStore(directory);
  t.teardown(() => other.close());
  const even = (fields: Document): Write[] =>
    [...model.documents.keys()].filter((id) => id % 2 === 0).map((id) => model.merge(id, fields));
  const steps: Readonly<Record<string, () => readonly Write[]>> = {
    'merges of all': () => model.mergeAll({ topic: 'a', first: 1 }),
    'other merges of half of them': () => even({ topic: 'b', second: 2 }),
    'one is set': () => [model.insert(3, { id: 3, topic: 'set' })],
    'merges of all again': () => model.mergeAll({ topic: 'c' }),
    'one is merged': () => [model.merge(4, { topic: 'd' })],
    'merges of half': () => even({ topic: 'e' }),
    'one is deleted': () => [model.delete(4)],
    'merges, of which one document is new': () => [
      ...model.mergeAll({ topic: 'f' }),
      model.insert(COUNT, { id: COUNT, topic: 'new' }),
    ],
    'merges with a document of them deleted': () => {
      const merges = model.mergeAll({ topic: 'g' });
      return [...merges, model.delete(5)];
    },
    'merges and a deletion of one that is unapplied': () => {
      const gone = model.delete(6);
      return [...model.mergeAll({ topic: 'h' }), gone];
    },
    'a document of another collection': () => [set('user', '3', { id: 3 })],
  };
  for (const [name, writes] of Object.entries(steps)) {
    await put(writes());
    await checkSame(t, other, model, `${name}, in another process`);
    await checkSame(t, store, model, name);
  }
  // All of them, given before the first is durable.
  await Promise.all(
    Object.values(steps).map((writes, i) => {
      if (i === 6) model.insert(4, { id: 4 });
      return put([...(i === 6 ? [set(COLLECTION, '4', { id: 4 })] : []), ...writes()]);
    }),
  );
  await checkSame(t, store, model, 'given at once');
  await store.close();
  store = await openEmbeddedStore(directory);
  await checkSame(t, store, model, 'opened again');
  await store.close();
});

/** A store whose writer was killed when its merges were durable, and what it should have. */
async function killed(t: Test): Promise<{ directory: string; model: Model }> {
  const directory = join(testFolder(t), 'data');
  const child = await start(t, [process.execPath, FIXTURE, directory]);
  child.process.kill('SIGKILL');
  await child.ended;
  const model = new Model();
  for (let id = 0; id < COUNT; id++) {
    const seen: Document = id < 1000 ? { seen: true } : {};
    model.insert(id, { id, topic: 'new', more: 'x', ...seen });
  }
  return { directory, model };
}

void t.test('killed when many merges are durable, the next writer applies them', async (t) => {
  const { directory, model } = await killed(t);
  const store = await openEmbeddedStore(directory);
  await checkSame(t, store, model, 'without a writer');
  const lease = (await store.acquireLease('next', TTL_MS))!;
  const merge = model.merge(1999, { topic: 'newer' });
  await store.commit(lease, commitOf({ entries: [entry(4, EMPTY)], writes: [merge] }));
  await checkSame(t, store, model, 'with the next writer');
  await store.close();
  t.equal(await formatAtTheEnd(directory), '2');
});

/** A disk that is full as soon as the lease is taken, which needs room. */
function roomForLease(): () => number {
  let asked = 0;
  return () => (asked++ === 0 ? Infinity : 0);
}

void t.test('on a full disk merges stay unapplied, and are read all the same', async (t) => {
  const { directory, model } = await killed(t);
  const full = await openEmbeddedStore(directory, { free: roomForLease() });
  await full.acquireLease('next', TTL_MS);
  await checkSame(t, full, model, 'on a full disk');
  await full.close();
  t.equal(await formatOf(directory), '2 with unapplied merges');
  const store = await openEmbeddedStore(directory);
  await store.acquireLease('next', TTL_MS);
  await checkSame(t, store, model, 'when there is room');
  await store.close();
  t.equal(await formatAtTheEnd(directory), '2');
});

/** Flips a bit of the record, and of a journal entry. */
async function damage(directory: string, entryToo?: number): Promise<void> {
  const environment = await openEnvironment(directory, 'process');
  const { meta, journal } = environment;
  const flipped = (text: string): string => text.replace('new', 'nev');
  await meta.put(UNAPPLIED_MERGES_KEY, flipped(meta.get(UNAPPLIED_MERGES_KEY)!), 0);
  if (entryToo !== undefined) await journal.put(entryToo, flipped(journal.get(entryToo)!));
  await environment.close();
}

const FAULT = { subject: 'unapplied merges', problem: 'their checksum differs' };

void t.test('a damaged record is made again of the journal', async (t) => {
  const { directory, model } = await killed(t);
  await damage(directory);
  const other = await openEmbeddedStore(directory, { readChanges: changesOf });
  t.teardown(() => other.close());
  await checkSame(t, other, model, 'without a writer');
  t.match(await other.faults!(), [FAULT]);
  const store = await openEmbeddedStore(directory, {
    readChanges: changesOf,
    free: roomForLease(),
  });
  const lease = (await store.acquireLease('next', TTL_MS))!;
  await checkSame(t, store, model, 'with a writer that has not applied any');
  await store.releaseLease(lease);
  await checkSame(t, store, model, 'when it writes no more');
  await store.close();
  const next = await openEmbeddedStore(directory, { readChanges: changesOf });
  const again = (await next.acquireLease('next', TTL_MS))!;
  const merge = model.merge(1, { topic: 'newer' });
  await next.commit(again, commitOf({ entries: [entry(4, EMPTY)], writes: [merge] }));
  await checkSame(t, next, model, 'with changes of the same documents');
  await checkSame(t, other, model, 'in another process');
  await next.close();
  t.same(await other.faults!(), []);
  t.equal(await formatAtTheEnd(directory), '2');
});

void t.test('a damaged record that the journal does not have is refused by its name', async (t) => {
  const { directory } = await killed(t);
  await damage(directory, 2);
  const store = await openEmbeddedStore(directory, { readChanges: changesOf });
  t.teardown(() => store.close());
  const refused = { name: 'DamagedError', subject: 'unapplied merges' };
  await t.rejects(store.getMany([keyOf(1)]), refused);
  await t.rejects(store.acquireLease('next', TTL_MS), refused);
  t.match(await store.faults!(), [FAULT]);
});

/** Writes as a build does that had the store open before there was a record, and does not know of one. */
async function writeAsFormerBuild(directory: string, seq: number, writes: readonly Write[]) {
  const environment = await openEnvironment(directory, 'process');
  const { documents, journal } = environment;
  const changes = writes.map((write) => {
    const { collection, id } = write.key;
    if (write.op === 'delete') return [collection, id, 'delete'];
    return [collection, id, write.op, write.op === 'merge' ? write.fields : write.document];
  });
  const text = JSON.stringify({ at: 1, changes, events: [] });
  await journal.put(seq, sealEntry(seq, text));
  for (const write of writes) {
    if (write.op === 'delete') {
      await documents.remove(write.key);
      continue;
    }
    const stored = unsealDocument(write.key, documents.get(write.key)!)!;
    const before = write.op === 'merge' ? (JSON.parse(stored) as Document) : {};
    const document = { ...before, ...(write.op === 'merge' ? write.fields : write.document) };
    await documents.put(write.key, sealDocument(write.key, JSON.stringify(document)));
  }
  await environment.close();
}

void t.test('what a former build has written since, merges do not undo', async (t) => {
  const { directory, model } = await killed(t);
  const reader = await openEmbeddedStore(directory, { readChanges: changesOf });
  t.teardown(() => reader.close());
  await checkSame(t, reader, model, 'before');
  await writeAsFormerBuild(directory, 4, [
    model.merge(1, { topic: 'newest' }),
    model.merge(2, { more: 'y' }),
    model.insert(3, { id: 3, topic: 'whole' }),
    model.delete(4),
  ]);
  await checkSame(t, reader, model, 'in a process that had read the record');
  await writeAsFormerBuild(directory, 5, [model.merge(1, { more: 'z' })]);
  await checkSame(t, reader, model, 'again');
  const next = await openEmbeddedStore(directory, { readChanges: changesOf });
  await checkSame(t, next, model, 'in a new one');
  await next.acquireLease('next', TTL_MS);
  await checkSame(t, next, model, 'in the next writer');
  await next.close();
  t.equal(await formatAtTheEnd(directory, { readChanges: changesOf }), '2');
  await checkSame(t, reader, model, 'when all are applied');
});
