import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { nodePlatform } from '../../src/platform/node-platform.js';
import { Coverage } from './coverage.js';
import { findDefects, plannedFor, plantedDefects } from './defects.js';
import { DRAWN, FAULTS } from './faults.js';
import { saveFound } from './found.js';
import { CompiledProgram } from './node/program.js';
import { KINDS, mixed } from './mix.js';
import { planOf, withParts, type Plan, type PlanParts } from './plan.js';
import { simulate, type Outcome } from './run.js';
import { MOST_OF_THEM, shrink } from './shrink.js';
import { Tally, type Totals } from './tally.js';
import { Trace } from './world/trace.js';

const USAGE = `npm run simulate -- [--seed S] [--trace] [--shrink] [--minutes N] [--cores N] [--faults LIST]

  --seed S      runs the simulation of one seed; the same seed gives the same run
  --plan JSON   what it draws otherwise: the whole of it, as --shrink prints it, or some of its parts
  --trace       prints everything that happens in it
  --shrink      makes the run of a failing seed smaller, and prints what is left of it
  --save NAME   with --shrink, or with --defects and one number: saves that as test/simulation/found/NAME.json, which each
                landing runs
  --minutes N   runs fresh seeds for so long; prints the first of them
  --cores N     processes that do so, each with seeds of its own; all processors where it is not given
  --mix         the kinds of runs one after the other, each briefly, as a landing does; with --minutes, each at least once
  --keep-going  with --minutes: goes on behind a seed that fails, and lists those at the end
  --coverage    with --minutes, on one processor: tells which handlers of failures were never entered, which refusals
                of which operations, and how two nodes changed one after the other
  --faults LIST names of faults with commas between them; "list" prints all
  --defects     plants the defects of test/simulation/defects.json, one at a time, and tells the seeds that find them;
                numbers behind it choose some; one number with --seed: runs that seed with that defect`;

/** Lines that are printed of a failing run. */
const SHOWN = 60;
/** Fresh seeds begin at any of so many. */
const SEEDS = 1_000_000_000;

/** Those of the machine: a run has others. */
const { timers } = nodePlatform;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    plan: { type: 'string', default: '{}' },
    trace: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
    save: { type: 'string' },
    minutes: { type: 'string' },
    cores: { type: 'string' },
    faults: { type: 'string' },
    help: { type: 'boolean', default: false },
    defects: { type: 'boolean', default: false },
    coverage: { type: 'boolean', default: false },
    mix: { type: 'boolean', default: false },
    'keep-going': { type: 'boolean', default: false },
    // "1/2": the second of two processes; each takes every second seed.
    worker: { type: 'string', default: '0/1' },
  },
});

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** @throws Error for the name of no fault */
function chosenFaults(): readonly string[] {
  const names = values.faults?.split(',') ?? DRAWN;
  const unknown = names.filter((name) => name !== '' && !FAULTS[name]);
  if (unknown.length > 0)
    throw new Error(`There is no fault ${unknown.join(', ')}; see --faults list`);
  return names.filter((name) => name !== '');
}

const given = JSON.parse(values.plan) as PlanParts;

/** One run with one planted defect, and no search for seeds. */
const isPlanted =
  values.defects &&
  positionals.length === 1 &&
  values.seed !== undefined &&
  values.minutes === undefined;

function planned(seed: string): Plan {
  if (values.mix) return mixed(seed, chosenFaults(), given);
  return withParts(planOf(seed, chosenFaults(), !given.faultEveryMs && !given.longestMs), {
    ...given,
    seed,
  });
}

/** The command that does the run of a seed again, with what this one was given. */
function again(seed: string): string {
  const { faults, plan, mix } = values;
  const options = [
    ...(mix ? ['--mix'] : []),
    ...(isPlanted ? [`--defects ${positionals[0]}`] : []),
    ...(faults === undefined ? [] : [`--faults '${faults}'`]),
    ...(plan === '{}' ? [] : [`--plan '${plan}'`]),
  ];
  return `npm run simulate -- ${[...options, `--seed ${seed}`].join(' ')} --trace`;
}

/** The one run that is asked for: of the sources, or with a planted defect as `--defects` runs it. */
async function asked(): Promise<{ program: CompiledProgram; plan: Plan }> {
  const seed = values.seed ?? given.seed ?? String(randomInt(SEEDS));
  if (!isPlanted) return { program: await CompiledProgram.compile(), plan: planned(seed) };
  const defect = plantedDefects()[Number(positionals[0]) - 1]!;
  return {
    program: await CompiledProgram.compile(defect.edits),
    plan: plannedFor(defect, seed, given),
  };
}

