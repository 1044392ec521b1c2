import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import type { Cost, ProcessCost } from './measured-costs.js';
import { TEST_FOLDER } from './test-files.js';

/* What runs of the tests cost, from what their processes measured (`measured-costs.ts`), as tables. */

/** The releases of Node of which a run is told, each from its last. */
const MAJORS = [20, 22, 24];
const PAGE = join(TEST_FOLDER, '../../test/costs.md');
/** Files that cost less, in seconds, are summed up by folder; and kinds of programs. */
const TOLD_S = 3;
const TOLD_PROGRAMS_S = 0.5;
/** Tests that are told one by one. */
const DEAREST = 40;

type Costs = Map<string, Cost & { count: number }>;

interface Run {
  readonly files: Costs;
  readonly programs: Costs;
  /** Of each test at the left margin, by file and title. */
  readonly tests: Costs;
  readonly total: Cost;
}

/** Where the processes of a run write: one file for each release of Node. */
export function costsFile(major = Number.parseInt(process.versions.node)): string {
  return join(TEST_FOLDER, `../test-costs-${major}.jsonl`);
}

function add(costs: Costs, name: string, { cpu, wall }: Cost, count = 1): void {
  const sum = costs.get(name) ?? { cpu: 0, wall: 0, count: 0 };
  costs.set(name, { cpu: sum.cpu + cpu, wall: sum.wall + wall, count: sum.count + count });
}

/** Sums up what the processes of a run wrote, one line each; the runner's own is its total. */
export function costsOf(lines: string): Run {
  const run = {
    files: new Map(),
    programs: new Map(),
    tests: new Map(),
    total: { cpu: 0, wall: 0 },
  };
  for (const line of lines.trim().split('\n')) {
    const { files, follower, programs, tests, ...cost } = JSON.parse(line) as ProcessCost;
    const through = follower ? ', through a follower' : '';
    if (files[0] === 'run.js') {
      run.total = cost;
      // Types, lint and format.
      const { npm } = programs;
      if (npm) add(run.programs, 'the checks', npm, npm.count);
      continue;
    }
    for (const [kind, one] of Object.entries(programs)) add(run.programs, kind, one, one.count);
    for (const test of tests) add(run.tests, `${test.file}: ${test.title}${through}`, test);
    if (files.length === 1) add(run.files, files[0]! + through, cost);
    // The first of their tests loads them all.
    else for (const test of tests) add(run.files, (test.file || 'loading them') + through, test);
  }
  return run;
}

const seconds = (ms: number): string => (ms / 1000).toFixed(1);

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, i) => (i === 0 ? '---' : '---:'));
  return [head, rule, ...rows].map(line);
}

const dearestFirst = (costs: Costs) => [...costs].sort(([, a], [, b]) => b.cpu - a.cpu);

/** What costs less than so many seconds, as one row for all of a kind. */
function summed(costs: Costs, leastS: number, kind: (name: string) => string): Costs {
  const rows: Costs = new Map();
  for (const [name, cost] of costs) {
    add(rows, cost.cpu >= leastS * 1000 ? name : kind(name), cost, cost.count);
  }
  return rows;
}

function programTable(programs: Costs): string[] {
  const rows = dearestFirst(programs).map(([name, { cpu, wall, count }]) => {
    const each = [cpu / count, wall / count].map((ms) => (ms / 1000).toFixed(2));
    return [name, String(count), ...each, seconds(cpu)];
  });
  return table(['Program', 'how many', 'CPU each, s', 'wall each, s', 'CPU, s'], rows);
}

function fileTable(title: string, costs: Costs): string[] {
  const rows = dearestFirst(costs).map(([name, { cpu, wall }]) => {
    return [name.replace(/\.js\b/, '.ts'), seconds(cpu), seconds(wall)];
  });
  return table([title, 'CPU, s', 'wall, s'], rows);
}

/** The chapter of a page: what a run cost, by kind of program and by file. */
export function chapter(major: number, { files, programs, total }: Run): string[] {
  const byFolder = (name: string): string => {
    return `the others of ${dirname(name).split('/').slice(0, 2).join('/')}`;
  };
  return [
    `## Node ${major}: ${seconds(total.cpu)} s of processor time`,
    '',
    ...programTable(summed(programs, TOLD_PROGRAMS_S, () => 'others')),
    '',
    ...fileTable('File', summed(files, TOLD_S, byFolder)),
    '',
  ];
}

/**
 * Tells of this run, and, where it was one of all tests, writes the page of the last run on each release of Node.
 * @returns what to print
 */
export function tellCosts(wasWhole: boolean): string {
  const run = costsOf(readFileSync(costsFile(), 'utf8'));
  if (wasWhole) {
    const runs = MAJORS.filter((major) => existsSync(costsFile(major)));
    const chapters = runs.flatMap((major) => {
      return chapter(major, costsOf(readFileSync(costsFile(major), 'utf8')));
    });
    const head = [
      '# What the tests cost',
      '',
      `\`npm run test:only -- --costs\` made this page, on ${cpus().length} processors (${cpus()[0]!.model.trim()}). A file's`,
      'seconds are those of its process and of the programs that it starts. Wall time is that of processes which share',
      'the machine; where it is many times the processor time on a quiet one, the file waits for a clock.',
      '',
    ];
    writeFileSync(PAGE, [...head, ...chapters].join('\n'));
  }
  const dearest = new Map(dearestFirst(run.tests).slice(0, DEAREST));
  const lines = [
    ...fileTable('Test', dearest),
    '',
    ...fileTable('File', run.files),
    '',
    ...programTable(run.programs),
    '',
    `together ${seconds(run.total.cpu)} s of processor time in ${seconds(run.total.wall)} s`,
  ];
  return `${lines.join('\n')}\n`;
}
