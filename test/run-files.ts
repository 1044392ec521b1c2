import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TEST_FOLDER } from './test-files.js';

/*
 * Runs test files in one process: node dist/test/run-files.js FILE… (paths in dist/test)
 *
 * Loading the modules of a test takes longer than most tests do; files of one process load them once. Their
 * tests follow one another in the order of the files, and leave nothing behind in the process.
 */

const files = process.argv.slice(2);
// A fixture's folder is named for the arguments: twenty paths are more than a file name may hold.
process.argv.length = 3;
const { default: t } = await import('tap');
/** A test that waits in vain ends long before its process would, milliseconds; the longest takes 20 s on a quiet machine. */
const TEST_MS = 240_000;
// The time that a file sets for itself would be that of all that share the process, which has its own: each test has it.
let testMs = TEST_MS;
t.setTimeout = (ms) => void (testMs = Math.max(TEST_MS, ms));
const begin = t.test.bind(t) as (...args: unknown[]) => Promise<unknown>;
const bounded = (name: unknown, ...rest: unknown[]): Promise<unknown> => {
  const [options, run] = rest.length > 1 ? rest : [{}, ...rest];
  return begin(name, { timeout: testMs, ...(options as object) }, run);
};
t.test = bounded as typeof t.test;
const costs =
  process.env['PARLEY_TEST_COSTS'] === undefined ? null : await import('./measured-costs.js');
costs?.watchTests(t);

void t.test('the files load', async (t) => {
  // The tests they hold begin when all are loaded: what is measured in them is not the loading of others.
  for (const file of files) {
    costs?.loads(file);
    testMs = TEST_MS;
    await import(pathToFileURL(join(TEST_FOLDER, file)).href);
    t.pass(file);
  }
});
