import { access, constants, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SCENARIOS } from './catalogue.js';
import { compareResults } from './compare.js';
import { FLOOR, OURS, type Result } from './harness/measuring/figures.js';
import { liveLine } from './live-line.js';
import { mergeRuns } from './repetition.js';
import type { Scenario, ScenarioContext } from './harness/scenario.js';
import { checkoutCommit, machine } from './harness/measuring/versions.js';
import { readOptions, USAGE, UsageError, type RunOptions } from './options.js';
import { nearName } from '../src/config/file.js';
import { writeReport } from './report/report.js';
import { readResults } from './results.js';
import { formatResult } from './table.js';
import { runVersus } from './versus/versus.js';

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/**
 * Runs a command line.
 * @returns the exit code: 1 when a run failed or was refused, or `compare` found something worse
 */
export async function runBench(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  switch (options.command) {
    case 'help':
      print(USAGE);
      return 0;
    case 'list':
      for (const { name, work } of SCENARIOS) print(`${name.padEnd(16)}${work}`);
      return 0;
    case 'run':
      return runScenarios(options);
    case 'compare': {
      const [before, after] = [await readResults(options.before), await readResults(options.after)];
      const { text, worse } = compareResults(before, after, options);
      print(text);
      return worse ? 1 : 0;
    }
    case 'versus':
      return (await runVersus(options, print)) ? 1 : 0;
    case 'report':
      print(await writeReport(options.folder, options.out));
      return 0;
  }
}

function chosen(names: readonly string[]): readonly Scenario[] {
  if (names.includes('all')) return SCENARIOS;
  return names.map((name) => {
    const scenario = SCENARIOS.find((one) => one.name === name);
    if (!scenario) {
      const near = nearName(
        name,
        SCENARIOS.map((one) => one.name),
      );
      const meant = near === null ? '' : `; did you mean ${near}?`;
      throw new UsageError(`Unknown scenario: ${name}${meant}`);
    }
    return scenario;
  });
}

async function runScenarios(options: RunOptions): Promise<number> {
  const scenarios = chosen(options.scenarios);
  if (options.json !== null) await assertWritable(options.json);
  const { cpu, cores, memory_gb, system, node } = machine();
  print(`${cpu}, ${cores} cores, ${memory_gb} GB, ${system}, Node ${node}`);
  const commit = options.remote === null ? checkoutCommit() : undefined;
  print(`${new Date().toISOString()}${commit === undefined ? '' : `, commit ${commit}`}\n`);
  const results: Result[] = [];
  let failed = false;
  for (const scenario of scenarios) {
    try {
      const own = (await repeated(scenario, options)).map((result) =>
        commit === undefined ? result : { ...result, commit },
      );
      if (own.length === 0)
        print(`${scenario.name}: left out: needs a server of the bench's own\n`);
      for (const result of own) {
        results.push(result);
        print(formatResult(result));
        failed ||= lacksFigures(result);
      }
      // After each, so that a run that is broken off keeps what it has.
      if (options.json !== null) await writeResults(options.json, results);
    } catch (error) {
      failed = true;
      print(
        `${scenario.name}: failed: ${error instanceof Error ? error.message : String(error)}\n`,
      );
    }
  }
  return failed ? 1 : 0;
}

/** Runs a scenario as often as asked. */
async function repeated(scenario: Scenario, options: RunOptions): Promise<Result[]> {
  const context = contextOf(scenario, options);
  const rounds = scenario.repeatsItself ? 1 : (options.rounds ?? 1);
  const runs: Result[][] = [];
  const began = performance.now();
  for (let round = 1; round <= rounds; round++) {
    if (rounds > 1)
      context.progress(`round ${round} of ${rounds}${timeLeft(began, round, rounds)}`);
    runs.push(await scenario.run(context));
  }
  return mergeRuns(runs);
}

function timeLeft(began: number, round: number, rounds: number): string {
  if (round === 1) return '';
  const each = (performance.now() - began) / (round - 1);
  return `, about ${Math.ceil((each * (rounds - round + 1)) / 1000)} s left`;
}

/** Not only after minutes of measuring. @throws UsageError */
async function assertWritable(file: string): Promise<void> {
  await access(dirname(file), constants.W_OK).catch(() => {
    throw new UsageError(`--json: ${dirname(file)} is no folder that can be written`);
  });
}

function writeResults(file: string, results: readonly Result[]): Promise<void> {
  return writeFile(file, `${JSON.stringify(results, null, 2)}\n`);
}

function lacksFigures({ figures, floor, peers, refused }: Result): boolean {
  const all: Record<string, unknown> = { ...peers, [OURS]: figures, [FLOOR]: floor };
  return Object.keys(refused).some((target) => all[target] === null);
}

function contextOf(scenario: Scenario, options: RunOptions): ScenarioContext {
  const { quick, remote, store, only, rounds } = options;
  const size = quick ? scenario.quick : scenario.full;
  return {
    quick,
    remote,
    store,
    rounds,
    size: {
      clients: options.clients ?? size.clients,
      seconds: options.seconds ?? size.seconds,
    },
    wants: (target) => only === null || only.has(target),
    progress: (text) => liveLine.say(`${scenario.name}: ${text}`),
  };
}
