import t from 'tap';
import type { EntryContent } from '../../../src/journal/entry.js';
import { Journal, type JournalOptions } from '../../../src/journal/journal.js';
import { createMemory } from '../../../src/store/memory.js';
import { FencedError, StoreUnavailableError, type Store } from '../../../src/store/port.js';
import { GatedStore, storeWith } from '../../fixtures/gated-store.js';

/** A pause before a retry does not keep a process alive; these tests wait for it. */
const alive = setInterval(() => undefined, 1000);
t.teardown(() => clearInterval(alive));

const EMPTY: EntryContent = { writes: [], events: [], due: [] };

function withEvents(slots: number): EntryContent {
  const event = { type: 'x', audience: { to: 'all' }, data: {}, slots } as const;
  return { ...EMPTY, events: [event] };
}

type Settings = Partial<Pick<JournalOptions, 'maxPending' | 'commitTimeoutMs' | 'now'>>;

async function setUp(options: Settings = {}) {
  const gate = new GatedStore(createMemory());
  const log: string[] = [];
  const recovery: (() => void)[] = [];
  const journal = await open(gate.store, log, recovery, options);
  const told = (names: string[]) =>
    journal.whenDurable(
      () => log.push(...names),
      (error) => log.push((error as Error).message),
    );
  const recovered = () => new Promise<void>((done) => recovery.push(done));
  return { gate, log, journal, told, recovered };
}

async function open(
  store: Store,
  log: string[],
  recovery: (() => void)[],
  options: Settings = {},
): Promise<Journal> {
  const lease = await store.acquireLease('test', 1000);
  return Journal.open({
    store,
    lease: lease!,
    now: () => 0,
    retryMs: 1,
    ...options,
    listener: {
      durable: ({ position }) => log.push(`durable ${position.seq}`),
      flushed: () => log.push('flushed'),
      takenBack: () => undefined,
      withheld: () => undefined,
      applyAgain: () => undefined,
      storeFailed: () => log.push('failed'),
      storeRecovered: () => {
        log.push('recovered');
        for (const done of recovery.splice(0)) done();
      },
      deposed: () => log.push('deposed'),
    },
  });
}

/** Lets everything that is ready to run do so. */
function turn(): Promise<void> {
  return new Promise((done) => setImmediate(() => setImmediate(done)));
}

async function acceptAll(gate: GatedStore): Promise<void> {
  for (const held of gate.held.splice(0)) await held.accept();
  await turn();
}

void t.test('entries of one turn share a commit and are reported in order', async (t) => {
  const { gate, log, journal, told } = await setUp();
  for (const name of ['a', 'b', 'c']) {
    journal.append(EMPTY);
    told([name]);
  }
  t.equal(journal.pending, 3);
  await journal.barrier();
  t.same(gate.given, [[1, 2, 3]]);
  t.same(log, ['a', 'b', 'c', 'durable 1', 'durable 2', 'durable 3', 'flushed']);
  t.equal(journal.pending, 0);
  t.equal(journal.durableHead.seq, 3);
});

void t.test(
  'two commits are under way at most; what comes meanwhile shares the next',
  async (t) => {
    const { gate, log, journal } = await setUp();
    gate.holding = true;
    journal.append(EMPTY);
    await gate.waiting(1);
    journal.append(EMPTY);
    await gate.waiting(2);
    journal.append(EMPTY);
    journal.append(EMPTY);
    await turn();
    t.same(gate.given, [[1], [2]]);
    const [first] = gate.held.splice(0, 1);
    await first!.accept();
    await turn();
    t.same(gate.given, [[1], [2], [3, 4]]);
    t.same(log, ['durable 1', 'flushed']);
    await acceptAll(gate);
    t.same(log.slice(2), ['durable 2', 'flushed', 'durable 3', 'durable 4', 'flushed']);
  },
);

void t.test('nobody is told too early, whatever order the store answers in', async (t) => {
  const answers: (() => void)[] = [];
  const log: string[] = [];
  const { store } = new GatedStore(createMemory());
  const commit = () => new Promise<void>((resolve) => answers.push(resolve));
  const journal = await open(storeWith(store, { commit }), log, []);
  for (const name of ['one', 'two']) {
    journal.append(EMPTY);
    journal.whenDurable(
      () => log.push(name),
      () => log.push('refused'),
    );
    await turn();
  }
  t.equal(answers.length, 2);
  answers[1]!();
  await turn();
  t.same(log, []);
  answers[0]!();
  await turn();
  t.same(log, ['one', 'durable 1', 'flushed', 'two', 'durable 2', 'flushed']);
  t.equal(journal.durableHead.seq, 2);
});

