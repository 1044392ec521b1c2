import { readFileSync } from 'node:fs';
import t from 'tap';
import type { TemplatedApp } from 'uWebSockets.js';
import { Witness } from '../../../src/nodes/history/witness.js';
import { replacePlatform } from '../../../src/platform/bound.js';
import { underLoad } from '../../fixtures/machine-load.js';
import { isDrawn } from '../../shares.js';
import { plantedDefects } from '../../simulation/defects.js';
import { FAULTS, OF_A_SERVER } from '../../simulation/faults.js';
import { findAgain, foundPlans, planFor } from '../../simulation/found.js';
import { Pages, type Transaction } from '../../simulation/lmdb/pages.js';
import { Host } from '../../simulation/node/host.js';
import { platformOf } from '../../simulation/node/platform.js';
import { MOST_IDLE_MS, nativeLibrary } from '../../simulation/node/native.js';
import { SimProcess } from '../../simulation/node/process.js';
import { OF_SERVICES } from '../../simulation/services/faults.js';
import { CompiledProgram } from '../../simulation/node/program.js';
import { KINDS, mixed } from '../../simulation/mix.js';
import { planOf, type Plan } from '../../simulation/plan.js';
import { simulate } from '../../simulation/run.js';
import { shrink } from '../../simulation/shrink.js';
import { Network, type End } from '../../simulation/world/network.js';
import { Random } from '../../simulation/world/random.js';
import { Scheduler } from '../../simulation/world/scheduler.js';
import { Trace } from '../../simulation/world/trace.js';

/* The simulation itself (docs/simulation.md). Fresh seeds are run by .ci/run. */

/** Every kind of fault, for some seconds of two nodes. */
const SMALL: Plan = {
  ...planOf('small'),
  nodes: [
    { name: 'a', rate: 1.001 },
    { name: 'b', rate: 1 },
  ],
  ...{ users: 2, writers: 2, readers: 3, rounds: 1, roundMs: 5000 },
  ...{ store: 'redis', moves: false, files: true, services: true, faultEveryMs: 500, lookMs: 3 },
  faults: Object.keys(FAULTS),
  habits: {
    transports: ['poll', 'socket', 'stream'],
    work: { send: 10, edit: 2, delete: 1, react: 3, star: 1, read: 3, draft: 1, direct: 1 },
    ...{ sleeps: 0, naps: 0.2, once: 0.3, doubles: 0.1, bursts: 0.1, pauseMs: 500 },
  },
};

// A machine that others use gives it a tenth of a processor.
t.setTimeout(underLoad(240_000));

/** Those that take seconds are divided among the platforms. */
const divided = (number: number) => ({
  skip: isDrawn(number) ? false : 'runs on another platform',
});

/** The program without a defect, compiled once. */
const sound = CompiledProgram.compile();

void t.test('a seed decides everything', async (t) => {
  const program = await sound;
  const run = async (seed: string) => {
    const trace = new Trace(Infinity);
    const outcome = await simulate(program, { ...SMALL, seed }, trace);
    return { lines: trace.lines, ...outcome };
  };
  const [first, second, other] = [await run('1'), await run('1'), await run('2')];
  t.same(first.faults, []);
  t.ok(first.mishaps > 0, `${first.mishaps} faults happened`);
  t.ok(first.virtualMs > SMALL.roundMs);
  t.strictSame(second.lines, first.lines, 'the same seed gives the same trace, byte for byte');
  t.equal(second.steps, first.steps);
  t.not(other.digest, first.digest, 'another seed gives another');
  t.comment(`trace of seed 1: ${first.digest}`);
});

