import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import t from 'tap';
import { openEmbeddedStore } from '../../../src/store/embedded/store.js';
import { FencedError, type Store } from '../../../src/store/port.js';
import { commitOf, entry, set, TTL_MS } from './contract/under-test.js';
import { storeContract } from './contract.js';
import { testFolder } from '../../fixtures/test-folder.js';

storeContract(t, 'embedded', async (t) => {
  const opened: Store[] = [];
  // Registered first, so that the stores are closed before their directory goes.
  t.teardown(() => Promise.all(opened.map((store) => store.close())));
  const directory = join(testFolder(t), 'data');
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
  const directory = join(testFolder(t), 'data');
  const store = await openEmbeddedStore(directory);
  const lease = await store.acquireLease('a', TTL_MS);
  await store.commit(lease!, commitOf({ entries: [entry(1)], writes: [set('users', '1', {})] }));
  await store.close();
  const again = await openEmbeddedStore(directory);
  t.same(await again.lastEntry(), entry(1));
  t.equal(again.description, `embedded:${directory}`);
  await again.close();
});

void t.test('keeps its directory to itself', async (t) => {
  const directory = join(testFolder(t), 'deep', 'data');
  const store = await openEmbeddedStore(directory);
  t.equal(statSync(directory).mode & 0o777, 0o700);
  await store.close();
});

void t.test('a holder whose socket vanished is fenced by the transaction itself', async (t) => {
  const directory = join(testFolder(t), 'data');
  const first = await openEmbeddedStore(directory);
  const second = await openEmbeddedStore(directory);
  t.teardown(() => Promise.all([first.close(), second.close()]));
  const older = await first.acquireLease('a', TTL_MS);
  t.equal(await second.acquireLease('b', TTL_MS), null);
  // Beside it is the socket by which the process claims its id (`process-claim.ts`).
  const sockets = readdirSync(directory).filter((name) => /^(?!process-).*\.sock$/.test(name));
  t.equal(sockets.length, 1);
  for (const name of sockets) unlinkSync(join(directory, name));
  const newer = await second.acquireLease('b', TTL_MS);
  t.ok(newer !== null);
  const late = commitOf({ entries: [entry(1)], writes: [set('users', '1', { late: true })] });
  await t.rejects(first.commit(older!, late), FencedError);
  await t.rejects(first.renewLease(older!, TTL_MS), FencedError);
  await second.commit(newer!, commitOf({ entries: [entry(1, '"newer"')] }));
  t.same(await second.readJournal(0, 9, 9), [entry(1, '"newer"')]);
  t.same(await second.getMany([{ collection: 'users', id: '1' }]), [undefined]);
});

void t.test('holds the lease in a directory with a long path', async (t) => {
  const directory = join(testFolder(t), 'd'.repeat(120));
  const first = await openEmbeddedStore(directory);
  const second = await openEmbeddedStore(directory);
  t.teardown(() => Promise.all([first.close(), second.close()]));
  const lease = await first.acquireLease('a', TTL_MS);
  t.ok(lease !== null);
  t.equal(await second.acquireLease('b', TTL_MS), null);
  await first.releaseLease(lease!);
  t.ok((await second.acquireLease('b', TTL_MS)) !== null);
});

