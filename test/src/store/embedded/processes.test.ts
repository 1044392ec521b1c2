import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { open } from 'lmdb';
import t, { type Test } from 'tap';
import { openEmbeddedStore } from '../../../../src/store/embedded/store.js';
import { withOpenLock } from '../../../../src/store/embedded/lease/open-gate.js';
import { type Lease, type Store } from '../../../../src/store/port.js';
import { commitOf, entry, set, TTL_MS } from '../contract/under-test.js';
import { start, type Child } from '../fixtures/talking-process.js';
import { underLoad } from '../../../fixtures/machine-load.js';
import { testFolder } from '../../../fixtures/test-folder.js';

const PROCESS = fileURLToPath(new URL('../fixtures/store-process.js', import.meta.url));
const COMMITS = fileURLToPath(new URL('../fixtures/commit-loop.js', import.meta.url));
/** A lease so short that tests need not wait for it. Milliseconds. */
const SHORT_MS = 300;
/** What a takeover may take (issue: failover within three seconds). Milliseconds. */
const TAKEOVER_MS = 3000;
const IS_LINUX = existsSync('/proc/self/stat');

async function opened(t: Test, directory: string): Promise<Store> {
  const store = await openEmbeddedStore(directory);
  t.teardown(() => store.close());
  return store;
}

/** Waits for the lease as a process that stands by does. */
async function takeOver(store: Store): Promise<{ lease: Lease; ms: number }> {
  const began = performance.now();
  for (;;) {
    const lease = await store.acquireLease('here', TTL_MS);
    if (lease !== null) return { lease, ms: performance.now() - began };
    await store.leaseFreed(1000, new AbortController().signal);
  }
}

/** Positions that a process prints, and when there are so many. */
class Heard {
  readonly seqs: number[] = [];
  #wake: () => void = () => undefined;

  readonly line = (line: string): void => {
    this.seqs.push(Number(line));
    this.#wake();
  };

