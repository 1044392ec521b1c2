import { access, constants, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SCENARIOS } from './catalogue.js';
import { compareResults } from './compare.js';
import { drive, type DriveOptions } from './drive/drive.js';
import { Worker } from './drive/worker.js';
import { toCsv, toPrometheus } from './exports.js';
import { FLOOR, OURS, type Result } from './harness/measuring/figures.js';
import { liveLine } from './live-line.js';
import { mergeRuns } from './repetition.js';
import type { Scenario, ScenarioContext } from './harness/scenario.js';
import { markdownTables } from './markdown.js';
import { checkoutCommit, machine } from './harness/measuring/versions.js';
import {
  readOptions,
  USAGE,
  UsageError,
  type Options,
  type OutputFiles,
  type RunOptions,
} from './options.js';
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
    case 'drive':
      return driveServer(options.load, options.files);
    case 'worker':
      return work(options);
    case 'compare': {
      const [before, after] = [await readResults(options.before), await readResults(options.after)];
      const { text, worse } = compareResults(before, after, options);
      print(text);
      return worse ? 1 : 0;
    }
    case 'versus':
      return (await runVersus(options, print)) ? 1 : 0;
    case 'tables':
      print(markdownTables(await readResults(options.file)));
      return 0;
    case 'report':
      print(await writeReport(options.paths, options.out));
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
  await assertWritable(options.files);
  const commit = printHead(options.remote === null);
  const results: Result[] = [];
  let failed = false;
  const times: [string, number][] = [];
  for (const scenario of scenarios) {
    const began = performance.now();
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
      await writeResults(options.files, results);
    } catch (error) {
      failed = true;
      print(
        `${scenario.name}: failed: ${error instanceof Error ? error.message : String(error)}\n`,
      );
    }
    times.push([scenario.name, performance.now() - began]);
  }
  print(timesText(times));
  return failed ? 1 : 0;
}

/** What each scenario took, in seconds, and all of them. */
export function timesText(times: readonly (readonly [string, number])[]): string {
  const all = times.reduce((sum, [, ms]) => sum + ms, 0);
  const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;
  const each = times.map(([name, ms]) => `${name} ${seconds(ms)}`).join(', ');
  const minutes = all < 60_000 ? seconds(all) : `${(all / 60_000).toFixed(1)} minutes`;
  return times.length < 2 ? `It took ${minutes}` : `It took ${minutes}: ${each}`;
}

/** Says where and when this runs. @returns the commit that is measured, where that is known */
function printHead(isOwn: boolean): string | undefined {
  const { cpu, cores, memory_gb, system, node } = machine();
  print(`${cpu}, ${cores} cores, ${memory_gb} GB, ${system}, Node ${node}`);
  const commit = isOwn ? checkoutCommit() : undefined;
  print(`${new Date().toISOString()}${commit === undefined ? '' : `, commit ${commit}`}\n`);
  return commit;
}

async function driveServer(load: DriveOptions, files: OutputFiles): Promise<number> {
  await assertWritable(files);
  const commit = printHead(load.remote === null);
  const driven = await drive(load);
  const result = commit === undefined ? driven : { ...driven, commit };
  print(formatResult(result));
  await writeResults(files, [result]);
  const isMet = Object.values(result.goals ?? {}).every(Boolean);
  return isMet && !lacksFigures(result) ? 0 : 1;
}

/** Serves until it is told to end. */
async function work({
  host,
  port,
  token,
}: Extract<Options, { command: 'worker' }>): Promise<never> {
  print(`Makes load at ${await new Worker(token).listen(host, port)}`);
  return new Promise(() => undefined);
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
async function assertWritable(files: OutputFiles): Promise<void> {
  for (const [flag, file] of Object.entries(files) as [string, string | null][]) {
    if (file === null) continue;
    await access(dirname(file), constants.W_OK).catch(() => {
      throw new UsageError(`--${flag}: ${dirname(file)} is no folder that can be written`);
    });
  }
}

async function writeResults(files: OutputFiles, results: readonly Result[]): Promise<void> {
  const { json, csv, prometheus } = files;
  if (json !== null) await writeFile(json, `${JSON.stringify(results, null, 2)}\n`);
  if (csv !== null) await writeFile(csv, toCsv(results));
  if (prometheus !== null) await writeFile(prometheus, toPrometheus(results));
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
