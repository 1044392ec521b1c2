/*
 * Leaves out what no author could commit: mutants that the compiler or the linter refuses. What is left is what only a
 * test can find.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const TYPES = 'node_modules/typescript-native/bin/tsc';
const TYPE_ERROR = /^([\w./-]+\.tsx?)\(\d+,\d+\): error TS\d+/gm;
/** Of the sources alone: with the tests it would take three times as long. */
const CONFIGURATION = 'tsconfig.mutants.json';
const OF_SOURCES = { extends: './tsconfig.json', include: ['schemas', 'actors', 'src'] };
/** What earlier runs have come to, since each look takes seconds. */
const KNOWN = 'dist/mutants/refused.json';
const OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * Those that compiler or linter refuse in the file that they change.
 * @param {string} copy folder of a copy of the repository, whose sources are as they were afterwards
 * @param {readonly (import('./instrument.js').Mutant & { replacement: string })[]} mutants
 * @returns {Promise<Set<object>>}
 */
export async function refusedOf(copy, mutants) {
  const known = existsSync(KNOWN) ? JSON.parse(readFileSync(KNOWN, 'utf8')) : {};
  let left = mutants.filter((mutant) => known[nameOf(mutant)] === undefined);
  while (left.length > 0) {
    // A file has one at a time: what is refused in it is then known.
    const round = [...new Map(left.map((mutant) => [mutant.file, mutant])).values()];
    left = left.filter((mutant) => !round.includes(mutant));
    const faulty = await faultyByTypes(copy, round);
    const rest = round.filter(({ file }) => !faulty.has(file));
    for (const file of await faultyByLint(copy, rest)) faulty.add(file);
    for (const mutant of round) known[nameOf(mutant)] = faulty.has(mutant.file);
    mkdirSync(dirname(KNOWN), { recursive: true });
    writeFileSync(KNOWN, JSON.stringify(known));
  }
  return new Set(mutants.filter((mutant) => known[nameOf(mutant)]));
}

/**
 * Those that the compiler refuses in another file. Each look takes six seconds of a processor, so only survivors are
 * looked at, in halves as long as any file has a fault.
 * @returns {Promise<object[]>}
 */
export async function refusedElsewhere(copy, mutants) {
  if (mutants.length === 0) return [];
  // Of one file only one fits into the copy.
  const round = [...new Map(mutants.map((mutant) => [mutant.file, mutant])).values()];
  const others = mutants.filter((mutant) => !round.includes(mutant));
  const more = await refusedElsewhere(copy, others);
  const { size } = await faultyByTypes(copy, round);
  if (size === 0) return more;
  if (round.length === 1) return [...round, ...more];
  const half = round.length >> 1;
  const first = await refusedElsewhere(copy, round.slice(0, half));
  return [...more, ...first, ...(await refusedElsewhere(copy, round.slice(half)))];
}

/** The same change of the same file, whatever else was changed. */
function nameOf({ file, key }) {
  return createHash('sha256')
    .update(`${key} ${readFileSync(file, 'utf8')}`)
    .digest('base64');
}

/** Files with faults while the copy has these mutants. */
async function faultyByTypes(copy, round) {
  writeFileSync(join(copy, CONFIGURATION), JSON.stringify(OF_SOURCES));
  const info = ['--incremental', '--tsBuildInfoFile', 'dist/.mutants.tsbuildinfo'];
  const args = [TYPES, '--project', CONFIGURATION, '--noEmit', '--singleThreaded', ...info];
  const printed = await inPlace(copy, round, () => output(copy, args));
  return new Set([...printed.matchAll(TYPE_ERROR)].map(([, file]) => file));
}

async function faultyByLint(copy, round) {
  if (round.length === 0) return [];
  const files = round.map(({ file }) => file);
  const args = ['node_modules/oxlint/bin/oxlint', '--format', 'unix', ...files];
  const printed = await inPlace(copy, round, () => output(copy, args));
  return files.filter((file) => printed.includes(`${file}:`));
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
