import t from 'tap';
import { CommitBatching } from '../../../src/journal/group-commit.js';
import type { EntryContent } from '../../../src/journal/entry.js';
import { Journal } from '../../../src/journal/journal.js';
import { ApiError } from '../../../src/errors/index.js';
import { EarlierCommitError } from '../../../src/store/commits.js';
import { createMemory } from '../../../src/store/memory.js';
import { StoreUnavailableError, type Commit, type Store } from '../../../src/store/port.js';
import { TooFewReplicasError } from '../../../src/store/too-few-replicas.js';
import { GatedStore, storeWith } from '../../fixtures/gated-store.js';

function createBatching() {
  const time = { now: 1000 };
  return { time, batching: new CommitBatching(() => time.now) };
}

void t.test('a commit after a pause goes at once', async (t) => {
  const { time, batching } = createBatching();
  t.equal(batching.wait(), 0);
  batching.started(1);
  time.now += 4;
  t.equal(batching.wait(), 0);
});

void t.test('commits in quick succession wait for company', async (t) => {
  const { time, batching } = createBatching();
  batching.started(1);
  time.now += 1;
  t.equal(batching.wait(), 3);
  time.now += 3;
  batching.started(3);
  time.now += 1.5;
  t.equal(batching.wait(), 2.5, 'it was worth it, so it goes on');
});

void t.test('a client that waits for each write is held back once in two hundred', async (t) => {
  const { time, batching } = createBatching();
  let heldBack = 0;
  for (let i = 0; i < 1 + 2 * 201; i++) {
    if (batching.wait() > 0) heldBack += 1;
    batching.started(1);
    time.now += 1;
  }
  t.equal(heldBack, 2);
});

const EMPTY: EntryContent = { writes: [], events: [], due: [] };
const NOTHING = (): void => undefined;
/** Longer than a test takes: what goes to the store earlier did so for another reason. */
const LONG_MS = 60_000;

async function setUp(own: Partial<Store> = {}) {
  const gate = new GatedStore(createMemory());
  const log: string[] = [];
  const store = storeWith(gate.store, own);
  const lease = await store.acquireLease('test', 1000);
  const journal = await Journal.open({
    store,
    lease: lease!,
    now: () => 0,
    retryMs: 1,
    listener: {
      durable: ({ position }) => log.push(`durable ${position.seq}`),
      flushed: NOTHING,
      storeFailed: NOTHING,
      storeRecovered: NOTHING,
      takenBack: (entries) =>
        log.push(`taken back ${entries.map(({ position }) => position.seq).join()}`),
      withheld: (entries) =>
        log.push(`withheld ${entries.map(({ position }) => position.seq).join()}`),
      applyAgain: ({ position }) => log.push(`again ${position.seq}`),
      deposed: NOTHING,
    },
  });
  const told = (name: string) =>
    journal.whenDurable(
      () => log.push(name),
      () => log.push(`${name} refused`),
    );
  return { gate, log, journal, told };
}

/** Lets everything that is ready to run do so. */
function turn(): Promise<void> {
  return new Promise((done) => setImmediate(() => setImmediate(done)));
}

void t.test(
  'a deferred entry waits for another, keeps its place, and nobody waits for it',
  async (t) => {
    const { gate, log, journal, told } = await setUp();
    journal.append(EMPTY, NOTHING, LONG_MS);
    journal.append(EMPTY, NOTHING, LONG_MS);
    t.equal(journal.owes, false);
    told('reader');
    t.same(log, ['reader'], 'at once');
    await turn();
    t.same(gate.given, [], 'nothing goes to the store');
    t.equal(journal.pending, 2);
    journal.append(EMPTY);
    t.equal(journal.owes, true);
    told('writer');
    await turn();
    t.same(gate.given, [[1, 2, 3]]);
    t.same(log.slice(1), ['writer', 'durable 1', 'durable 2', 'durable 3']);
  },
);

void t.test('what nothing else takes along goes by itself at the end of its time', async (t) => {
  const { gate, journal } = await setUp();
  journal.append(EMPTY, NOTHING, LONG_MS);
  journal.append(EMPTY, NOTHING, 1);
  await new Promise<void>((done) => journal.whenAllDurable(done, NOTHING, LONG_MS));
  t.same(gate.given, [[1, 2]], 'with what had more time');
});

void t.test('a node that reads behind its own writes has them sooner', async (t) => {
  const { gate, log, journal } = await setUp();
  journal.append(EMPTY, NOTHING, LONG_MS);
  await new Promise<void>((done) => journal.whenAllDurable(done, NOTHING, 1));
  t.same(gate.given, [[1]]);
  t.same(log, ['durable 1']);
});

void t.test(
  'a barrier and an orderly end wait for what was deferred, and send it at once',
  async (t) => {
    const { gate, journal } = await setUp();
    journal.append(EMPTY, NOTHING, LONG_MS);
    await journal.barrier();
    t.same(gate.given, [[1]]);
    journal.append(EMPTY, NOTHING, LONG_MS);
    await journal.close();
    t.same(gate.given, [[1], [2]]);
    t.equal(journal.pending, 0);
  },
);

void t.test('what was deferred while a commit is under way goes with the next entry', async (t) => {
  const { gate, journal } = await setUp();
  gate.holding = true;
  journal.append(EMPTY);
  await gate.waiting(1);
  journal.append(EMPTY, NOTHING, LONG_MS);
  await gate.held.shift()!.accept();
  await turn();
  t.same(gate.given, [[1]]);
  gate.holding = false;
  journal.append(EMPTY);
  await journal.barrier();
  t.same(gate.given, [[1], [2, 3]]);
});

