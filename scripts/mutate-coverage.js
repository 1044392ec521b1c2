/*
 * Makes sentences of the specification false, one at a time, and demands that the test which
 * test/contract-coverage.md names for the sentence fails: node scripts/mutate-coverage.js [NUMBER ...]
 *
 * test/coverage-mutations.json says what to change for which sentence; numbers choose some of them, from 1 on.
 * Each change is made in a copy of the repository below the system's folder for temporary files. First every
 * test file runs there unchanged, since a test that fails anyway shows nothing.
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from './build.js';
import { bundle } from './bundle.js';
import { coverageRows, taggedTests, testOf } from './coverage-rows.js';
import { copyOfRepository } from './mutants/copy.js';

export const MUTATIONS = 'test/coverage-mutations.json';
/** The longest of these test files waits a minute for a heartbeat. */
const TIMEOUT_SECONDS = 240;

/**
 * The mutations with the tests of the rows that they are for.
 * @throws Error where a mutation is for no row or for several, or no test has the row's tag
 */
export function mutationsWithRows() {
  const rows = coverageRows();
  const tests = taggedTests();
  return JSON.parse(readFileSync(MUTATIONS, 'utf8')).map((mutation) => {
    const { section, sentence } = mutation;
    const found = rows.filter((row) => row.section === section && row.sentence === sentence);
    if (found.length !== 1) throw new Error(`${found.length} rows: ${section}: ${sentence}`);
    const test = testOf(found[0], tests);
    if (!test) throw new Error(`no test has the tag of the row: ${section}: ${sentence}`);
    return { ...mutation, test };
  });
}

/** How often a file has the text that a mutation replaces; it must be once. */
export function occurrences({ file, text }) {
  return readFileSync(file, 'utf8').split(text).length - 1;
}

/**
 * Titles of the tests that failed, from the report of a test file: those of the file, and those inside them.
 * @param {string} report in the TAP format
 */
export function failedTests(report) {
  return report.split('\n').flatMap((line) => {
    const found = /^ *not ok \d+ - (.*?)(?: # time=\S+)?(?: \{)?$/.exec(line);
    return found ? [found[1].replace(/\\([#\\])/g, '$1')] : [];
  });
}

/** Whether a test that the list names is among failed ones. */
export function isAmong(failed, { title, row = title }) {
  return [title, row].every((name) => failed.includes(name));
}

/** Compiles one source of the copy, and the bundle where the test starts a server. */
async function compile(copy, file, needsServer) {
  const { transform } = await import('esbuild');
  const { code } = await transform(readFileSync(join(copy, file), 'utf8'), {
    loader: 'ts',
    target: 'es2022',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  writeFileSync(join(copy, 'dist', file.replace(/\.ts$/, '.js')), code);
  if (needsServer) await bundle(copy, join(copy, 'dist/server'));
}

/** Makes a change in the copy, runs its test, and takes the change back. */
async function failuresWith(copy, { file, text, by, test }) {
  const source = join(copy, file);
  const original = readFileSync(source, 'utf8');
  const needsServer = test.file.startsWith('test/system/');
  writeFileSync(
    source,
    original.replace(text, () => by),
  );
  try {
    await compile(copy, file, needsServer);
    return (await run(copy, test.file)).failed;
  } finally {
    writeFileSync(source, original);
    await compile(copy, file, needsServer);
  }
}

/** Runs a test file of the copy. @returns its exit code, and titles of the tests that failed */
function run(copy, file) {
  const args = [join('dist', file.replace(/\.ts$/, '.js'))];
  const env = { ...process.env, TAP_TIMEOUT: String(TIMEOUT_SECONDS) };
  const stdio = ['ignore', 'pipe', 'ignore'];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: copy, env, stdio });
    let report = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => (report += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, failed: failedTests(report) }));
  });
}

async function main(numbers) {
  const say = (line) => process.stdout.write(`${line}\n`);
  await build('all', say);
  const chosen = mutationsWithRows()
    .map((mutation, i) => ({ ...mutation, number: i + 1 }))
    .filter(({ number }) => numbers.length === 0 || numbers.includes(number));
  const copy = copyOfRepository();
  let survivors = 0;
  for (const file of new Set(chosen.map(({ test }) => test.file))) {
    const { code, failed } = await run(copy, file);
    if (code !== 0) throw new Error(`${file} fails unchanged: ${failed.join('; ')}`);
  }
  say('Every test passes unchanged.');
  for (const mutation of chosen) {
    const { number, section, sentence, test } = mutation;
    const isNoticed = isAmong(await failuresWith(copy, mutation), test);
    if (!isNoticed) survivors++;
    say(`${isNoticed ? 'noticed ' : 'SURVIVES'} ${number} ${section}: ${sentence}`);
    if (!isNoticed) say(`         ${test.file}: ${test.title}`);
  }
  say(`${chosen.length - survivors} of ${chosen.length} noticed`);
  process.exitCode = survivors > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await main(process.argv.slice(2).map(Number));
}
