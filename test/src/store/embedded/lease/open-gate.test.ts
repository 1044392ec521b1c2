import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pauseFor } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { whileNobodyWrites } from '../../../../../src/store/embedded/lease/open-gate.js';
import { openEmbeddedStore } from '../../../../../src/store/embedded/store.js';
import type { Lease, Store } from '../../../../../src/store/port.js';
import { commitOf, entry, TTL_MS } from '../../contract/under-test.js';
import { start, type Child } from '../../fixtures/talking-process.js';
import { testFolder } from '../../../../fixtures/test-folder.js';

const PROCESS = fileURLToPath(new URL('../../fixtures/store-process.js', import.meta.url));
/** Times that each process opens the store: without the gate, commits are lost within ten. */
const TIMES = 40;
const OPENERS = 2;

interface Writer {
  readonly directory: string;
  readonly store: Store;
  readonly lease: Lease;
}

async function writer(t: Test): Promise<Writer> {
  const directory = join(testFolder(t), 'data');
  const store = await openEmbeddedStore(directory, { durability: 'process' });
  const lease = (await store.acquireLease('here', TTL_MS))!;
  return { directory, store, lease };
}

function child(
  t: Test,
  { directory }: Writer,
  mode: string,
  heard?: (line: string) => void,
): Promise<Child> {
  return start(t, [process.execPath, PROCESS, directory, mode, String(TIMES)], heard);
}

void t.test('no commit is lost while other processes open and close the store', async (t) => {
  const own = await writer(t);
  const { store, lease } = own;
  let opening = OPENERS;
  for (let i = 0; i < OPENERS; i++) {
    const opener = await child(t, own, 'reopen');
    void opener.ended.then(() => (opening -= 1));
  }
  let last = 0;
  while (opening > 0) {
    last += 1;
    await store.commit(lease, commitOf({ entries: [entry(last)] }));
  }
  let there = 0;
  for (let seq = 1; seq <= last; seq++) {
    there += (await store.readJournal(seq, seq, 1)).length;
  }
  t.equal(there, last);
  await store.close();
});

void t.test('the writer waits while another process opens the store', async (t) => {
  const own = await writer(t);
  const happened: string[] = [];
  const opener = await child(t, own, 'opening', (line) => happened.push(line));
  t.equal(opener.answer, 'opening');
  const commit = own.store
    .commit(own.lease, commitOf({ entries: [entry(1)] }))
    .then(() => happened.push('committed'));
  opener.process.stdin!.write('go on\n');
  await Promise.all([commit, opener.ended]);
  t.same(happened, ['opened', 'committed']);
  await own.store.close();
});

void t.test(
  'who stands still while it opens the store is killed',
  { skip: existsSync('/proc/self/stat') ? false : 'who stands still is seen on Linux alone' },
  async (t) => {
    const own = await writer(t);
    const opener = await child(t, own, 'opening');
    opener.process.kill('SIGSTOP');
    await own.store.commit(own.lease, commitOf({ entries: [entry(1)] }));
    await opener.ended;
    t.equal(opener.process.signalCode, 'SIGKILL');
    await own.store.close();
  },
);

void t.test(
  'a writer that stands still once it let another open the store is not killed',
  { skip: existsSync('/proc/self/stat') ? false : 'who stands still is seen on Linux alone' },
  async (t) => {
    const directory = join(testFolder(t), 'data');
    const leader = await start(t, [process.execPath, PROCESS, directory, 'lead', '100']);
    await whileNobodyWrites(directory, async () => undefined);
    leader.process.kill('SIGSTOP');
    // Its lease runs out, and then whoever still looks whether it stands still has the time to kill it.
    await Promise.race([leader.ended, pauseFor(400)]);
    leader.process.stdin?.end();
    leader.process.kill('SIGCONT');
    await leader.ended;
    t.equal(leader.process.signalCode, null);
    t.equal(leader.process.exitCode, 0, 'it went on');
  },
);

void t.test('who is killed while it opens the store is in nobody’s way', async (t) => {
  const own = await writer(t);
  const opener = await child(t, own, 'opening');
  opener.process.kill('SIGKILL');
  await opener.ended;
  const again = await child(t, own, 'reopen');
  await again.ended;
  await own.store.commit(own.lease, commitOf({ entries: [entry(1)] }));
  t.equal(again.process.exitCode, 0);
  await own.store.close();
});
