import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { openEmbeddedStore } from '../../../src/store/embedded/store.js';
import type { Store } from '../../../src/store/port.js';
import { TTL_MS } from './contract/under-test.js';
import { start } from './fixtures/talking-process.js';
import { testFolder } from '../../fixtures/test-folder.js';

const FIXTURE = fileURLToPath(new URL('./fixtures/commit-loop.js', import.meta.url));
const ROUNDS = 4;

function node(directory: string, mode: string): string[] {
  return [process.execPath, FIXTURE, directory, mode];
}

/** The state is that after some whole number of commits, not fewer than were acknowledged. */
async function checkWhole(t: Test, store: Store, acknowledged: number): Promise<number> {
  const last = (await store.lastEntry())?.seq ?? 0;
  t.ok(last >= acknowledged, `${acknowledged} acknowledged, ${last} there`);
  const entries = await store.readJournal(0, last, 1_000_000);
  t.ok(
    entries.every(({ seq }, i) => seq === i + 1),
    'the journal has no gap',
  );
  const items: number[] = [];
  for await (const batch of store.scan('items')) items.push(...batch.map(({ id }) => Number(id)));
  t.same(
    items,
    Array.from({ length: Math.min(last, 10) }, (_, i) => Math.max(last - 10, 0) + i + 1),
    'documents are those of the last commit',
  );
  const [newest] = await store.getMany([{ collection: 'counters', id: 'newest' }]);
  t.same(newest, { seq: last });
  t.same(await store.due('wake', Infinity, 10), [{ id: 'only', at: last }]);
  return last;
}

void t.test('a kill at any moment loses nothing acknowledged and leaves no half', async (t) => {
  const directory = join(testFolder(t), 'data');
  let total = 0;
  for (let round = 0; round < ROUNDS; round++) {
    let acknowledged = total;
    const target = total + 1 + Math.floor(Math.random() * 4000);
    const child = await start(t, node(directory, 'commit'), (line, process) => {
      acknowledged = Number(line);
      if (acknowledged >= target) process.kill('SIGKILL');
    });
    t.match(child.answer, /^lease/, 'the lease of a killed process is free at once');
    await child.ended;
    const store = await openEmbeddedStore(directory);
    total = await checkWhole(t, store, acknowledged);
    await store.close();
  }
});

void t.test('two processes compete for the lease', async (t) => {
  const directory = join(testFolder(t), 'data');
  const [one, two] = await Promise.all([
    start(t, node(directory, '')),
    start(t, node(directory, '')),
  ]);
  t.same([one.answer, two.answer].sort(), ['lease 1', 'no lease']);
  const store = await openEmbeddedStore(directory);
  t.equal(await store.acquireLease('here', TTL_MS), null);
  const [holder, other] = one.answer === 'lease 1' ? [one, two] : [two, one];
  holder.process.kill('SIGKILL');
  await holder.ended;
  t.same(await store.acquireLease('here', TTL_MS), { token: 2 });
  other.process.kill('SIGKILL');
  await Promise.all([other.ended, store.close()]);
});

void t.test('when the disk is full, commits fail whole and the rest stays', async (t) => {
  const directory = join(testFolder(t), 'data');
  // A limit on file size makes writes fail as a full disk does; in blocks of 1024 bytes, above what a store needs to
  // begin.
  const command = [
    '/bin/bash',
    '-c',
    'ulimit -f 24000; exec "$0" "$@"',
    ...node(directory, 'failing'),
  ];
  let acknowledged = 0;
  let failure = '';
  const child = await start(t, command, (line) => {
    if (line.startsWith('failed')) failure = line;
    else if (failure === '') acknowledged = Number(line);
    else t.fail('a commit behind a failed one was acknowledged');
  });
  await child.ended;
  t.match(failure, /The embedded store could not commit: .+/);
  t.ok(acknowledged > 10);
  const store = await openEmbeddedStore(directory);
  await checkWhole(t, store, acknowledged);
  await store.close();
});