void t.test(
  'a barrier waits for what was applied before it, not for what comes later',
  async (t) => {
    const { gate, log, journal, told } = await setUp();
    told(['at once']);
    t.same(log, ['at once']);
    gate.holding = true;
    journal.append(EMPTY);
    told(['first']);
    await gate.waiting(1);
    journal.append(EMPTY);
    told(['second']);
    await gate.held.shift()!.accept();
    await turn();
    t.same(log, ['at once', 'first', 'durable 1', 'flushed']);
  },
);

for (const order of ['first', 'second'] as const) {
  void t.test(
    `both groups fail, the ${order} answered first: all come back in order`,
    async (t) => {
      const { gate, log, journal, told, recovered } = await setUp();
      await fillTwoGroups(gate, journal);
      told(['never']);
      const again = recovered();
      const [a, b] = gate.held.splice(0);
      const refusals = order === 'first' ? [a, b] : [b, a];
      for (const held of refusals) held!.refuse(new StoreUnavailableError('away', null));
      gate.holding = false;
      await turn();
      await again;
      await turn();
      t.same(log, [
        'failed',
        'The store is not available',
        'recovered',
        ...['durable 1', 'durable 2', 'flushed', 'durable 3', 'flushed'],
      ]);
      t.same(gate.given.slice(2), [[1, 2], [3]], 'as the groups that they were');
    },
  );
}

async function fillTwoGroups(gate: GatedStore, journal: Journal): Promise<void> {
  gate.holding = true;
  journal.append(EMPTY);
  journal.append(EMPTY);
  await gate.waiting(1);
  journal.append(EMPTY);
  await gate.waiting(2);
}

for (const order of ['durable', 'refused'] as const) {
  void t.test(`only the second group fails, the ${order} one answered first`, async (t) => {
    const { gate, log, journal, recovered } = await setUp();
    await fillTwoGroups(gate, journal);
    const again = recovered();
    const [a, b] = gate.held.splice(0);
    gate.holding = false;
    if (order === 'durable') await a!.accept();
    b!.refuse(new Error('disk full'));
    await turn();
    if (order === 'refused') await a!.accept();
    await again;
    await turn();
    t.same(
      log.filter((what) => what.startsWith('durable')),
      ['durable 1', 'durable 2', 'durable 3'],
    );
    t.ok(log.indexOf('recovered') > log.indexOf('durable 2'));
    t.same(gate.given.slice(2), [[3]]);
    t.notOk(journal.isFailing);
  });
}

void t.test('while the store fails nothing is accepted and nothing is answered', async (t) => {
  const { gate, log, journal, told, recovered } = await setUp();
  gate.holding = true;
  journal.append(EMPTY);
  await gate.waiting(1);
  gate.held.shift()!.refuse(new StoreUnavailableError('gone', null));
  await turn();
  t.ok(journal.isFailing);
  t.throws(() => journal.assertWritable(), {
    name: 'ApiError',
    message: 'The store is not available',
  });
  log.length = 0;
  told(['an answer']);
  t.same(log, ['The store is not available'], 'refused at once, not kept waiting');
  await t.rejects(journal.barrier(), { name: 'ApiError', message: 'The store is not available' });
  await gate.waiting(1);
  gate.held.shift()!.refuse(new StoreUnavailableError('still gone', null));
  await gate.waiting(1);
  const again = recovered();
  gate.holding = false;
  await gate.held.shift()!.accept();
  await again;
  t.doesNotThrow(() => journal.assertWritable());
  journal.append(EMPTY);
  await journal.barrier();
  t.same(gate.given.at(-1), [2]);
});

void t.test('a store that throws instead of rejecting is a store that fails', async (t) => {
  const { store } = new GatedStore(createMemory());
  const log: string[] = [];
  const recovery: (() => void)[] = [];
  let calls = 0;
  const commit = (): Promise<void> => {
    calls += 1;
    if (calls === 1) throw new Error('not even a promise');
    return Promise.resolve();
  };
  const journal = await open(storeWith(store, { commit }), log, recovery);
  const again = new Promise<void>((done) => recovery.push(done));
  journal.append(EMPTY);
  await again;
  await turn();
  t.same(log, ['failed', 'recovered', 'durable 1', 'flushed']);
});

