import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';
import { chosenTests, startsProgram } from './chosen-tests.js';
import { GUARD_TESTS, TEST_FOLDER } from './test-files.js';

const run = (...args: string[]) => {
  const runner = join(TEST_FOLDER, 'run.js');
  return spawnSync(process.execPath, [runner, ...args], { encoding: 'utf8' });
};

void t.test('a name chooses the files with it in their paths', async (t) => {
  const journal = ['src/journal/journal.test.js'];
  t.same(chosenTests(['journal/journal.test.ts']), { files: journal, titles: null, unknown: [] });
  t.same(chosenTests(['test/src/journal/journal.test.ts']), {
    files: journal,
    titles: null,
    unknown: [],
  });
  const { files } = chosenTests(['src/store/redis/', 'journal/journal.test']);
  t.ok(files.length > 10);
  t.ok(files.every((file) => journal.includes(file) || file.startsWith('src/store/redis/')));
});

void t.test('a name that is in no path chooses tests by their titles', async (t) => {
  t.same(chosenTests(['a name that is in no path c']), {
    files: ['chosen-tests.test.js'],
    titles: String.raw`/a name that is in no path c/`,
    unknown: [],
  });
});

void t.test(
  'names that nothing matches are all told, with the nearest, and the others run',
  async (t) => {
    const told = [
      'No test is named src/jurnal/journal; the nearest is src/journal/journal.test.ts',
      'No test is named ommissions; the nearest is schemas/omissions.test.ts',
    ];
    const { files, unknown } = chosenTests(['src/jurnal/journal', 'no-enums', 'ommissions']);
    t.strictSame(files, ['no-enums.test.js']);
    t.strictSame(unknown, told);
    t.match(run('src/jurnal/journal', 'ommissions'), { status: 2, stderr: told.join('\n') });
    const some = run('schemas/lenient-list', 'ommissions');
    t.match(some, { status: 1, stdout: /^ok 1 /m });
    t.equal(some.stderr, `${told[1]}\n`);
  },
);

void t.test('the guards are named at once', async (t) => {
  t.ok(GUARD_TESTS.length > 20, `${GUARD_TESTS.length} guards`);
  for (const guard of ['schemas/omissions.test.js', 'mirror.test.js', 'src/client/types.test.js']) {
    t.ok(GUARD_TESTS.includes(guard), guard);
  }
  t.notOk(GUARD_TESTS.some((file) => startsProgram(file)));
  t.strictSame(chosenTests([], GUARD_TESTS), {
    files: [...GUARD_TESTS],
    titles: null,
    unknown: [],
  });
});

void t.test('the program is built for tests that start it', async (t) => {
  t.ok(startsProgram('system/api/socket.test.js'));
  t.notOk(startsProgram('src/journal/journal.test.js'));
});

void t.test('the runner says how it is used, and refuses what it does not know', async (t) => {
  t.match(run('--help'), { status: 0, stdout: /^Usage: npm run test:only -- \[NAME \.\.\.\]/ });
  t.match(run('--quick'), { status: 2, stderr: /^Unknown option '--quick'/ });
  t.match(run('no/such/file'), {
    status: 2,
    stderr: /^No test is named no\/such\/file; the nearest is /,
  });
});
