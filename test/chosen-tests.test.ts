import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { chosenTests, startsProgram } from './chosen-tests.js';
import { TEST_FOLDER } from './test-files.js';

void t.test('a name chooses the files with it in their paths', async (t) => {
  const journal = ['src/journal/journal.test.js'];
  t.same(chosenTests(['journal/journal.test.ts']), { files: journal, titles: null });
  t.same(chosenTests(['test/src/journal/journal.test.ts']), { files: journal, titles: null });
  const { files } = chosenTests(['src/store/redis/', 'journal/journal.test']);
  t.ok(files.length > 10);
  t.ok(files.every((file) => journal.includes(file) || file.startsWith('src/store/redis/')));
});

void t.test('a name that is in no path chooses tests by their titles', async (t) => {
  t.same(chosenTests(['a name that is in no path c']), {
    files: ['chosen-tests.test.js'],
    titles: String.raw`/a name that is in no path c/`,
  });
  t.throws(() => chosenTests(['no test has this name or titl' + 'e']), {
    message: 'No test is named no test has this name or title',
  });
});

void t.test('the program is built for tests that start it', async (t) => {
  t.ok(startsProgram('system/api/socket.test.js'));
  t.notOk(startsProgram('src/journal/journal.test.js'));
});

void t.test('the runner says how it is used, and refuses what it does not know', async (t) => {
  const run = (...args: string[]) => {
    const runner = join(TEST_FOLDER, 'run.js');
    return spawnSync(process.execPath, [runner, ...args], { encoding: 'utf8' });
  };
  t.match(run('--help'), { status: 0, stdout: /^Usage: npm run test:only -- \[NAME \.\.\.\]/ });
  t.match(run('--quick'), { status: 2, stderr: /^Unknown option '--quick'/ });
  t.match(run('no/such/file'), { status: 2, stderr: /^No test is named no\/such\/file\n/ });
});