void t.test('a mix has every kind of run, whatever its first seed', (t) => {
  for (const first of [0, 5, 123_456]) {
    const plans = KINDS.map((_, i) => mixed(String(first + i), Object.keys(FAULTS)));
    const has = (what: string, is: (plan: Plan) => boolean): void =>
      void t.ok(plans.some(is), `from ${first} on: ${what}`);
    has('values in Redis', ({ store, documents }) => store === 'redis' && documents === 'json');
    has('texts in Redis', ({ store, documents }) => store === 'redis' && documents === 'text');
    has('a folder', ({ store }) => store === 'embedded');
    has('services', ({ services }) => services === true);
    has('explorers', ({ explorers }) => explorers > 0);
    has('files', ({ files }) => files);
    has('moves', ({ moves }) => moves);
    has('looks that take time', ({ lookMs }) => lookMs > 0);
  }
  t.end();
});

void t.test('a seed decides everything where nodes share the folder of a store', async (t) => {
  const program = await sound;
  const faults = Object.keys(FAULTS).filter(
    (name) => !OF_A_SERVER.has(name) && !OF_SERVICES.has(name),
  );
  const run = async () => {
    const trace = new Trace(Infinity);
    const parts = { seed: '3', store: 'embedded', moves: true, faults, roundMs: 3000 } as const;
    const outcome = await simulate(program, { ...SMALL, ...parts }, trace);
    return { lines: trace.lines, ...outcome };
  };
  const [first, second] = [await run(), await run()];
  t.same(first.faults, []);
  t.ok(first.mishaps > 0, `${first.mishaps} faults happened`);
  t.ok(first.counts.get('acknowledged moves')! > 3, 'commits that are written in parts');
  t.strictSame(second.lines, first.lines, 'the same seed gives the same trace, byte for byte');
});

void t.test('the database of a folder has what its disk had, and shows what was committed', (t) => {
  const durable: string[] = [];
  const told = ({ changes }: Transaction): void => void durable.push(changes[0]!.value!.text);
  const pages = new Pages(() => 0, told);
  const write = (text: string): void => {
    const value = { key: 'key', text, version: 0 };
    pages.write({ pid: 1, changes: [{ table: 'table', place: 'key', key: 'key', value }] });
  };
  const read = (view = pages.view(Infinity)) => pages.get(view, 'table', 'key')?.text;
  write('first');
  t.equal(read(), undefined, 'nobody sees what nobody was told of');
  pages.sync();
  pages.published = pages.newest;
  const old = pages.view(Infinity);
  t.equal(read(), 'first');
  write('second');
  pages.published = pages.newest;
  t.strictSame([read(old), read()], ['first', 'second'], 'each reads what there was as it began');
  t.strictSame(
    [...pages.range(old, 'table', {})].map(({ text }) => text),
    ['first'],
  );
  pages.cut(() => false);
  t.equal(read(), 'first', 'what was not synced is gone with the power');
  write('third');
  pages.cut(() => true);
  t.equal(read(), 'third', 'or it is there as a whole');
  t.strictSame(durable, ['first', 'third']);
  const [dead, heir] = [{}, {}];
  let isFree = false;
  t.ok(pages.lock(dead, () => undefined));
  t.notOk(
    pages.lock(heir, () => (isFree = true)),
    'one writes at a time',
  );
  pages.unlock(dead);
  t.ok(isFree && pages.lock(heir, () => undefined), 'whoever waits is told');
  t.end();
});

void t.test('the first record of what was seen of a store outlives the power', async (t) => {
  const scheduler = new Scheduler();
  const network = new Network(scheduler, new Random('network'));
  const host = new Host('b', scheduler, 0, 1);
  const machine = {
    name: 'b',
    scheduler,
    network,
    random: new Random('b'),
    start: 0,
    lookMs: 0,
    host,
  };
  const ignored = (): void => undefined;
  const process = new SimProcess(machine, 1, ignored, (error) => t.fail(String(error)));
  host.disk.makeAll('/data', 0o700);
  for (const path of ['/', '/srv']) host.disk.at(path).sync();
  const restore = replacePlatform(platformOf(process, host.disk));
  t.teardown(restore);
  const load = (): Promise<Witness> =>
    Witness.load('/data/witness.json', (error) => t.fail(String(error)));
  const story = async (): Promise<void> => {
    const witness = await load();
    t.ok(witness.isNew);
    witness.record({ history: 'first', seq: 7, entry: 'digest', counters: {}, at: 1 });
    await witness.save();
    // What may be lost is.
    const none = { pick: () => 'none', chance: () => false, int: () => 0 };
    host.disk.cutPower(none as unknown as Random);
    const again = await load();
    t.strictSame([again.isNew, again.isCopy, again.seen.seq], [false, false, 7]);
  };
  let isDone = false;
  const told = story().finally(() => (isDone = true));
  await scheduler.run(10_000, () => isDone);
  await told;
});