void t.test('a fenced writer never writes again', async (t) => {
  const { gate, log, journal } = await setUp();
  await fillTwoGroups(gate, journal);
  const [a, b] = gate.held.splice(0);
  a!.refuse(new FencedError());
  b!.refuse(new Error('An earlier commit failed'));
  await turn();
  t.same(log, ['deposed', 'failed']);
  journal.append(EMPTY);
  await turn();
  t.equal(gate.given.length, 2, 'nothing was tried again');
  t.throws(() => journal.assertWritable(), {
    name: 'ApiError',
    message: 'The store is not available',
  });
});

void t.test('who waits for a store that stands still is refused in time', async (t) => {
  const clock = { now: 0 };
  const { gate, log, journal, told, recovered } = await setUp({
    commitTimeoutMs: 1000,
    now: () => clock.now,
  });
  journal.checkCommitTimeout();
  gate.holding = true;
  journal.append(EMPTY);
  told(['a']);
  await gate.waiting(1);
  clock.now = 999;
  journal.checkCommitTimeout();
  t.same(log, [], 'not yet');
  clock.now = 1000;
  journal.checkCommitTimeout();
  journal.checkCommitTimeout();
  t.same(log, ['failed', 'The store is not available']);
  t.throws(() => journal.assertWritable(), { name: 'ApiError', status: 503 });
  told(['b']);
  t.equal(log.at(-1), 'The store is not available', 'at once from then on');

  gate.holding = false;
  const again = recovered();
  await acceptAll(gate);
  await again;
  t.same(log.slice(-3), ['recovered', 'durable 1', 'flushed'], 'the commit itself went on');
  journal.append(EMPTY);
  await journal.barrier();
  t.same(gate.given, [[1], [2]], 'nothing was written twice');
});

void t.test(
  'a journal that is abandoned tells nobody success and tries nothing again',
  async (t) => {
    const { gate, log, journal, told } = await setUp();
    await fillTwoGroups(gate, journal);
    told(['a']);
    journal.append(EMPTY);
    journal.abandon();
    t.equal(log.at(-1), 'The store is not available');
    told(['b']);
    t.equal(log.at(-1), 'The store is not available');
    const given = gate.given.length;
    const [first, second] = gate.held.splice(0);
    await first!.accept();
    second!.refuse(new Error('gone'));
    await turn();
    await turn();
    t.equal(gate.given.length, given);
    t.notOk(log.includes('a') || log.includes('b') || log.includes('recovered'));
    t.throws(() => journal.assertWritable(), { name: 'ApiError', status: 503 });
  },
);

void t.test('new work is refused when too much waits', async (t) => {
  const { gate, journal } = await setUp({ maxPending: 2 });
  gate.holding = true;
  journal.append(EMPTY);
  t.doesNotThrow(() => journal.assertWritable());
  journal.append(EMPTY);
  t.throws(() => journal.assertWritable(), {
    name: 'ApiError',
    message: 'The store is too far behind',
  });
  await gate.waiting(1);
  await acceptAll(gate);
  t.doesNotThrow(() => journal.assertWritable());
});

void t.test('a group commit takes at most 1024 entries', async (t) => {
  const { gate, journal } = await setUp();
  for (let i = 0; i < 1500; i++) journal.append(EMPTY);
  await journal.barrier();
  t.same(
    gate.given.map((group) => group.length),
    [1024, 476],
  );
});

void t.test('positions go on after a restart, behind the span of the newest entry', async (t) => {
  const memory = createMemory();
  const gate = new GatedStore(memory);
  const journal = await open(gate.store, [], []);
  t.equal(journal.nextSeq, 1);
  journal.append(withEvents(513));
  t.equal(journal.nextSeq, 514);
  await journal.barrier();
  memory.held = false;
  const next = await open(new GatedStore(memory).store, [], []);
  t.equal(next.nextSeq, 514);
});

void t.test('closing waits for what is under way and refuses what comes', async (t) => {
  const { log, journal } = await setUp();
  journal.append(EMPTY);
  await journal.close();
  t.ok(log.includes('durable 1'));
  t.throws(() => journal.assertWritable(), { name: 'ApiError', message: 'The server is stopping' });
});