async function one(program: CompiledProgram, plan: Plan, prints: boolean): Promise<Outcome> {
  const trace = new Trace(2000, prints ? say : null);
  const outcome = await simulate(program, plan, trace);
  const { seed } = plan;
  const { faults, undecided, virtualMs, cpuMs, mishaps, steps, digest } = outcome;
  const speed = `${(virtualMs / 1000).toFixed(0)} s in ${(cpuMs / 1000).toFixed(1)} s`;
  const counts = `${mishaps} faults, ${steps} steps, trace ${digest}`;
  say(`${faults.length > 0 ? 'FAILS' : 'holds'} seed ${seed}: ${speed}, ${counts}`);
  if (undecided !== null) say(`  ended undecided: ${undecided}`);
  if (faults.length > 0) {
    if (!prints) for (const line of trace.lines.slice(-SHOWN)) say(line);
    for (const fault of faults) say(`  ${fault}`);
    say(`Run it again: ${again(seed)}`);
  }
  return outcome;
}

/** Runs seeds until the time is over or one fails; with `--keep-going` until the time is over. */
async function many(minutes: number, report: (totals: Totals) => void): Promise<void> {
  const program = await CompiledProgram.compile();
  const coverage = values.coverage ? new Coverage(program.code) : null;
  const [mine, all] = values.worker.split('/').map(Number) as [number, number];
  const end = performance.now() + minutes * 60_000;
  const tally = new Tally();
  let isTold = false;
  // Another process has found a seed that fails.
  process.on('message', () => (isTold = true));
  const least = values.mix ? Math.ceil(KINDS.length / all) : 0;
  const isOver = (): boolean => isTold || (performance.now() >= end && tally.runs >= least);
  for (let seed = Number(values.seed) + mine; !isOver(); seed += all) {
    const outcome = await one(program, planned(String(seed)), false);
    tally.add(String(seed), outcome);
    report(tally.totals());
    // Messages of other processes come between two runs.
    await new Promise((resolve) => void timers.setImmediate(resolve));
    if (outcome.faults.length > 0 && !values['keep-going']) break;
  }
  for (const line of coverage?.lines() ?? []) say(line);
}

/** Lets processes do so, each with seeds of its own, and tells every minute how far they are. */
async function campaign(minutes: number, cores: number): Promise<void> {
  const first = values.seed ?? String(randomInt(SEEDS));
  values.seed = first;
  say(`From seed ${first} on`);
  /** What each process came to so far. */
  const latest: Totals[] = [];
  const sum = (): Tally => {
    const tally = new Tally();
    for (const totals of latest) if (totals) tally.addAll(totals);
    return tally;
  };
  const progress = timers.setInterval(() => say(`… ${sum().summary()}`), 60_000);
  const isAlone = cores === 1 || values.coverage;
  const codes = isAlone
    ? [await many(minutes, (totals) => (latest[0] = totals)).then(() => 0)]
    : await onCores(cores, latest);
  timers.clearInterval(progress);
  const tally = sum();
  for (const line of tally.lines(again, values.coverage)) say(line);
  process.exitCode = Math.max(...codes, tally.failing.length > 0 ? 1 : 0);
}

/** @returns how each process ended */
function onCores(cores: number, latest: Totals[]): Promise<number[]> {
  const program = fileURLToPath(import.meta.url);
  const given = process.argv.slice(2);
  const children = Array.from({ length: cores }, (_, i) =>
    // What comes last counts.
    fork(program, [...given, '--seed', values.seed!, '--worker', `${i}/${cores}`]),
  );
  const ends = children.map((child, i) => {
    child.on('message', (totals) => {
      latest[i] = totals as Totals;
      if (latest[i].failing.length === 0 || values['keep-going']) return;
      for (const other of children) if (other.connected) other.send('end');
    });
    return new Promise<number>((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
  });
  return Promise.all(ends);
}

async function main(): Promise<void> {
  if (values.help) say(USAGE);
  else if (values.faults === 'list') {
    for (const [name, { about }] of Object.entries(FAULTS)) say(`${name.padEnd(14)} ${about}`);
  } else if (values.defects && !isPlanted) {
    const all = plantedDefects().map((_, i) => i + 1);
    const chosen = positionals.length > 0 ? positionals.map(Number) : all;
    const missed = await findDefects(chosen, given, say, values.save);
    if (missed > 0) process.exitCode = 1;
  } else if (values.minutes !== undefined) {
    const minutes = Number(values.minutes);
    const cores = Number(values.cores ?? availableParallelism());
    if (process.send) {
      await many(minutes, (totals) => process.send!(totals));
      process.disconnect();
    } else await campaign(minutes, cores);
  } else {
    const { program, plan } = await asked();
    if (values.shrink) {
      const needed = values.save === undefined ? 1 : MOST_OF_THEM;
      const least = await shrink(program, plan, say, needed);
      const defect = isPlanted ? plantedDefects()[Number(positionals[0]) - 1]!.name : undefined;
      if (values.save !== undefined) await saveFound(program, values.save, least, defect, say);
    } else {
      say(JSON.stringify(plan));
      const outcome = await one(program, plan, values.trace);
      const tally = new Tally();
      tally.add(plan.seed, outcome);
      if (values.trace) for (const line of tally.lines(again)) say(line);
      if (outcome.faults.length > 0) process.exitCode = 1;
    }
  }
}

await main();