  async until(last: number): Promise<void> {
    while (this.seqs.at(-1) !== last) await new Promise<void>((resolve) => (this.#wake = resolve));
  }
}

function node(fixture: string, directory: string, ...args: readonly (string | number)[]): string[] {
  return [process.execPath, fixture, directory, ...args.map(String)];
}

void t.test(
  'followers in other processes get all of several leaders that are killed',
  async (t) => {
    const directory = join(testFolder(t), 'data');
    const heard = [new Heard(), new Heard()];
    for (const { line } of heard) {
      await start(t, node(PROCESS, directory, 'follow'), line);
    }
    let last = 0;
    for (let round = 0; round < 3; round++) {
      const target = last + 200;
      const leader = await start(t, node(COMMITS, directory, 'commit'), (line, process) => {
        last = Number(line);
        if (last >= target) process.kill('SIGKILL');
      });
      t.match(leader.answer, /^lease/, 'the lease of a killed process is free at once');
      await leader.ended;
    }
    const store = await opened(t, directory);
    const { lease } = await takeOver(store);
    const end = ((await store.lastEntry())?.seq ?? 0) + 1;
    await store.commit(lease, commitOf({ entries: [entry(end)] }));
    for (const each of heard) {
      await each.until(end);
      t.same(
        each.seqs,
        Array.from({ length: end }, (_, i) => i + 1),
      );
    }
  },
);

void t.test('a leader that stands still is deposed when its lease ran out', async (t) => {
  const directory = join(testFolder(t), 'data');
  const store = await opened(t, directory);
  const heard = new Heard();
  await start(t, node(PROCESS, directory, 'follow'), heard.line);
  const answers: string[] = [];
  const leader = await start(t, node(PROCESS, directory, 'lead', SHORT_MS), (line) => {
    answers.push(line);
  });
  leader.process.stdin?.write('first\n');
  await heard.until(1);
  leader.process.kill('SIGSTOP');
  const { lease, ms } = await takeOver(store);
  t.ok(ms < underLoad(TAKEOVER_MS), `${Math.round(ms)} ms`);
  await store.commit(lease, commitOf({ entries: [entry(2, '"successor"')] }));
  await heard.until(2);
  leader.process.stdin?.end('late\n');
  leader.process.kill('SIGCONT');
  await leader.ended;
  t.same(answers, ['1', 'FencedError'], 'it went on, and was refused');
  t.same(await store.readJournal(2, 9, 9), [entry(2, '"successor"')]);
});

void t.test(
  'a leader that went on just before its successor wrote is waited for until its lease ran out',
  async (t) => {
    const directory = join(testFolder(t), 'data');
    const former = await opened(t, directory);
    const successor = await opened(t, directory);
    const lease = (await former.acquireLease('former', 1))!;
    await successor.leaseFreed(1000, new AbortController().signal);
    let taking: Promise<Lease | null> | undefined;
    await withOpenLock(directory, async () => {
      taking = successor.acquireLease('here', TTL_MS);
      const hasLooked = (): boolean =>
        readdirSync(directory).filter((name) => name.endsWith('.time')).length > 1;
      while (!hasLooked()) await new Promise(setImmediate);
      await former.renewLease(lease, SHORT_MS);
    });
    const renewed = performance.now();
    t.ok((await taking) !== null);
    t.ok(performance.now() >= renewed + SHORT_MS - 20, 'the renewal was good until then');
    await t.rejects(former.renewLease(lease, SHORT_MS), { name: 'FencedError' });
  },
);

void t.test(
  'a leader that stands still in the middle of a transaction is killed by its successor',
  { skip: IS_LINUX ? false : 'needs /proc' },
  async (t) => {
    const directory = join(testFolder(t), 'data');
    const store = await opened(t, directory);
    const stuck = await start(t, node(PROCESS, directory, 'stuck', SHORT_MS));
    t.equal(stuck.answer, 'lease 1');
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
    const { lease, ms } = await takeOver(store);
    t.ok(ms < underLoad(TAKEOVER_MS), `${Math.round(ms)} ms`);
    await stuck.ended;
    t.equal(stuck.process.signalCode, 'SIGKILL');
    t.match((await warned).message, `Process ${stuck.process.pid} let its lease`);
    await store.commit(lease, commitOf({ entries: [entry(1)] }));
    t.same(await store.lastEntry(), entry(1));
  },
);

void t.test(
  'a store whose leader stands still in the middle of a transaction can be opened',
  { skip: IS_LINUX ? false : 'needs /proc' },
  async (t) => {
    const directory = join(testFolder(t), 'data');
    const stuck = await start(t, node(PROCESS, directory, 'stuck', SHORT_MS));
    const successor = await start(t, node(PROCESS, directory, 'lead', SHORT_MS));
    t.equal(successor.answer, 'lease 2');
    await stuck.ended;
    t.equal(stuck.process.signalCode, 'SIGKILL');
    successor.process.stdin?.end();
    await successor.ended;
  },
);

void t.test('a lease that a process renews is not taken when its first time is over', async (t) => {
  const directory = join(testFolder(t), 'data');
  const [first, second] = [await opened(t, directory), await opened(t, directory)];
  const lease = (await first.acquireLease('first', SHORT_MS)) as Lease;
  // For long: on a busy machine a short time may be over before the other one asks.
  await first.renewLease(lease, TTL_MS);
  await second.leaseFreed(2 * SHORT_MS, new AbortController().signal);
  t.equal(await second.acquireLease('second', TTL_MS), null);
  await first.commit(lease, commitOf({ entries: [entry(1)] }));
});

void t.test('who waits for the lease hears that it ran out', async (t) => {
  const directory = join(testFolder(t), 'data');
  const [first, second] = [await opened(t, directory), await opened(t, directory)];
  await first.acquireLease('first', SHORT_MS);
  await second.leaseFreed(60_000, new AbortController().signal);
  t.ok(await second.acquireLease('second', TTL_MS));
});

void t.test('a follower gets nothing before it is durable', async (t) => {
  const directory = join(testFolder(t), 'data');
  const leader = await opened(t, directory);
  const lease = (await leader.acquireLease('leader', TTL_MS)) as Lease;
  await leader.commit(lease, commitOf({ entries: [entry(1)] }));
  let disk = Promise.resolve();
  let asked = (): void => undefined;
  const flush = (): Promise<void> => {
    asked();
    return disk;
  };
  const store = await openEmbeddedStore(directory, { flush });
  t.teardown(() => store.close());
  const end = new AbortController();
  const follower = store.follow(0, end.signal)[Symbol.asyncIterator]();
  t.same((await follower.next()).value, [entry(1)], 'what the leader told of');

  // What a leader wrote that could not tell of it any more.
  let flushed = (): void => undefined;
  disk = new Promise((resolve) => (flushed = resolve));
  const flushing = new Promise<void>((resolve) => (asked = resolve));
  const root = open({ path: directory, noSubdir: false, encoding: 'string' });
  const journal = root.openDB<string, number>({ name: 'journal', encoding: 'string' });
  await journal.put(2, (journal.get(1) ?? '').replace('1', '2'));
  let given = false;
  const next = follower.next().then(({ value }) => {
    given = true;
    return value as readonly { seq: number }[];
  });
  await flushing;
  t.equal((await store.lastEntry())?.seq, 2, 'it can be read');
  t.equal(given, false);
  flushed();
  t.same(
    (await next).map(({ seq }) => seq),
    [2],
  );
  end.abort();
});

void t.test('followers leave nothing behind, and keep no old pages', async (t) => {
  const directory = join(testFolder(t), 'data');
  const heard = new Heard();
  await start(t, node(PROCESS, directory, 'follow'), heard.line);
  const store = await opened(t, directory);
  const { lease } = await takeOver(store);
  const text = 'x'.repeat(20_000);
  for (let seq = 1; seq <= 500; seq++) {
    const writes = [set('files', '1', { seq, text })];
    await store.commit(lease, commitOf({ entries: [entry(seq)], writes }));
    // On a busy machine the follower stands still in the middle of a reading, which keeps what is written meanwhile.
    if (seq % 25 === 0) await heard.until(seq);
  }
  const { size } = statSync(join(directory, 'data.mdb'));
  t.ok(size < 2_000_000, `${size} bytes of 10,000,000 written`);
  await store.releaseLease(lease);
  t.same(
    readdirSync(directory).filter((name) => name.startsWith('lease-')),
    [],
  );
});

void t.test('several processes that begin a store at once all open it', async (t) => {
  const directory = join(testFolder(t), 'data');
  const children: Promise<Child>[] = [];
  for (let i = 0; i < 4; i++) children.push(start(t, node(PROCESS, directory, 'follow')));
  const answers = (await Promise.all(children)).map(({ answer }) => answer);
  t.same(answers, ['follows', 'follows', 'follows', 'follows']);
});
