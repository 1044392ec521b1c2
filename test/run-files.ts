import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { TEST_FOLDER } from './test-files.js';

/*
 * Runs test files in one process: node dist/test/run-files.js FILE… (paths in dist/test)
 *
 * Loading the modules of a test takes longer than most tests do; files of one process load them once. Their
 * tests follow one another in the order of the files, and leave nothing behind in the process.
 */

void t.test('the files load', async (t) => {
  // The tests they hold begin when all are loaded: what is measured in them is not the loading of others.
  for (const file of process.argv.slice(2)) {
    await import(pathToFileURL(join(TEST_FOLDER, file)).href);
    t.pass(file);
  }
});
