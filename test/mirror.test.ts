import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { mirrored, SHORT_LINES, STATED, statement, testOf } from './mirror-rules.js';

/* Each source has its test where `mirror-rules.ts` says. */

/** Run in a process or thread of their own, which no import shows. */
const APART: ReadonlySet<string> = new Set([
  'src/services/pictures/resize.ts',
  'src/services/search-index/search-thread.ts',
  'src/services/incoming-mail/mail-thread.ts',
]);

interface Rules {
  readonly sourceFiles: () => readonly string[];
  readonly importsOf: (file: string) => readonly string[];
}

const { sourceFiles, importsOf } = (await import(
  pathToFileURL(join('scripts', 'import-rules.js')).href
)) as Rules;

/** Files of consequence. */
const SOURCES = sourceFiles().filter(
  (file) =>
    /^(src|actors)\//.test(file) && readFileSync(file, 'utf8').split('\n').length - 1 > SHORT_LINES,
);

/** Sources without a mirrored test, by their statement. */
const STATEMENTS = new Map<string | undefined, string[]>();
for (const source of SOURCES) {
  if (mirrored(source) !== undefined) continue;
  const beginning = statement(source);
  STATEMENTS.set(beginning, [...(STATEMENTS.get(beginning) ?? []), source]);
}

void t.test('each source of consequence has its test at the mirrored path or a stated one', (t) => {
  t.ok(SOURCES.length > 300, `${SOURCES.length} sources`);
  t.strictSame(STATEMENTS.get(undefined) ?? [], []);
  t.end();
});

void t.test('each stated place is needed, is there, and reaches what it is stated for', (t) => {
  for (const [beginning, place] of Object.entries(STATED)) {
    const test = `test/${place}.test.ts`;
    const sources = STATEMENTS.get(beginning) ?? [];
    t.ok(sources.length > 0, `${beginning} is needed`);
    t.ok(existsSync(test), test);
    // Tests of the whole process start the program, which has everything.
    if (place.startsWith('system/')) continue;
    const reached = reachedFrom(test);
    t.strictSame(
      sources.filter((source) => !reached.has(source) && !APART.has(source)),
      [],
      `${test} reaches ${beginning}`,
    );
  }
  t.end();
});

void t.test('whoever changes a file is told its test', async (t) => {
  const tests = {
    'test/src/journal/journal.test.ts': 'src/journal/journal.test.ts',
    'src/journal/journal.ts': 'src/journal/journal.test.ts',
    // A file of rules: beside the handlers of its area.
    'src/organization/realm/linkifiers.ts': 'src/resources/realm/linkifiers.test.ts',
    'src/services/calls/zoom.ts': 'src/resources/realm/video-calls.test.ts',
    'schemas/users/user-settings.ts': 'schemas/users/user-settings.test.ts',
    'test/chosen-tests.ts': 'chosen-tests.test.ts',
    'schemas/limits.ts': null,
  };
  for (const [file, test] of Object.entries(tests)) t.equal(testOf(file), test, file);
});

/** Every file that a file imports, directly or through others. */
function reachedFrom(file: string): Set<string> {
  const reached = new Set([file]);
  for (const one of reached) for (const target of importsOf(one)) reached.add(target);
  return reached;
}
