import child, { ChildProcess, type SpawnOptions } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, relative } from 'node:path';
import type { TAP, TestBase } from 'tap';
import { TEST_FOLDER } from './test-files.js';

/*
 * Measures what a process of tests costs (`node --import`, before tap is loaded): its processor time, that of each
 * program it starts, and that of each test. At its end it appends one line to the file of `PARLEY_TEST_COSTS`
 * (`test-costs.ts` reads it). The kernel adds a program's time to this process when it has waited for its end.
 */

/** Milliseconds. */
export interface Cost {
  cpu: number;
  wall: number;
}

/** What one process of tests cost. */
export interface ProcessCost extends Cost {
  /** Its files, in {@link TEST_FOLDER}. */
  readonly files: readonly string[];
  readonly follower: boolean;
  /** By kind of program, `server` or a command's name; how many of them. */
  readonly programs: Readonly<Record<string, Cost & { count: number }>>;
  /** By file and title of a test at the left margin; of this process alone, and with the programs that ended in it. */
  readonly tests: readonly (Cost & { readonly file: string; readonly title: string })[];
}

/** Milliseconds; some tests replace the clock that they find. */
const sinceStart = performance.now.bind(performance);
const FILE = process.env['PARLEY_TEST_COSTS'] ?? '';
/** A tick of the kernel's accounts. */
const TICK_MS = 10;
const programs: Record<string, Cost & { count: number }> = {};
const tests: (Cost & { file: string; title: string })[] = [];
/** The file that is being loaded: its tests are added at this time. */
let loading = '';

/** Processor time of the programs that ended, and were waited for, and of those that they waited for. */
export function endedPrograms(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
}

function ownTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

let told = endedPrograms();

/** Adds what ended since the last time to a kind of program. */
function account(kind: string, began: number): void {
  const now = endedPrograms();
  const cost = (programs[kind] ??= { cpu: 0, wall: 0, count: 0 });
  cost.cpu += now - told;
  cost.wall += sinceStart() - began;
  cost.count += 1;
  told = now;
}

/** `server` for this program, the script for another of Node, else the command. */
export function kindOf(command: string, args: readonly string[]): string {
  const name = basename(command);
  if (name !== 'node' && name !== 'env') return name;
  const script = args.find((arg, i) => /\.[cm]?[jt]s$/.test(arg) && args[i - 1] !== '--import');
  if (script === undefined) return name;
  return /server\/main\.js$/.test(script) ? 'server' : basename(script);
}

/** Watches the programs that this process starts. */
export function watchPrograms(): void {
  const prototype = ChildProcess.prototype as unknown as {
    spawn: (options: SpawnOptions & { file: string; args?: string[] }) => unknown;
  };
  const { spawn } = prototype;
  prototype.spawn = function (this: ChildProcess, options) {
    const began = sinceStart();
    this.prependOnceListener('exit', () =>
      account(kindOf(options.file, options.args ?? []), began),
    );
    return spawn.call(this as never, options);
  };
  for (const name of ['spawnSync', 'execFileSync', 'execSync'] as const) {
    const run = child[name] as (...args: unknown[]) => unknown;
    Object.assign(child, {
      [name]: (...args: unknown[]) => {
        const began = sinceStart();
        try {
          return run(...args);
        } finally {
          account(
            kindOf(String(args[0]), Array.isArray(args[1]) ? args[1].map(String) : []),
            began,
          );
        }
      },
    });
  }
  syncBuiltinESMExports();
}

/** Notes what each test at the left margin costs. */
export function watchTests(t: TAP): void {
  const files = new Map<TestBase, string>();
  const began = new Map<TestBase, Cost>();
  const now = (): Cost => ({ cpu: ownTime() + endedPrograms(), wall: sinceStart() });
  t.on('subtestAdd', (test) => files.set(test as TestBase, loading));
  t.on('subtestStart', (test) => began.set(test as TestBase, now()));
  t.on('subtestEnd', (test) => {
    const from = began.get(test as TestBase);
    if (from === undefined) return;
    const { cpu, wall } = now();
    const file = files.get(test as TestBase) ?? '';
    tests.push({ file, title: test.name, cpu: cpu - from.cpu, wall: wall - from.wall });
  });
}

/** Tells which file's tests are added from now on. */
export function loads(file: string): void {
  loading = file;
}

const script = relative(TEST_FOLDER, process.argv[1] ?? '');
// Not what a test forks, which has the same flags.
if (FILE !== '' && /^(?:run|run-files|.*\.test)\.js$/.test(script)) {
  watchPrograms();
  const files = script === 'run-files.js' ? process.argv.slice(2) : [script];
  process.on('exit', () => {
    const cost: ProcessCost = {
      files,
      follower: process.env['PARLEY_TEST_THROUGH'] === 'follower',
      cpu: ownTime() + endedPrograms(),
      wall: sinceStart(),
      programs,
      tests: tests.map((test) => ({ ...test, file: test.file || files[0]! })),
    };
    appendFileSync(FILE, `${JSON.stringify(cost)}\n`);
  });
  if (script !== 'run-files.js') watchTests((await import('tap')).default);
}
