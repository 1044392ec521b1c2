/*
 * Leaves out what no author could commit: mutants that the compiler or the linter refuses. What is left is what only a
 * test can find.
 */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const TYPES = 'node_modules/typescript-native/bin/tsc';
const TYPE_ERROR = /^([\w./-]+\.tsx?)\(\d+,\d+\): error TS\d+/gm;
const IMPORT = /\bfrom '(\.{1,2}\/[^']+)\.js'/g;
const OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * @param {string} copy folder of a copy of the repository, whose sources are as they were afterwards
 * @param {readonly (import('./instrument.js').Mutant & { replacement: string })[]} mutants
 * @returns {Promise<Map<object, 'types' | 'lint'>>} those that are refused, and by what
 */
export async function refusedOf(copy, mutants) {
  const refused = new Map();
  let left = [...mutants];
  while (left.length > 0) {
    // A file has one at a time: what is refused in it is then known.
    const round = [...new Map(left.map((mutant) => [mutant.file, mutant])).values()];
    left = left.filter((mutant) => !round.includes(mutant));
    await inPlace(copy, round, async () => {
      for (const mutant of await refusedByTypes(copy, round)) refused.set(mutant, 'types');
      const rest = round.filter((mutant) => !refused.has(mutant));
      for (const mutant of await refusedByLint(copy, rest)) refused.set(mutant, 'lint');
    });
  }
  return refused;
}

async function refusedByTypes(copy, round) {
  const found = await faultyByTypes(copy);
  const refused = new Set(round.filter(({ file }) => found.has(file)));
  // Files without a mutant fail where one changed what they import: each of these is tried by itself.
  const others = [...found].filter((file) => !round.some((mutant) => mutant.file === file));
  if (others.length === 0) return refused;
  const imported = new Set(others.flatMap((file) => importsOf(copy, file)));
  for (const mutant of round) {
    if (!imported.has(mutant.file) || refused.has(mutant)) continue;
    restore(copy, round);
    const isFaulty = await inPlace(
      copy,
      [mutant],
      async () => (await faultyByTypes(copy)).size > 0,
    );
    if (isFaulty) refused.add(mutant);
  }
  for (const mutant of round) change(copy, mutant);
  return refused;
}

async function faultyByTypes(copy) {
  const info = ['--incremental', '--tsBuildInfoFile', 'dist/.types.tsbuildinfo'];
  const args = [TYPES, '--project', 'tsconfig.json', '--noEmit', '--singleThreaded', ...info];
  const printed = await output(copy, args);
  return new Set([...printed.matchAll(TYPE_ERROR)].map(([, file]) => file));
}

async function refusedByLint(copy, round) {
  if (round.length === 0) return [];
  const files = round.map(({ file }) => file);
  const printed = await output(copy, [
    'node_modules/oxlint/bin/oxlint',
    '--format',
    'unix',
    ...files,
  ]);
  return round.filter(({ file }) => printed.includes(`${file}:`));
}

/** Files that a source imports, as paths in the repository. */
function importsOf(copy, file) {
  const text = readFileSync(join(copy, file), 'utf8');
  return [...text.matchAll(IMPORT)].map(([, path]) => `${normalize(join(dirname(file), path))}.ts`);
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
