/** Export and import of stores, on memory: the file, what it refuses, and what an import leaves. */
import t from 'tap';
import { createMemory, createMemoryStore, type Memory } from '../../../../src/store/memory.js';
import type { Lease, Store } from '../../../../src/store/port.js';
import { exportLines, movable } from '../../../../src/store/transfer/export.js';
import {
  ExportFileError,
  FORMAT,
  Tally,
  VERSION,
  type Trailer,
} from '../../../../src/store/transfer/format.js';
import { importStore } from '../../../../src/store/transfer/import.js';
import {
  refuseUnfinishedImport,
  unfinishedImport,
} from '../../../../src/store/transfer/unfinished.js';
import { storeWith } from '../../../fixtures/gated-store.js';
import { commitOf, entry, one, seqs, set } from '../contract/under-test.js';

const HELD = async (): Promise<void> => undefined;

async function opened(memory: Memory = createMemory()): Promise<{ store: Store; lease: Lease }> {
  const store = createMemoryStore(memory);
  const lease = await store.acquireLease('test', 1);
  return { store, lease: lease! };
}

/** A store with some of everything, whose first entries were trimmed. */
async function filled() {
  const { store, lease } = await opened();
  const users = Array.from({ length: 2500 }, (_, i) => set('user', String(i), { b: i, a: [null] }));
  await store.commit(
    lease,
    commitOf({
      entries: Array.from({ length: 3000 }, (_, i) => entry(i + 1, `{"text":"é\\n${i}"}`)),
      writes: [
        ...users,
        set('queue', 'half', { text: 'a\ud800 \u2028', n: { z: 1, 10: 2, 9: 3 } }),
      ],
      due: [
        { index: 'scheduled', id: '7', at: 5 },
        { index: 'scheduled', id: '6', at: 5 },
        { index: 'later', id: 'x', at: 2 ** 40 },
      ],
    }),
  );
  await store.trimJournal(41);
  return { store, lease };
}

async function exported(store: Store, id = 'file-1'): Promise<string> {
  const header = {
    format: FORMAT,
    version: VERSION,
    software: '0',
    id,
    exported_at: 'now',
  } as const;
  let text = '';
  for await (const some of exportLines(store, header, new Tally(), HELD)) text += some;
  return text;
}

/** The file in pieces that end anywhere. */
async function* chunksOf(text: string, size = 1000): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function importInto(memory: Memory, text: string, size?: number): Promise<Trailer> {
  const { store, lease } = await opened(memory);
  try {
    return await importStore(store, lease, chunksOf(text, size), HELD);
  } finally {
    await store.close();
  }
}

void t.test('a store that was exported and imported exports the same', async (t) => {
  const { store } = await filled();
  const text = await exported(store);
  const memory = createMemory();
  const trailer = await importInto(memory, text);
  t.same(trailer.documents, { queue: 1, user: 2500 });
  t.same(trailer.due, { later: 1, scheduled: 2 });
  t.equal(trailer.entries, 2960);
  const { store: copy } = await opened(memory);
  t.equal(await exported(copy), text);
  t.equal(await copy.firstSeq(), 41);
  t.same(await copy.collections(), ['queue', 'user'], 'no mark is left');
  t.same(await one(copy, 'user', '7'), { b: 7, a: [null] });
  const following = copy.follow(12, new AbortController().signal)[Symbol.asyncIterator]();
  await t.rejects(following.next(), { name: 'TrimmedError' }, 'it knows that entries were trimmed');
});

void t.test('a file may come in any pieces', async (t) => {
  const { store } = await filled();
  const text = await exported(store);
  for (const size of [1, 4096, 10_000_000]) {
    const memory = createMemory();
    await importInto(memory, text, size);
    const { store: copy } = await opened(memory);
    t.equal(await exported(copy), text);
  }
});

void t.test('the file is JSON lines with a header and a trailer', async (t) => {
  const { store, lease } = await opened();
  await store.commit(
    lease,
    commitOf({
      entries: [entry(1, '{ "as it":1}')],
      writes: [set('user', '1', { b: { d: 1, c: '\ud800' }, a: 1.5 })],
      due: [{ index: 'scheduled', id: 'é', at: 9 }],
    }),
  );
  const lines = (await exported(store)).split('\n');
  t.equal(lines.length, 6);
  t.same(JSON.parse(lines[0]!), {
    format: 'parley-export',
    version: 1,
    software: '0',
    id: 'file-1',
    exported_at: 'now',
  });
  t.same(lines.slice(1, 4), [
    '{"collection":"user","id":"1","document":{"a":1.5,"b":{"c":"\\ud800","d":1}}}',
    '{"seq":1,"entry":"{ \\"as it\\":1}"}',
    '{"due":"scheduled","id":"é","at":9}',
  ]);
  t.match(JSON.parse(lines[4]!), {
    end: true,
    documents: { user: 1 },
    entries: 1,
    due: { scheduled: 1 },
    content: /^[0-9a-f]{64}$/,
    sha256: /^[0-9a-f]{64}$/,
  });
  t.equal(lines[5], '', 'the last line ends too');
});