/** Most seeds until a planted defect shows; each change of the program gives a seed another run. */
const MOST_SEEDS = 12;

/** The first seed whose run has a fault, of those from 1 on. @throws Error where none has */
async function firstWithFaults(program: CompiledProgram, base: Plan) {
  for (let seed = 1; seed <= MOST_SEEDS; seed++) {
    const [plan, trace] = [{ ...base, seed: String(seed) }, new Trace(Infinity)];
    const { faults } = await simulate(program, plan, trace);
    if (faults.length > 0) return { plan, trace, faults };
  }
  throw new Error(`${MOST_SEEDS} seeds show nothing`);
}

void t.test(
  'a planted defect is found, told in few words, and found again in a smaller run',
  divided(0),
  async (t) => {
    const defect = plantedDefects().find(({ name }) => name.startsWith('a leader does not wake'))!;
    const program = await CompiledProgram.compile(defect.edits);
    const { plan, trace, faults } = await firstWithFaults(program, {
      ...SMALL,
      ...{ roundMs: 2000, faultEveryMs: 8000, faults: ['crash', 'loss'] },
    });
    // Those that wait for the second message, or for the first.
    t.match(faults[0], /readers that waited were told after \d+ ms|to serve again took more/);
    t.match(trace.lines.join('\n'), `FAULT     ${faults[0]}`);
    const said: string[] = [];
    const least = await shrink(program, plan, (line) => said.push(line));
    t.ok(least.readers === 1 && least.writers === 1, 'with as few clients as there can be');
    t.match(said.at(-1), /^The least that was found: /);
  },
);

void t.test('a document that the store keeps as another is found', divided(1), async (t) => {
  const ofStore = plantedDefects().filter(({ name }) => name.includes('to the JSON commands'));
  t.equal(ofStore.length, 2, 'half a surrogate pair, and a number of many digits');
  const program = await CompiledProgram.compile(
    // Both replace lines of one function; each is enough.
    ofStore.flatMap(({ edits }) => edits),
  );
  const habits = { ...SMALL.habits, work: { send: 1, draft: 10 } };
  const plan: Plan = { ...SMALL, ...{ documents: 'json', seed: '1', roundMs: 5000 }, habits };
  const { faults } = await simulate(program, { ...plan, faults: [] }, new Trace(1));
  // A number is another one; half a pair leaves a commit of which some is written, and which is then given again.
  t.match(faults[0], /^(document draft:\d+ is|position \d+ was given after) /);
});

void t.test(
  'each saved plan holds, and finds again what is planted for it',
  divided(2),
  async (t) => {
    const sound = await CompiledProgram.compile();
    for (const [name, found] of foundPlans()) {
      const { faults } = await simulate(sound, planFor(found), new Trace(1));
      t.strictSame(faults, [], `${name} holds`);
      if (found.defect === undefined) continue;
      const { edits } = plantedDefects().find((one) => one.name === found.defect)!;
      const again = await findAgain(await CompiledProgram.compile(edits), found);
      t.ok(again, `${name} finds: ${found.defect}`);
    }
  },
);

void t.test('each planted defect fits the sources', (t) => {
  for (const { name, edits } of plantedDefects()) {
    for (const { file, text, by } of edits) {
      t.equal(readFileSync(file, 'utf8').split(text).length, 2, `${name}: once in ${file}`);
      t.not(by, text);
    }
  }
  t.end();
});

/** What is sent, one each millisecond. */
const ALL = Array.from({ length: 60 }, (_, i) => i);

