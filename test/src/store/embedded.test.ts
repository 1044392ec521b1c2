import { readdirSync, statSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import t from 'tap';
import { openEmbeddedStore } from '../../../src/store/embedded/store.js';
import { FencedError, type Store } from '../../../src/store/port.js';
import { commitOf, entry, set } from './contract/under-test.js';
import { storeContract } from './contract.js';

storeContract(t, 'embedded', async (t) => {
  const opened: Store[] = [];
  // Registered first, so that the stores are closed before their directory goes.
  t.teardown(() => Promise.all(opened.map((store) => store.close())));
  const directory = join(t.testdir(), 'data');
  const another = async (): Promise<Store> => {
    const store = await openEmbeddedStore(directory, { durability: 'process' });
    opened.push(store);
    return store;
  };
  const store = await another();
  const reopen = async (): Promise<Store> => {
    await store.close();
    return another();
  };
  return { store, reopen, second: another };
});

void t.test('acknowledges what the disk has, and reads it back', async (t) => {
  const directory = join(t.testdir(), 'data');
  const store = await openEmbeddedStore(directory);
  const lease = await store.acquireLease('a', 1);
  await store.commit(lease!, commitOf({ entries: [entry(1)], writes: [set('users', '1', {})] }));
  await store.close();
  const again = await openEmbeddedStore(directory);
  t.same(await again.lastEntry(), entry(1));
  t.equal(again.description, `embedded:${directory}`);
  await again.close();
});

void t.test('keeps its directory to itself', async (t) => {
  const directory = join(t.testdir(), 'deep', 'data');
  const store = await openEmbeddedStore(directory);
  t.equal(statSync(directory).mode & 0o777, 0o700);
  await store.close();
});

void t.test('a holder whose socket vanished is fenced by the transaction itself', async (t) => {
  const directory = join(t.testdir(), 'data');
  const first = await openEmbeddedStore(directory);
  const second = await openEmbeddedStore(directory);
  t.teardown(() => Promise.all([first.close(), second.close()]));
  const older = await first.acquireLease('a', 1);
  t.equal(await second.acquireLease('b', 1), null);
  const sockets = readdirSync(directory).filter((name) => name.endsWith('.sock'));
  t.equal(sockets.length, 1);
  for (const name of sockets) unlinkSync(join(directory, name));
  const newer = await second.acquireLease('b', 1);
  t.ok(newer !== null);
  const late = commitOf({ entries: [entry(1)], writes: [set('users', '1', { late: true })] });
  await t.rejects(first.commit(older!, late), FencedError);
  await t.rejects(first.renewLease(older!, 1), FencedError);
  await second.commit(newer!, commitOf({ entries: [entry(1, '"newer"')] }));
  t.same(await second.readJournal(0, 9, 9), [entry(1, '"newer"')]);
  t.same(await second.getMany([{ collection: 'users', id: '1' }]), [undefined]);
});

void t.test('holds the lease in a directory with a long path', async (t) => {
  const directory = join(t.testdir(), 'd'.repeat(120));
  const first = await openEmbeddedStore(directory);
  const second = await openEmbeddedStore(directory);
  t.teardown(() => Promise.all([first.close(), second.close()]));
  const lease = await first.acquireLease('a', 1);
  t.ok(lease !== null);
  t.equal(await second.acquireLease('b', 1), null);
  await first.releaseLease(lease!);
  t.ok((await second.acquireLease('b', 1)) !== null);
});

void t.test('refuses damaged directories and newer formats with a reason', async (t) => {
  const damaged = async (name: string, damage: (directory: string) => unknown): Promise<string> => {
    const directory = join(t.testdir(), name);
    const store = await openEmbeddedStore(directory);
    const lease = await store.acquireLease('a', 1);
    const text = 'x'.repeat(100_000);
    await store.commit(lease!, commitOf({ entries: [entry(1, text), entry(2, text)] }));
    await store.close();
    await damage(directory);
    return directory;
  };
  const file = (directory: string): string => join(directory, 'data.mdb');

  const garbage = await damaged('garbage', (d) =>
    writeFileSync(file(d), 'no database'.repeat(9999)),
  );
  await t.rejects(openEmbeddedStore(garbage), {
    message: /Cannot open the embedded store in .*no LMDB file/,
  });

  const tiny = await damaged('tiny', (d) => writeFileSync(file(d), 'no'));
  await t.rejects(openEmbeddedStore(tiny), { message: /no LMDB file/ });

  const empty = await damaged('empty', (d) => truncateSync(file(d), 0));
  await t.rejects(openEmbeddedStore(empty), { message: /data\.mdb is empty/ });

  const short = await damaged('short', (d) => truncateSync(file(d), statSync(file(d)).size - 4096));
  await t.rejects(openEmbeddedStore(short), { message: /data\.mdb is cut short/ });

  const newer = await damaged('newer', async (directory) => {
    const root = open({ path: directory, noSubdir: false, encoding: 'string' });
    await root
      .openDB({ name: 'meta', encoding: 'string', useVersions: true })
      .put('format', '2', 0);
    await root.close();
  });
  await t.rejects(openEmbeddedStore(newer), { message: /format 2, this version reads format 1/ });

  const notDirectory = join(t.testdir({ file: 'x' }), 'file');
  await t.rejects(openEmbeddedStore(notDirectory), { message: /Cannot open the embedded store/ });
});
