import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { openEmbeddedStore } from '../../../../src/store/embedded/store.js';
import { randomOfRun, scaled } from '../../../system/harness/scale.js';
import { start } from '../fixtures/talking-process.js';
import { testFolder } from '../../../fixtures/test-folder.js';

const PROCESS = fileURLToPath(new URL('../fixtures/store-process.js', import.meta.url));
/** Leaders that are killed or made to stand still, one after the other. */
const ROUNDS = scaled(2, 100);
const LEASE_MS = 200;
/** Commits that a leader is left in peace for. */
const COMMITS = 50;

t.setTimeout(600_000);

void t.test('processes that are killed and stand still at random lose nothing', async (t) => {
  const random = randomOfRun(t);
  const directory = join(testFolder(t), 'data');
  const command = (mode: string): string[] => {
    return [process.execPath, PROCESS, directory, mode, String(LEASE_MS)];
  };
  /** What was acknowledged, and under which token. */
  const acknowledged = new Map<number, number>();
  let commits = 0;
  let newest = 0;
  let act: ((leader: ChildProcess) => void) | null = null;
  const heard = (line: string, child: ChildProcess): void => {
    const [seq = 0, token = 0] = line.split(' ').map(Number);
    if (acknowledged.has(seq)) t.fail(`${seq} was acknowledged twice`);
    acknowledged.set(seq, token);
    // Not what a former leader said late.
    if (token < newest) return;
    newest = token;
    if (++commits >= COMMITS) {
      act?.(child);
      act = null;
    }
  };
  const followed: number[][] = [[], []];
  for (const seqs of followed) {
    await start(t, command('follow'), (line) => void seqs.push(Number(line)));
  }
  const running = new Set<ChildProcess>();
  let isOver = false;
  /** Processes that have said nothing yet. */
  let starting: Promise<unknown> = Promise.resolve();
  /** Keeps a process running until it is over. */
  const keep = async (): Promise<void> => {
    const { process: child, ended } = await start(t, command('serve'), heard);
    // One that was being started while the others were ended.
    if (isOver) child.kill('SIGKILL');
    running.add(child);
    void ended.then(() => {
      running.delete(child);
      if (!isOver) starting = Promise.all([starting, keep()]);
    });
  };
  await Promise.all([keep(), keep(), keep()]);
  const nextLeader = (): Promise<ChildProcess> => {
    commits = 0;
    return new Promise((resolve) => (act = resolve));
  };
  for (let round = 0; round < ROUNDS; round++) {
    const leader = await nextLeader();
    if (random() < 0.5) {
      leader.kill('SIGKILL');
    } else {
      leader.kill('SIGSTOP');
      await nextLeader();
      leader.kill('SIGCONT');
    }
  }
  await nextLeader();
  isOver = true;
  for (const child of running) child.kill('SIGKILL');
  await starting;

  const store = await openEmbeddedStore(directory);
  t.teardown(() => store.close());
  let lease = await store.acquireLease('end', 60_000);
  while (lease === null) {
    await store.leaseFreed(1000, new AbortController().signal);
    lease = await store.acquireLease('end', 60_000);
  }
  const end = ((await store.lastEntry())?.seq ?? 0) + 1;
  await store.commit(lease, { entries: [{ seq: end, text: '{}' }], writes: [], due: [] });
  const entries = await store.readJournal(0, end, 1_000_000);
  const tokens = new Map<number, number>();
  for (const { seq, text } of entries) tokens.set(seq, (JSON.parse(text) as { by: number }).by);
  const all = Array.from({ length: end }, (_, i) => i + 1);
  t.same([...tokens.keys()], all, 'no gap');
  t.same(
    [...acknowledged].filter(([seq, token]) => tokens.get(seq) !== token),
    [],
    'what was acknowledged is there, as its writer wrote it',
  );
  while (followed.some((seqs) => seqs.at(-1) !== end)) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const seqs of followed) t.same(seqs, all, 'followers got all of it, once and in order');
  t.comment(`${end} entries, ${new Set(acknowledged.values()).size} leaders`);
});