/** What arrives of it, while the way is disturbed. */
async function arrivals(disturb: (network: Network, ms: number) => void): Promise<number[]> {
  const scheduler = new Scheduler();
  const network = new Network(scheduler, new Random('network'));
  // Several are on their way at once.
  network.usual = 10;
  const found: number[] = [];
  const accept = (end: End): void => {
    end.onData = (number) => found.push(number as number);
  };
  network.listen('b', 1, accept);
  const end = network.connect('a', 'b', 1);
  for (const ms of ALL) {
    scheduler.at(20 + ms, () => {
      disturb(network, ms);
      end.send(ms);
    });
  }
  await scheduler.run(1000, () => false);
  return found;
}

void t.test(
  'nothing overtakes in a connection whose way is cut or that stands still',
  async (t) => {
    const cuts = await arrivals((network, ms) => {
      network.together = () => ms % 2 === 0;
      if (ms % 20 === 5) network.cut('a', 'b');
      if (ms % 20 === 8) network.heal('a', 'b', false);
    });
    t.strictSame(cuts, ALL);
    const stalls = await arrivals((network, ms) => {
      const [connection] = network.between('a', 'b');
      if (ms % 20 === 5) connection!.stall();
      if (ms % 20 === 8) network.cut('a', 'b');
      if (ms % 20 === 11) connection!.resume();
      if (ms % 20 === 14) network.heal('a', 'b', false);
    });
    t.strictSame(stalls, ALL);
  },
);

void t.test('what arrives at a process that is busy is no timer of it', async (t) => {
  const scheduler = new Scheduler();
  const network = new Network(scheduler, new Random('network'));
  const host = new Host('b', scheduler, 0, 1);
  const machine = {
    name: 'b',
    scheduler,
    network,
    random: new Random('b'),
    start: 0,
    lookMs: 0,
    host,
  };
  const ignored = (): void => undefined;
  const process = new SimProcess(machine, 1, ignored, (error) => t.fail(String(error)));
  process.isBusyUntil(10);
  const done: number[] = [];
  for (const number of ALL) process.arrive(() => done.push(number));
  process.at(20, () => done.push(-1));
  t.equal(process.load.timers, 1);
  await scheduler.run(1000, () => false);
  t.strictSame(done, [...ALL, -1], 'all of it comes, in its order');
});

void t.test('a server closes connections that nobody uses, as its library does', async (t) => {
  const scheduler = new Scheduler();
  const network = new Network(scheduler, new Random('network'));
  const machine = { name: 'b', scheduler, network, random: new Random('b'), start: 0, lookMs: 0 };
  const process = new SimProcess(
    { ...machine, host: new Host('b', scheduler, 0, 1) },
    1,
    () => undefined,
    (error) => t.fail(String(error)),
  );
  const { App } = nativeLibrary(process) as { App: () => TemplatedApp };
  let answer: () => void = () => undefined;
  const app = App();
  app.get('/now', (response) => void response.end('here'));
  app.get('/later', (response) => {
    answer = () => void response.end('at last');
  });
  app.listen('b', 1, 0, () => undefined);
  const ask = (path: string): End => {
    const end = network.connect('a', 'b', 1);
    end.onOpen = () => end.send(Buffer.from(`GET ${path} HTTP/1.1\r\n\r\n`));
    return end;
  };
  const [idle, held] = [ask('/now'), ask('/later')];
  await scheduler.run(1000, () => false);
  // The machine of a client loses its power: nobody tells the server.
  network.drop([idle], true);
  t.equal(process.load.connections, 2);
  await scheduler.run(1000 + MOST_IDLE_MS, () => false);
  t.equal(process.load.connections, 1, 'one that waits for a reply stays');
  answer();
  await scheduler.run(2000 + MOST_IDLE_MS, () => false);
  t.notOk(held.isOver);
  await scheduler.run(2000 + 2 * MOST_IDLE_MS, () => false);
  t.equal(process.load.connections, 0);
  t.ok(held.isOver, 'and its client is told');
});
