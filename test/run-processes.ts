import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { OPTIMIZE_LATE } from './late-optimization.js';
import type { Chosen } from './chosen-tests.js';
import type { Run } from './run.js';
import { startRedis } from './src/store/fixtures/redis-server.js';
import { shareContract } from './system/harness/contract-document.js';
import { isTaken } from './platform-tests.js';
import { drawnShare, shareOf } from './shares.js';
import { costsFile, tellCosts } from './test-costs.js';
import {
  ASKING_TESTS,
  FOLLOWING_TESTS,
  MODULE_TESTS,
  TEST_FOLDER,
  THROUGH_FOLLOWER_TESTS,
  WHOLE_PROCESS_TESTS,
} from './test-files.js';

/*
 * Runs compiled test files and reports on all of them: those that wait or measure in a process of their
 * own each, the others some to a process (`run-files.ts`). The `tap` command does the same (`npx tap
 * dist/test/…` for single files), but loads each process through module hooks that measure coverage, which
 * doubles the time of loading a module; here nothing measures it.
 */
/** Seconds a file may take on a machine that is three times slower, beside busy processes, where it sets no time of its own. */
const FILE_SECONDS = 400;
/** No process may take longer than this, milliseconds. */
const LONGEST_MS = 1_800_000;
/** Files of modules that share a process: it then takes some 25 s, and loading what it tests is a tenth of that. */
const MODULES_PER_PROCESS = 60;
/** As many that start servers take a minute. */
const ASKING_PER_PROCESS = 8;
/**
 * For the compiler and the linter, programs in Go. They keep most of what they allocate, 1 to 1.3 GB, so they
 * collect garbage only from 2.5 GB on; and with one thread no two of their checkers resolve the same types.
 */
const FRUGAL_GO = { GOGC: 'off', GOMEMLIMIT: '2500MiB', GOMAXPROCS: '1' };

type Environment = Readonly<Record<string, string>>;
/** Each server is a leader with a follower, to which the test talks (`system/harness/server.ts`). */
const FOLLOWER: Environment = { PARLEY_TEST_THROUGH: 'follower' };

/** For every process of tests. */
let shared: Environment = {};

/** Runs tests in processes of their own, as many at once as the machine takes, and reports on all of them. */
export async function runInProcesses(run: Run): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-tests-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  shared = await shareContract(join(folder, 'contract.json'));
  if (run.costs) {
    const file = costsFile();
    rmSync(file, { force: true });
    shared = { ...shared, PARLEY_TEST_COSTS: file };
    process.env['PARLEY_TEST_COSTS'] = file;
    await import('./measured-costs.js');
    process.once('exit', () => {
      const page = run.chosen === null && !run.throughFollower && !run.onRedis && !run.ofPlatform;
      writeSync(process.stderr.fd, tellCosts(page));
    });
  }
  // All files together take as long as they take.
  t.setTimeout(0);
  // Two more than there are processors: many wait for heartbeats, leases and outages, and do nothing else.
  t.jobs = Math.max(2, availableParallelism()) + 2;
  if (run.withChecks) {
    // Beside the tests, many of which wait: one after the other they would take half as long again.
    check('types', 'the compiler finds no fault');
    check('lint', 'no rule of .oxlintrc.json is broken');
    check('format:check', 'the formatter has nothing to change');
  }
  const place: Environment = {
    ...(run.throughFollower ? FOLLOWER : {}),
    ...(run.onRedis ? await redisStore() : {}),
  };
  if (run.chosen !== null) startChosen(run.chosen, place);
  // Three processes for each of the others, where there is a follower.
  else if (run.throughFollower || run.onRedis) {
    for (const file of FOLLOWING_TESTS) spawnTests(file, [file], FILE_SECONDS * 3, place);
  } else {
    shared = { ...shared, PARLEY_TEST_SHARE: drawnShare() };
    t.comment(`share ${shared['PARLEY_TEST_SHARE']} of what is divided (PARLEY_TEST_SHARE)`);
    startAll(run);
    if (run.withChecks && shared['PARLEY_TEST_SHARE'] === 'all') process.once('exit', recordTested);
  }
}

