import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Coverage } from './coverage.js';
import { findDefects, plantedDefects } from './defects.js';
import { FAULTS } from './faults.js';
import { CompiledProgram } from './node/program.js';
import { planOf, withParts, type Plan, type PlanParts } from './plan.js';
import { simulate, type Outcome } from './run.js';
import { shrink } from './shrink.js';
import { Tally, type Totals } from './tally.js';
import { Trace } from './world/trace.js';

const USAGE = `npm run simulate -- [--seed S] [--trace] [--shrink] [--minutes N] [--cores N] [--faults LIST]

  --seed S      runs the simulation of one seed; the same seed gives the same run
  --plan JSON   what it draws otherwise: the whole of it, as --shrink prints it, or some of its parts
  --trace       prints everything that happens in it
  --shrink      makes the run of a failing seed smaller, and prints what is left of it
  --minutes N   runs fresh seeds for so long; prints the first of them
  --cores N     processes that do so; all processors where it is not given
  --coverage    with --minutes, on one processor: tells which handlers of failures were never entered
  --faults LIST names of faults with commas between them; "list" prints all
  --defects     plants the defects of test/simulation/defects.json, one at a time, and tells the seeds that find them;
                numbers behind it choose some`;

/** Lines that are printed of a failing run. */
const SHOWN = 60;
/** Fresh seeds begin at any of so many. */
const SEEDS = 1_000_000_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string' },
    plan: { type: 'string', default: '{}' },
    trace: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    cores: { type: 'string' },
    faults: { type: 'string' },
    help: { type: 'boolean', default: false },
    defects: { type: 'boolean', default: false },
    coverage: { type: 'boolean', default: false },
    worker: { type: 'boolean', default: false },
  },
});

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** @throws Error for the name of no fault */
function chosenFaults(): readonly string[] {
  const names = values.faults?.split(',') ?? Object.keys(FAULTS);
  const unknown = names.filter((name) => name !== '' && !FAULTS[name]);
  if (unknown.length > 0)
    throw new Error(`There is no fault ${unknown.join(', ')}; see --faults list`);
  return names.filter((name) => name !== '');
}

const given = JSON.parse(values.plan) as PlanParts;

function planned(seed: string): Plan {
  return withParts(planOf(seed, chosenFaults()), { ...given, seed });
}

async function one(program: CompiledProgram, plan: Plan, prints: boolean): Promise<Outcome> {
  const trace = new Trace(2000, prints ? say : null);
  const { user, system } = process.cpuUsage();
  const outcome = await simulate(program, plan, trace);
  const used = process.cpuUsage();
  // What it took of a processor, whoever else uses the machine.
  const ms = (used.user + used.system - user - system) / 1000;
  const { seed } = plan;
  const { faults, virtualMs, mishaps, steps, digest } = outcome;
  const speed = `${(virtualMs / 1000).toFixed(0)} s in ${(ms / 1000).toFixed(1)} s`;
  const counts = `${mishaps} faults, ${steps} steps, trace ${digest}`;
  say(`${faults.length > 0 ? 'FAILS' : 'holds'} seed ${seed}: ${speed}, ${counts}`);
  if (faults.length > 0) {
    if (!prints) for (const line of trace.lines.slice(-SHOWN)) say(line);
    for (const fault of faults) say(`  ${fault}`);
    say(`Run it again: npm run simulate -- --seed ${seed} --trace`);
  }
  return outcome;
}

/** Runs seeds until the time is over or one fails. */
async function many(minutes: number): Promise<void> {
  const program = await CompiledProgram.compile();
  const coverage = values.coverage ? new Coverage(program.code) : null;
  const first = values.seed === undefined ? randomInt(SEEDS) : Number(values.seed);
  const end = performance.now() + minutes * 60_000;
  const tally = new Tally();
  say(`From seed ${first} on`);
  for (let seed = first; performance.now() < end; seed++) {
    const outcome = await one(program, planned(String(seed)), false);
    tally.add(outcome);
    if (outcome.faults.length === 0) continue;
    process.exitCode = 1;
    break;
  }
  for (const line of coverage?.lines() ?? []) say(line);
  if (values.worker) process.send!(tally.totals());
  else for (const line of tally.lines()) say(line);
}

/** Does so in several processes, each with seeds of its own. */
async function onCores(cores: number): Promise<void> {
  const args = process.argv.slice(2).filter((arg, i, all) => {
    return !arg.startsWith('--cores') && all[i - 1] !== '--cores';
  });
  const tally = new Tally();
  const ends = Array.from({ length: cores }, () => {
    const child = fork(fileURLToPath(import.meta.url), [...args, '--worker']);
    child.on('message', (totals) => tally.addAll(totals as Totals));
    return new Promise<number>((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
  });
  process.exitCode = Math.max(...(await Promise.all(ends)));
  for (const line of tally.lines()) say(line);
}

async function main(): Promise<void> {
  if (values.help) say(USAGE);
  else if (values.faults === 'list') {
    for (const [name, { about }] of Object.entries(FAULTS)) say(`${name.padEnd(14)} ${about}`);
  } else if (values.defects) {
    const all = plantedDefects().map((_, i) => i + 1);
    const chosen = positionals.length > 0 ? positionals.map(Number) : all;
    const missed = await findDefects(chosen, given, say);
    if (missed > 0) process.exitCode = 1;
  } else if (values.minutes !== undefined) {
    const cores = Number(values.cores ?? availableParallelism());
    if (values.worker || values.coverage || cores === 1) await many(Number(values.minutes));
    else await onCores(cores);
  } else {
    const program = await CompiledProgram.compile();
    const plan = planned(values.seed ?? given.seed ?? String(randomInt(SEEDS)));
    if (values.shrink) await shrink(program, plan, say);
    else {
      say(JSON.stringify(plan));
      const outcome = await one(program, plan, values.trace);
      const tally = new Tally();
      tally.add(outcome);
      if (values.trace) for (const line of tally.lines()) say(line);
      if (outcome.faults.length > 0) process.exitCode = 1;
    }
  }
}

await main();
