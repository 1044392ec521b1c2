import { join } from 'node:path';
import t from 'tap';
import type { Environment } from '../../../src/store/embedded/environment.js';
import { openEmbeddedStore } from '../../../src/store/embedded/store.js';
import { CommitWriter, type EmbeddedCommit } from '../../../src/store/embedded/writer.js';
import { commitOf, entry } from './contract/under-test.js';

const MIB = 1024 * 1024;

void t.test('a disk that is nearly full has room for commits that make some', async (t) => {
  let free = 10 * MIB;
  const directory = join(t.testdir(), 'data');
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
  const writer = new CommitWriter(environmentOf(2, true), () => Infinity);
  await t.rejects(writer.write(COMMIT), /EIO/);
  await t.rejects(writer.write(COMMIT), /EIO/);
  await writer.write(COMMIT);
  t.pass('it was done');
});

void t.test(
  'a store that begins no transaction any more says that it must be opened again',
  async (t) => {
    const writer = new CommitWriter(environmentOf(1, false), () => Infinity);
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