/** Notes that the commit passed everything, no share left out, which `scripts/release.js` asks for. */
function recordTested(status: number): void {
  const record = join(TEST_FOLDER, '../tested.json');
  rmSync(record, { force: true });
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  try {
    // Only what is committed has a name.
    if (status !== 0 || git('status', '--porcelain') !== '') return;
    writeFileSync(record, JSON.stringify({ commit: git('rev-parse', 'HEAD') }));
  } catch {
    // An archive of the sources has no commits, and releases nothing.
  }
}

/** A server on which every organization of the tests is. */
async function redisStore(): Promise<Environment> {
  const { port } = await startRedis(t);
  return { PARLEY_TEST_STORE: `redis://127.0.0.1:${port}` };
}

function startChosen({ files, titles }: Chosen, place: Environment): void {
  const only: Environment = titles === null ? {} : { TAP_GREP: titles };
  for (const file of files) spawnTests(file, [file], FILE_SECONDS * 3, { ...only, ...place });
}

function startAll({ ofPlatform }: Run): void {
  const share = shared['PARLEY_TEST_SHARE']!;
  const taken = (files: readonly string[]) =>
    files.filter((file) => isTaken(file, { ofPlatform, share }));
  const busy = [
    ...portions(taken(ASKING_TESTS), ASKING_PER_PROCESS).map((files) => () => shareProcess(files)),
    ...portions(shareOf(THROUGH_FOLLOWER_TESTS, share), ASKING_PER_PROCESS).map(
      (files) => () => shareProcess(files, FOLLOWER),
    ),
    // The last of them wait for Redis servers.
    ...portions(taken(MODULE_TESTS), MODULES_PER_PROCESS)
      .reverse()
      .map((files) => () => shareProcess(files)),
  ];
  const waiting = taken(WHOLE_PROCESS_TESTS).map(
    (file) => () => spawnTests(file, [file], FILE_SECONDS),
  );
  for (const start of evenly(waiting, busy)) start();
}

/** Two lists as one, in which each is spread evenly: those that wait run beside those that work. */
function evenly<T>(some: readonly T[], others: readonly T[]): T[] {
  const placed = [some, others].flatMap((list) =>
    list.map((item, i) => ({ item, place: (i + 0.5) / list.length })),
  );
  return placed.sort((a, b) => a.place - b.place).map(({ item }) => item);
}

/** A list in pieces of the same length, the last of which may be shorter. */
function portions(files: readonly string[], length: number): string[][] {
  const starts = files.map((_file, from) => from).filter((from) => from % length === 0);
  return starts.map((from) => files.slice(from, from + length));
}

function shareProcess(files: readonly string[], env: Environment = {}): void {
  const name = `${files[0]} to ${files.at(-1)}`;
  spawnTests(name, ['run-files.js', ...files], FILE_SECONDS * 3, env);
}

/** Starts one process of tests: a program of this folder, with its arguments. */
function spawnTests(
  name: string,
  [program, ...args]: readonly string[],
  seconds: number,
  more: Environment = {},
): void {
  // The hooks come by the environment of whatever tap starts.
  const hooks = ['unfollowed-promises.js', 'cheap-comparisons.js'];
  if ('PARLEY_TEST_COSTS' in shared) hooks.push('measured-costs.js');
  const cheap = hooks.flatMap((file) => ['--import', join(TEST_FOLDER, file)]);
  const node = [
    '-u',
    'NODE_OPTIONS',
    process.execPath,
    ...OPTIMIZE_LATE,
    '--enable-source-maps',
    ...cheap,
  ];
  const options = {
    buffered: true,
    timeout: LONGEST_MS,
    env: { ...process.env, ...shared, ...more, TAP_TIMEOUT: String(seconds) },
  };
  const through = 'PARLEY_TEST_THROUGH' in more ? ', through a follower' : '';
  void t.spawn('env', [...node, join(TEST_FOLDER, program!), ...args], options, name + through);
}

/** A script of package.json as one assertion; what it prints is told when it fails. */
function check(script: string, meaning: string): void {
  void t.test(`npm run ${script}`, { timeout: LONGEST_MS }, (t) => {
    const env = { ...process.env, NODE_OPTIONS: '', ...FRUGAL_GO };
    const child = spawn('npm', ['run', '--silent', script], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    child.on('close', (code) => {
      t.equal(code, 0, code === 0 ? meaning : printed.slice(-20_000));
      t.end();
    });
  });
}
