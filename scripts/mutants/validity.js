/*
 * Leaves out what no author could commit: mutants that the compiler or the linter refuses. What is left is what only a
 * test can find.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TYPES = 'node_modules/typescript-native/bin/tsc';
const TYPE_ERROR = /^([\w./-]+\.tsx?)\(\d+,\d+\): error TS\d+/gm;
/** Of the sources alone: with the tests it would take three times as long. */
const CONFIGURATION = 'tsconfig.mutants.json';
const OF_SOURCES = { extends: './tsconfig.json', include: ['schemas', 'actors', 'src'] };
const OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * @param {string} copy folder of a copy of the repository, whose sources are as they were afterwards
 * @param {readonly (import('./instrument.js').Mutant & { replacement: string })[]} mutants
 * @returns {Promise<Map<object, 'types' | 'lint'>>} those that are refused, and by what
 */
export async function refusedOf(copy, mutants) {
  writeFileSync(join(copy, CONFIGURATION), JSON.stringify(OF_SOURCES));
  const refused = new Map();
  let left = [...mutants];
  while (left.length > 0) {
    // A file has one at a time: what is refused in it is then known.
    const round = [...new Map(left.map((mutant) => [mutant.file, mutant])).values()];
    left = left.filter((mutant) => !round.includes(mutant));
    for (const mutant of await refusedByTypes(copy, round)) refused.set(mutant, 'types');
    const rest = round.filter((mutant) => !refused.has(mutant));
    for (const mutant of await refusedByLint(copy, rest)) refused.set(mutant, 'lint');
  }
  return refused;
}

/** Those that the compiler refuses; where only other files have faults, each half is tried by itself. */
async function refusedByTypes(copy, round) {
  if (round.length === 0) return [];
  const found = await faultyByTypes(copy, round);
  if (found.size === 0) return [];
  const own = round.filter(({ file }) => found.has(file));
  if (own.length === 0 && round.length === 1) return round;
  const rest = round.filter((mutant) => !own.includes(mutant));
  if (own.length > 0) return [...own, ...(await refusedByTypes(copy, rest))];
  const half = rest.length >> 1;
  const first = await refusedByTypes(copy, rest.slice(0, half));
  return [...first, ...(await refusedByTypes(copy, rest.slice(half)))];
}

/** Files with faults while the copy has these mutants. */
async function faultyByTypes(copy, round) {
  const info = ['--incremental', '--tsBuildInfoFile', 'dist/.mutants.tsbuildinfo'];
  const args = [TYPES, '--project', CONFIGURATION, '--noEmit', '--singleThreaded', ...info];
  const printed = await inPlace(copy, round, () => output(copy, args));
  return new Set([...printed.matchAll(TYPE_ERROR)].map(([, file]) => file));
}

async function refusedByLint(copy, round) {
  if (round.length === 0) return [];
  const files = round.map(({ file }) => file);
  const args = ['node_modules/oxlint/bin/oxlint', '--format', 'unix', ...files];
  const printed = await inPlace(copy, round, () => output(copy, args));
  return round.filter(({ file }) => printed.includes(`${file}:`));
}

/** Does something while the copy has these mutants, one in a file. */
async function inPlace(copy, mutants, work) {
  for (const mutant of mutants) change(copy, mutant);
  try {
    return await work();
  } finally {
    restore(copy, mutants);
  }
}

function change(copy, { file, start, end, replacement, isExpression }) {
  const original = readFileSync(file, 'utf8');
  const text = isExpression ? `(${replacement})` : replacement;
  writeFileSync(join(copy, file), original.slice(0, start) + text + original.slice(end));
}

function restore(copy, mutants) {
  for (const { file } of mutants) writeFileSync(join(copy, file), readFileSync(file, 'utf8'));
}

/** What a program of Node prints; its exit code tells of findings. */
function output(cwd, args) {
  const env = { ...process.env, GOGC: 'off', GOMEMLIMIT: '2500MiB', GOMAXPROCS: '1' };
  return new Promise((resolve) => {
    const options = { cwd, env, maxBuffer: OUTPUT_BYTES };
    execFile(process.execPath, args, options, (_error, stdout) => resolve(stdout));
  });
}