void t.test('refuses damaged directories and newer formats with a reason', async (t) => {
  const damaged = async (name: string, damage: (directory: string) => unknown): Promise<string> => {
    const directory = join(testFolder(t), name);
    const store = await openEmbeddedStore(directory);
    const lease = await store.acquireLease('a', TTL_MS);
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

  const stump = await damaged('stump', (d) => truncateSync(file(d), 100));
  await t.rejects(openEmbeddedStore(stump), { message: /data\.mdb is cut short/ });

  for (const pages of [5, 20, 40]) {
    const cut = (d: string) => truncateSync(file(d), statSync(file(d)).size - pages * 4096);
    const short = await damaged(`short by ${pages}`, cut);
    const { size } = statSync(file(short));
    for (const time of ['first', 'second']) {
      await t.rejects(openEmbeddedStore(short), { message: /data\.mdb is cut short/ }, time);
      t.equal(statSync(file(short)).size, size, 'and the file is as it was');
    }
  }

  const newer = await damaged('newer', async (directory) => {
    const root = open({ path: directory, noSubdir: false, encoding: 'string' });
    await root
      .openDB({ name: 'meta', encoding: 'string', useVersions: true })
      .put('format', '3', 0);
    await root.close();
  });
  await t.rejects(openEmbeddedStore(newer), {
    message: /format 3, this version reads formats 1 and 2/,
  });

  if (existsSync('/proc/self')) {
    // No directory can be made there; the start must not try for ever.
    await t.rejects(openEmbeddedStore('/proc/nowhere/data'), { message: /ENOENT/ });
  }

  const notDirectory = join(testFolder(t, { file: 'x' }), 'file');
  await t.rejects(openEmbeddedStore(notDirectory), { message: /Cannot open the embedded store/ });
});

void t.test(
  'a full disk: refused before anything is written, and goes on when there is room',
  async (t) => {
    let free = Infinity;
    const directory = join(testFolder(t), 'data');
    const store = await openEmbeddedStore(directory, { free: () => free });
    t.teardown(() => store.close());
    const lease = (await store.acquireLease('a', TTL_MS))!;
    const put = (seq: number) => store.commit(lease, commitOf({ entries: [entry(seq)] }));
    free = 1024 * 1024;
    const full = { message: 'The embedded store could not commit: no space left on the disk' };
    const [first, second] = await Promise.allSettled([put(1), put(2)]);
    t.match(first, { status: 'rejected', reason: full });
    t.equal(second.status, 'rejected');
    t.equal(await store.lastEntry(), null);
    free = Infinity;
    await Promise.all([put(1), put(2)]);
    t.same(await store.lastEntry(), entry(2));
  },
);

void t.test('a file that another process is just making is waited for', async (t) => {
  const folder = testFolder(t, { empty: { 'data.mdb': '' } });
  await (await openEmbeddedStore(join(folder, 'made'))).close();
  const opening = openEmbeddedStore(join(folder, 'empty'));
  writeFileSync(join(folder, 'empty', 'data.mdb'), readFileSync(join(folder, 'made', 'data.mdb')));
  const store = await opening;
  t.equal(await store.lastEntry(), null);
  await store.close();
});

void t.test('a damaged document is named', async (t) => {
  const directory = join(testFolder(t), 'data');
  const store = await openEmbeddedStore(directory);
  const lease = await store.acquireLease('a', TTL_MS);
  await store.commit(lease!, commitOf({ writes: [set('users', '7', { name: 'intact-name' })] }));
  await store.close();
  const file = join(directory, 'data.mdb');
  const bytes = readFileSync(file);
  const places: number[] = [];
  for (let at = bytes.indexOf('intact-'); at >= 0; at = bytes.indexOf('intact-', at + 1)) {
    places.push(at);
    bytes[at] = 1;
  }
  t.not(places.length, 0);
  writeFileSync(file, bytes);
  const again = await openEmbeddedStore(directory);
  t.teardown(() => again.close());
  const damaged = {
    name: 'DamagedError',
    message: /^users:7 in embedded:.* is damaged: its checksum differs\. Run parley verify/,
  };
  await t.rejects(again.getMany([{ collection: 'users', id: '7' }]), damaged);
  await t.rejects(async () => {
    for await (const _batch of again.scan('users'));
  }, damaged);
});

void t.test('pages at the end that hold nothing may be missing', async (t) => {
  const directory = join(testFolder(t), 'store');
  const store = await openEmbeddedStore(directory);
  const lease = await store.acquireLease('a', TTL_MS);
  const ids = Array.from({ length: 100 }, (_, id) => String(id));
  const things = ids.map((id) => set('things', id, { text: 'x'.repeat(700) }));
  await store.commit(lease!, commitOf({ entries: [entry(1)], writes: things }));
  await store.close();
  // Pages that a transaction takes at the end of the file and gives back are not written.
  const root = open({ path: directory, noSubdir: false, encoding: 'string' });
  const scratch = root.openDB({ name: 'scratch', encoding: 'string' });
  root.transactionSync(() => {
    for (const id of ids) scratch.putSync(id, 'x'.repeat(3000));
    for (const id of ids) scratch.removeSync(id);
  });
  const { pageSize, lastPageNumber } = root.getStats() as {
    pageSize: number;
    lastPageNumber: number;
  };
  await root.close();
  const file = join(directory, 'data.mdb');
  const needed = (lastPageNumber + 1) * pageSize;
  t.ok(statSync(file).size < needed, 'the file is shorter than it says');
  const again = await openEmbeddedStore(directory);
  t.equal(statSync(file).size, needed, 'and is padded');
  const keys = ids.map((id) => ({ collection: 'things', id }));
  t.equal((await again.getMany(keys)).filter((one) => one !== undefined).length, 100);
  const holder = await again.acquireLease('b', TTL_MS);
  await again.commit(holder!, commitOf({ entries: [entry(2)], writes: things }));
  await again.close();
  await (await openEmbeddedStore(directory)).close();
});

void t.test('a large commit is whole, in its place, and lets others run meanwhile', async (t) => {
  const directory = join(testFolder(t), 'data');
  const store = await openEmbeddedStore(directory, { durability: 'process' });
  const lease = (await store.acquireLease('a', TTL_MS))!;
  const text = 'ż€𝄞'.repeat(400);
  const writes = Array.from({ length: 3000 }, (_, i) => set('users', String(i), { i, text }));
  const again = set('users', '5', { i: 'twice' });
  const gone = { op: 'delete', key: { collection: 'users', id: '6' } } as const;
  const large = commitOf({ entries: [entry(1)], writes: [...writes, again, gone] });
  let rounds = 0;
  const count = (): void => {
    rounds += 1;
    timer = setImmediate(count);
  };
  let timer = setImmediate(count);
  const first = store.commit(lease, large);
  const next = commitOf({ entries: [entry(2)], writes: [set('users', '7', { i: 'later' })] });
  await Promise.all([first, store.commit(lease, next)]);
  clearImmediate(timer);
  t.ok(rounds > 2, `${rounds} rounds of the event loop`);
  await store.close();
  const reopened = await openEmbeddedStore(directory);
  const keys = ['0', '5', '6', '7', '2999'].map((id) => ({ collection: 'users', id }));
  t.same(await reopened.getMany(keys), [
    { i: 0, text },
    { i: 'twice' },
    undefined,
    { i: 'later' },
    { i: 2999, text },
  ]);
  t.same(await reopened.lastEntry(), entry(2));
  await reopened.close();
});

void t.test(
  'a lock file that cannot be used is named, where lmdb would end the process',
  async (t) => {
    const ended = async (name: string, damage: (path: string) => void): Promise<string> => {
      const directory = join(testFolder(t), name);
      await (await openEmbeddedStore(directory)).close();
      const path = join(directory, 'lock.mdb');
      unlinkSync(path);
      damage(path);
      return directory;
    };
    const folder = await ended('folder', (path) => mkdirSync(path));
    await t.rejects(openEmbeddedStore(folder), { message: /store in .*lock\.mdb is not a file/ });
    const nowhere = await ended('nowhere', (path) => symlinkSync('/nowhere/lock.mdb', path));
    await t.rejects(openEmbeddedStore(nowhere), { message: /lock\.mdb is not a file/ });
    // The superuser may write what nobody may.
    if (process.getuid?.() === 0) return;
    const closed = await ended('closed', (path) => writeFileSync(path, ''));
    chmodSync(join(closed, 'lock.mdb'), 0);
    await t.rejects(openEmbeddedStore(closed), { message: /permission denied.*lock\.mdb/ });
  },
);