void t.test('very many do not wait for their time', async (t) => {
  const { gate, journal } = await setUp();
  for (let i = 0; i < 1024; i++) journal.append(EMPTY, NOTHING, LONG_MS);
  await turn();
  t.equal(gate.given.length, 1);
  t.equal(gate.given[0]!.length, 1024);
});

void t.test('what the store refuses is taken back, the deferred included', async (t) => {
  const { gate, log, journal, told } = await setUp();
  gate.holding = true;
  journal.append(EMPTY, () => log.push('undo 1'), LONG_MS);
  journal.append(EMPTY, () => log.push('undo 2'));
  told('writer');
  await gate.waiting(1);
  journal.append(EMPTY, () => log.push('undo 3'), LONG_MS);
  gate.held.shift()!.refuse(new Error('full'));
  await turn();
  t.same(log, ['writer refused', 'undo 3', 'undo 2', 'undo 1', 'taken back 1,2,3']);
  t.equal(journal.owes, false);
  journal.abandon();
});

interface Answerable {
  readonly seqs: readonly number[];
  readonly frees: boolean | undefined;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** A store whose answers a test gives, but for that it is full. */
function answering() {
  const given: Answerable[] = [];
  const state = { isFull: false };
  let told = NOTHING;
  const commit = (_lease: unknown, { entries, frees }: Commit): Promise<void> => {
    if (state.isFull && frees !== true) return Promise.reject(new Error('full'));
    return new Promise((resolve, reject) => {
      given.push({ seqs: entries.map(({ seq }) => seq), frees, resolve, reject });
      told();
    });
  };
  /** The commit that was given as so manieth, once it is. */
  const nth = async (n: number): Promise<Answerable> => {
    while (given.length < n) await new Promise<void>((done) => (told = done));
    return given[n - 1]!;
  };
  return { state, commit, nth };
}

void t.test(
  'a group that is stored although no answer came is not taken back with one that is refused',
  async (t) => {
    const alive = setInterval(NOTHING, 1000);
    t.teardown(() => clearInterval(alive));
    const { state, commit, nth } = answering();
    const { log, journal } = await setUp({ commit });
    const undone = (name: string) => () => log.push(`undo ${name}`);
    const lost = new StoreUnavailableError('no answer', null);
    journal.append(EMPTY, undone('1'));
    const first = await nth(1);
    journal.append(EMPTY, undone('2'));
    const second = await nth(2);
    first.reject(lost);
    second.reject(new EarlierCommitError(lost));
    const again = await nth(3);
    t.same(again.seqs, [1], 'the store knows what became of this one');
    // It is there; the next one is not, and finds no room.
    state.isFull = true;
    again.resolve();
    await turn();
    t.same(log, ['durable 1', 'undo 2', 'taken back 2']);
    t.equal(journal.durableHead.seq, 1);
    t.equal(journal.nextSeq, 2, 'behind what is stored');

    while (!mayFree(journal)) await turn();
    journal.append(EMPTY, undone('what frees'));
    const freeing = await nth(4);
    t.match(freeing, { seqs: [2], frees: true });
    freeing.reject(lost);
    const freeingAgain = await nth(5);
    t.match(freeingAgain, { seqs: [2], frees: true }, 'on a full store, too');
    freeingAgain.resolve();
    await turn();
    t.equal(log.at(-1), 'durable 2');
    journal.abandon();
  },
);

void t.test(
  'what waits for replicas is not in memory until they have it, and keeps its positions',
  async (t) => {
    const alive = setInterval(NOTHING, 1000);
    t.teardown(() => clearInterval(alive));
    const { state, commit, nth } = answering();
    const { log, journal, told } = await setUp({ commit });
    const undone = (name: string) => () => log.push(`undo ${name}`);
    const tooFew = new TooFewReplicasError(0, 1);
    journal.append(EMPTY, undone('1'));
    const first = await nth(1);
    journal.append(EMPTY, undone('2'));
    const second = await nth(2);
    journal.append(EMPTY, undone('3'), 0, () => log.push('drop 3'));
    told('reader');
    first.reject(tooFew);
    second.reject(new EarlierCommitError(tooFew));
    await turn();
    t.same(log.splice(0), ['undo 3', 'undo 2', 'undo 1', 'withheld 1,2,3', 'reader refused']);
    t.equal(journal.health, 'read_only');
    t.equal(journal.owes, false, 'reads rest on what is durable');
    told('reader');
    t.same(log.splice(0), ['reader']);
    t.equal(mayFree(journal), false, 'nothing is written, not even what frees space');
    await t.rejects(journal.barrier(), ApiError);

    const again = await nth(3);
    t.same(again.seqs, [1]);
    again.reject(tooFew);
    const third = await nth(4);
    t.same(log, [], 'nothing is reverted twice');
    third.resolve();
    await turn();
    t.same(log.splice(0), ['again 1', 'durable 1']);
    t.equal(journal.health, 'read_only', 'memory is without the others yet');
    const behind = await nth(5);
    t.same(behind.seqs, [2], 'the group that it was');
    behind.resolve();
    await turn();
    t.same(log.splice(0), ['again 2', 'durable 2']);
    // Another server took the place of the first, and has no room.
    state.isFull = true;
    (await nth(6)).reject(new Error('full'));
    await turn();
    t.same(log, ['drop 3', 'taken back 3'], 'which nobody reverts again');
    t.equal(journal.health, 'read_only');
    t.equal(journal.nextSeq, 3);
    state.isFull = false;
    (await nth(7)).resolve();
    await turn();
    t.equal(journal.health, 'ready');
    journal.abandon();
  },
);

function mayFree(journal: Journal): boolean {
  try {
    journal.assertWritable(true);
    return true;
  } catch {
    return false;
  }
}
