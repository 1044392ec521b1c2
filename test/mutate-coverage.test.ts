import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';

/*
 * What scripts/mutate-coverage.js works with: its mutations fit the sources and the list of what is covered. Whether
 * tests notice them takes minutes, so that is run by hand (CONTRIBUTING.md#test).
 */

interface Row {
  readonly section: string;
}

interface TaggedTest {
  readonly title: string;
  readonly row?: string;
}

interface Mutation {
  readonly section: string;
  readonly sentence: string;
  readonly file: string;
  readonly text: string;
  readonly by: string;
}

interface Scripts {
  readonly mutationsWithRows: () => readonly Mutation[];
  readonly occurrences: (mutation: Mutation) => number;
  readonly failedTests: (report: string) => string[];
  readonly isAmong: (failed: readonly string[], test: TaggedTest) => boolean;
  readonly coverageRows: () => readonly Row[];
  readonly LEFT_OUT: string;
}

async function load(script: string): Promise<Partial<Scripts>> {
  return (await import(pathToFileURL(join('scripts', script)).href)) as Partial<Scripts>;
}

const { mutationsWithRows, occurrences, failedTests, isAmong, coverageRows, LEFT_OUT } = {
  ...(await load('mutate-coverage.js')),
  ...(await load('coverage-rows.js')),
} as Scripts;

const MUTATIONS = mutationsWithRows();
/** A sample that reaches every part of the list. */
const LEAST = 40;

void t.test('each mutation replaces a text that its file has exactly once', async (t) => {
  for (const mutation of MUTATIONS) {
    t.equal(occurrences(mutation), 1, `${mutation.file}: ${mutation.text}`);
    t.not(mutation.by, mutation.text);
  }
});

void t.test('each section of the list has a mutation', async (t) => {
  t.ok(MUTATIONS.length >= LEAST, `${MUTATIONS.length} mutations`);
  const mutated = new Set(MUTATIONS.map(({ section }) => section));
  const sections = new Set(coverageRows().map(({ section }) => section));
  t.strictSame(
    [...sections].filter((section) => !mutated.has(section)),
    [LEFT_OUT],
  );
});

void t.test('a report tells which tests failed', async (t) => {
  const report = [
    'TAP version 14',
    '# Subtest: events are told \\#1',
    '    not ok 1 - should be equal',
    '    # Subtest: color_scheme',
    '        not ok 1 - 4',
    '    not ok 2 - color_scheme # time=3.1ms',
    'not ok 1 - events are told \\#1 # time=5.2ms {',
    'ok 2 - refusals # time=1ms',
  ].join('\n');
  const failed = failedTests(report);
  t.strictSame(failed, ['should be equal', '4', 'color_scheme', 'events are told #1']);
  t.equal(isAmong(failed, { title: 'events are told #1' }), true);
  t.equal(isAmong(failed, { title: 'events are told #1', row: 'color_scheme' }), true);
  t.equal(isAmong(failed, { title: 'events are told #1', row: 'emojiset' }), false);
  t.equal(isAmong(failed, { title: 'refusals' }), false);
});
