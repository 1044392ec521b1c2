import t from 'tap';
import type { Test } from 'tap';
import { CommitBatching } from '../../../../src/journal/group-commit.js';
import { readEntry } from '../../../../src/journal/entry-reading.js';
import { Journal } from '../../../../src/journal/journal.js';
import { type Migration, migrate } from '../../../../src/organization/state/migrations.js';
import { assertNotNewer } from '../../../../src/organization/state/software.js';
import { createMemory, createMemoryStore, type Memory } from '../../../../src/store/memory.js';
import { StoreUnavailableError, type Document, type Store } from '../../../../src/store/port.js';
import { storeWith } from '../../../fixtures/gated-store.js';

const COUNT = 1000;

/** Adds a field, removes every hundredth document, and leaves every third as it is. */
const TO_TWO: Migration = {
  collection: 'thing',
  to: 2,
  migrate: (document, id) => {
    if (Number(id) % 100 === 0) return null;
    return Number(id) % 3 === 0 ? document : { ...document, colour: 'red' };
  },
};

/** Rests on what the one before did, and may not be done twice. */
const TO_THREE: Migration = {
  collection: 'thing',
  to: 3,
  migrate: (document) => ({ ...document, steps: Number(document['steps'] ?? 0) + 1 }),
};

const MIGRATIONS = [TO_TWO, TO_THREE];

function thing(id: number): Document {
  return { id, name: `thing ${id}` };
}

async function filled(): Promise<Memory> {
  const memory = createMemory();
  const store = createMemoryStore(memory);
  const lease = (await store.acquireLease('filler', 1))!;
  const writes = Array.from({ length: COUNT }, (_, i) => {
    const key = { collection: 'thing', id: String(i + 1) };
    return { op: 'set', key, document: thing(i + 1) } as const;
  });
  const entries = [{ seq: 1, text: '{"at":1,"changes":[],"events":[]}' }];
  await store.commit(lease, { entries, writes, due: [] });
  await store.releaseLease(lease);
  return memory;
}

/** A process that migrates what the one before left; it dies at a commit, if told to. */
async function run(memory: Memory, migrations = MIGRATIONS, commits = Infinity): Promise<string[]> {
  memory.held = false;
  const inner = createMemoryStore(memory);
  let done = 0;
  const store = storeWith(inner, {
    commit: (lease, commit) => {
      if (++done > commits) return Promise.reject(new StoreUnavailableError('killed', null));
      return inner.commit(lease, commit);
    },
  });
  const lease = (await store.acquireLease('migrator', 1))!;
  const nothing = (): void => undefined;
  const journal = await Journal.open({
    store,
    lease,
    now: () => 1,
    batching: new CommitBatching(),
    listener: {
      durable: nothing,
      flushed: nothing,
      takenBack: nothing,
      withheld: nothing,
      applyAgain: nothing,
      storeFailed: nothing,
      storeRecovered: nothing,
      deposed: nothing,
    },
  });
  const begun: string[] = [];
  const parts = { store, journal, begun: ({ to }: Migration) => void begun.push(`to ${to}`) };
  try {
    await migrate(parts, migrations);
  } finally {
    journal.abandon();
  }
  return begun;
}

async function documents(store: Store): Promise<Map<string, Document>> {
  const found = new Map<string, Document>();
  for await (const batch of store.scan('thing')) {
    for (const { id, document } of batch) found.set(id, document);
  }
  return found;
}

function assertMigrated(t: Test, found: ReadonlyMap<string, Document>): void {
  t.equal(found.size, COUNT - COUNT / 100);
  const wrong = [...found].filter(([id, { colour, steps }]) => {
    return steps !== 1 || (colour === 'red') !== (Number(id) % 3 !== 0);
  });
  t.same(wrong, []);
}

void t.test('documents get from version to version, in entries of bounded size', async (t) => {
  const memory = await filled();
  t.same(await run(memory), ['to 2', 'to 3']);
  const store = createMemoryStore(memory);
  assertMigrated(t, await documents(store));
  const entries = (await store.readJournal(2, Infinity, 1000)).map((entry) => readEntry(entry));
  t.ok(
    entries.every((entry) => entry !== null),
    'each step is a journal entry',
  );
  const largest = Math.max(
    ...[...memory.journal.values()].map(
      (text) => (JSON.parse(text) as { changes: unknown[] }).changes.length,
    ),
  );
  t.ok(largest <= 257, `at most ${largest} documents in an entry`);
  t.same(await run(memory), [], 'a second start finds nothing to do');
});

void t.test('killed at any commit, it goes on there, and does nothing twice', async (t) => {
  for (let commits = 0; commits < 12; commits++) {
    const memory = await filled();
    if (commits < 10) await t.rejects(run(memory, MIGRATIONS, commits), /not available/);
    await run(memory);
    assertMigrated(t, await documents(createMemoryStore(memory)));
  }
});

void t.test('a store that is new has nothing to migrate', async (t) => {
  const memory = createMemory();
  t.same(await run(memory), []);
  t.equal(memory.journal.size, 0);
});

void t.test('a store that newer software served is refused', async (t) => {
  const memory = await filled();
  await run(memory);
  const store = createMemoryStore(memory);
  await assertNotNewer(store, MIGRATIONS);
  await t.rejects(assertNotNewer(store, [TO_TWO]), {
    name: 'NewerStoreError',
    message:
      /^memory: .* documents of thing have version 3, this one knows 2\. .*--allow-newer-store/,
  });
  await t.rejects(assertNotNewer(store, []), { name: 'NewerStoreError' });
  const served = (version: string) =>
    memory.collections.set('server', new Map([['server', `{"software_version":"${version}"}`]]));
  for (const version of ['0.1.0', '0.0.9']) {
    served(version);
    await assertNotNewer(store, MIGRATIONS, '0.1.0');
  }
  for (const version of ['0.1.1', '0.10.0', '1.0.0']) {
    served(version);
    await t.rejects(assertNotNewer(store, MIGRATIONS, '0.1.0'), {
      message: new RegExp(
        `newer software: Parley ${version.replaceAll('.', '\\.')}, this is 0\\.1\\.0`,
      ),
    });
  }
  // What operators know is told before what only authors know.
  await t.rejects(assertNotNewer(store, [TO_TWO], '0.1.0'), { message: /: Parley 1\.0\.0, / });
});
