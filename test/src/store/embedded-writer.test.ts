import { join } from 'node:path';
import t from 'tap';
import type { Environment } from '../../../src/store/embedded/environment.js';
import { DiskRoom } from '../../../src/store/embedded/room.js';
import { openEmbeddedStore } from '../../../src/store/embedded/store.js';
import { CommitWriter, type EmbeddedCommit } from '../../../src/store/embedded/writer.js';
import { commitOf, entry } from './contract/under-test.js';
import { testFolder } from '../../fixtures/test-folder.js';

const MIB = 1024 * 1024;

void t.test('a disk that is nearly full has room for commits that make some', async (t) => {
  let free = 10 * MIB;
  const directory = join(testFolder(t), 'data');
  const store = await openEmbeddedStore(directory, { free: () => free });
  t.teardown(() => store.close());
  const lease = (await store.acquireLease('a', 1))!;
  const put = (seq: number, frees: boolean) =>
    store.commit(lease, { ...commitOf({ entries: [entry(seq)] }), frees });
  const full = { message: 'The embedded store could not commit: no space left on the disk' };
  await t.rejects(put(1, false), full);
  await put(1, true);
  await t.rejects(put(2, false), full, 'and for no others');
  free = MIB;
  await t.rejects(put(2, true), full, 'never so far that LMDB meets a full disk');
  t.same(await store.lastEntry(), entry(1));
});

void t.test('a commit that would use up what is left is refused', async (t) => {
  const directory = join(testFolder(t), 'data');
  const store = await openEmbeddedStore(directory, { free: () => 20 * MIB });
  t.teardown(() => store.close());
  const lease = (await store.acquireLease('a', 1))!;
  const put = (seq: number, count: number, length: number) => {
    const writes = Array.from({ length: count }, (_, i) => ({
      op: 'set' as const,
      key: { collection: 'note', id: String(i) },
      document: { text: 'x'.repeat(length) },
    }));
    return store.commit(lease, commitOf({ entries: [entry(seq)], writes }));
  };
  const full = { message: 'The embedded store could not commit: no space left on the disk' };
  await t.rejects(put(1, 1, 5 * MIB), full);
  await t.rejects(put(1, 200, 20_000), full, 'also where it is encoded in slices');
  await put(1, 1, 1000);
  t.same(await store.lastEntry(), entry(1), 'a small one is not');
});

void t.test('between two looks at a disk a bounded amount is written', async (t) => {
  let free = 100 * MIB;
  const room = new DiskRoom(() => free);
  const writer = new CommitWriter(environmentOf(0, true), room);
  const entries = [{ seq: 1, text: 'x'.repeat(100_000) }];
  await writer.write({ ...COMMIT, entries });
  free = 3 * MIB;
  let written = 0;
  const writeOn = async (): Promise<void> => {
    for (; written < 100; written++) await writer.write({ ...COMMIT, entries });
  };
  await t.rejects(writeOn(), { message: /no space left on the disk/ });
  t.ok(written * 100_000 < 2 * MIB, `${written} commits after another program filled the disk`);
});

const PLENTY = new DiskRoom(() => Infinity);

const COMMIT: EmbeddedCommit = {
  token: 1,
  entries: [],
  writes: [],
  due: [],
  trim: [],
  frees: false,
};

/** An environment whose next transactions fail, and which begins others or no more. */
function environmentOf(failures: number, beginsOthers: boolean): Environment {
  let left = failures;
  const own = {
    meta: {
      ifVersion: () =>
        left-- > 0 ? Promise.reject(new Error('EIO: input/output error')) : Promise.resolve(true),
    },
    due: { get: () => undefined },
    assertWritable: () => {
      if (!beginsOthers)
        throw new Error('MDB_PANIC: Update of meta page failed or environment had fatal error');
    },
  };
  return own as unknown as Environment;
}

void t.test('after a failed sync the next commit is tried', async (t) => {
  const writer = new CommitWriter(environmentOf(2, true), PLENTY);
  await t.rejects(writer.write(COMMIT), /EIO/);
  await t.rejects(writer.write(COMMIT), /EIO/);
  await writer.write(COMMIT);
  t.pass('it was done');
});

void t.test(
  'a store that begins no transaction any more says that it must be opened again',
  async (t) => {
    const writer = new CommitWriter(environmentOf(1, false), PLENTY);
    await t.rejects(writer.write(COMMIT), /EIO/);
    for (const time of ['first', 'second']) {
      await t.rejects(
        writer.write(COMMIT),
        { name: 'UnusableStoreError', message: /opened again .*: MDB_PANIC/ },
        time,
      );
    }
  },
);