void t.test('a file that is not whole is refused, and its store is not served', async (t) => {
  const { store } = await filled();
  const text = await exported(store);
  const lines = text.split('\n');
  const without = (at: number): string => lines.filter((_, i) => i !== at).join('\n');
  const damaged: Record<string, string> = {
    'without its end': `${lines.slice(0, -2).join('\n')}\n`,
    'without its last newline': text.slice(0, -1),
    'cut in the middle': text.slice(0, 50_000),
    'without one document': without(3),
    'without one entry': without(2600),
    'with one letter changed': text.replace('"b":77}', '"b":78}'),
    'with a line twice': [...lines.slice(0, 4), ...lines.slice(3)].join('\n'),
    'with something behind': `${text}{"collection":"user","id":"x","document":{}}\n`,
    'with another header': text.replace('"software":"0"', '"software":"1"'),
    'with other counts': text.replace('"entries":2960', '"entries":2961'),
    'with a line that is no record': text.replace('"document":', '"dokument":'),
    'with a line that is no JSON': text.replace('"document":', '"document"'),
    empty: '',
  };
  for (const [name, file] of Object.entries(damaged)) {
    const memory = createMemory();
    await t.rejects(importInto(memory, file), ExportFileError, name);
    const { store: left } = await opened(memory);
    if (name === 'empty') {
      t.same(await left.collections(), []);
      continue;
    }
    await t.rejects(refuseUnfinishedImport(left), /has not finished/, name);
  }
});

void t.test('a file of another kind or version leaves the store as it was', async (t) => {
  const text = await exported((await filled()).store);
  const other = {
    'no export': '{"some":"thing"}\n',
    'version 2, this software reads 1': text.replace('"version":1', '"version":2'),
    'no id': text.replace('"id":"file-1"', '"id":7'),
  };
  for (const [message, file] of Object.entries(other)) {
    const memory = createMemory();
    await t.rejects(importInto(memory, file), { message: new RegExp(message) });
    const { store } = await opened(memory);
    t.same(await store.collections(), []);
    await refuseUnfinishedImport(store);
  }
});

void t.test('a store that is not empty is refused and stays as it was', async (t) => {
  const text = await exported((await filled()).store);
  const parts = [
    { writes: [set('user', '1', { mine: true })] },
    { entries: [entry(1)] },
    { due: [{ index: 'wake', id: '1', at: 1 }] },
  ];
  for (const part of parts) {
    const memory = createMemory();
    const { store, lease } = await opened(memory);
    await store.commit(lease, commitOf(part));
    const before = await exported(store);
    await store.close();
    await t.rejects(importInto(memory, text), /is not empty/);
    const { store: after } = await opened(memory);
    t.equal(await exported(after), before);
  }
});

void t.test('an interrupted import goes on with the same file, and with no other', async (t) => {
  const text = await exported((await filled()).store);
  const other = await exported((await filled()).store, 'file-2');
  for (let after = 1; after <= 7; after++) {
    const memory = createMemory();
    const { store, lease } = await opened(memory);
    let commits = 0;
    const failing = storeWith(store, {
      commit: (held, commit) =>
        ++commits > after ? Promise.reject(new Error('killed')) : store.commit(held, commit),
    });
    await t.rejects(importStore(failing, lease, chunksOf(text), HELD), /killed/);
    t.equal(await unfinishedImport(store), 'file-1', `after ${after} commits`);
    await store.close();
    await t.rejects(importInto(memory, other), /holds part of another file/);
    await importInto(memory, text);
    const { store: done } = await opened(memory);
    t.equal(await exported(done), text);
    t.equal(await done.firstSeq(), 41);
    t.same(await seqs(done, 0, 50), [41, 42, 43, 44, 45, 46, 47, 48, 49, 50]);
  }
});

void t.test('what an altered file left is noticed when the right one comes', async (t) => {
  const text = await exported((await filled()).store);
  const altered = {
    document: text.replace('"id":"77"', '"id":"77000"'),
    entry: text.replace('é\\\\n2000', 'é\\\\n2xxx'),
  };
  for (const [name, file] of Object.entries(altered)) {
    t.not(file, text, name);
    const memory = createMemory();
    await t.rejects(importInto(memory, file), /was changed after the export/);
    await t.rejects(importInto(memory, text), /does not hold what the file says/, name);
    const { store } = await opened(memory);
    await t.rejects(refuseUnfinishedImport(store), /has not finished/);
  }
});

void t.test('an export whose hold was lost has no end', async (t) => {
  const { store } = await filled();
  const header = {
    format: FORMAT,
    version: VERSION,
    software: '',
    id: '',
    exported_at: '',
  } as const;
  let text = '';
  const lost = (): Promise<void> => Promise.reject(new Error('somebody else writes'));
  await t.rejects(async () => {
    for await (const some of exportLines(store, header, new Tally(), lost)) text += some;
  }, /somebody else writes/);
  await t.rejects(importInto(createMemory(), text), /cut short/);
});

void t.test('a move is refused at its source for what another store could not keep', async (t) => {
  const memory = createMemory();
  const { store } = await opened(memory);
  const moving = async (): Promise<void> => {
    const header = { format: FORMAT, version: VERSION, software: '0', id: 'x', exported_at: '' };
    for await (const _lines of exportLines(movable(store), header as never, new Tally(), HELD));
  };
  const text = JSON.stringify({ n: 1 });
  memory.collections.set('user', new Map([['1', text]]));
  memory.journal.set(1, 'x'.repeat(64 * 1024 * 1024));
  await moving();
  // As a build before this rule left it.
  memory.collections.get('user')!.set('2', `${'{"deep":'.repeat(101)}1${'}'.repeat(101)}`);
  await t.rejects(moving(), {
    name: 'UnstorableError',
    message: 'The document user:2 nests more than 100 levels',
  });
  memory.collections.get('user')!.delete('2');
  memory.journal.set(2, 'x'.repeat(64 * 1024 * 1024 + 1));
  await t.rejects(moving(), {
    message: 'Entry 2 is larger than a commit of another store may be',
  });
});
