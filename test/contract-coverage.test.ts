import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import ts from 'typescript';
import t from 'tap';

/*
 * test/contract-coverage.md says which test stands for which sentence of the specification. Here the list is
 * held to what is there.
 */

interface Row {
  readonly section: string;
  readonly sentence: string;
  /** A tag, perhaps with a row of the test's table; of a sentence without a test what the sentence is, and why. */
  readonly cells: readonly string[];
}

interface TaggedTest {
  readonly tag: string;
  readonly file: string;
  readonly title: string | null;
  readonly row?: string;
}

interface CoverageRows {
  readonly coverageRows: (text?: string) => readonly Row[];
  readonly taggedTests: (sources?: readonly [string, string][]) => readonly TaggedTest[];
  readonly testOf: (row: Row, tests: readonly TaggedTest[]) => TaggedTest | null;
  readonly faultsOf: (rows: readonly Row[], tests: readonly TaggedTest[]) => readonly string[];
  /** Section of the sentences without a test. */
  readonly LEFT_OUT: string;
}

const { coverageRows, taggedTests, testOf, faultsOf, LEFT_OUT } = (await import(
  pathToFileURL(join('scripts', 'coverage-rows.js')).href
)) as CoverageRows;

/** Parts of the specification that the list must have. */
const PARTS =
  /^(What the service does|Resources: .+|States and transitions|Endpoints: .+|Authentication|Events: .+|Errors|Limits|Versioning|Beside the specification)$/;
const ENDPOINTS = 20;

const ROWS = coverageRows();
const COVERED = ROWS.filter(({ section }) => section !== LEFT_OUT);
const TESTS = taggedTests();

void t.test('each row has the tag of one test, and each tag has a row', async (t) => {
  t.strictSame(faultsOf(COVERED, TESTS), []);
  t.ok(COVERED.length > 400, `${COVERED.length} rows`);
});

void t.test('a table-driven test has the row of its table', async (t) => {
  const words = new Map<string, ReadonlySet<string>>();
  for (const row of COVERED) {
    const test = testOf(row, TESTS);
    if (test?.row === undefined) continue;
    const known = words.get(test.file) ?? wordsIn(test.file);
    words.set(test.file, known);
    if (!known.has(test.row)) t.fail(`${test.file} has no row "${test.row}"`);
  }
});

/** Words of a file that can stand for rows of tables. */
function wordsIn(file: string): ReadonlySet<string> {
  const words = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isIdentifier(node)) words.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022));
  return words;
}

void t.test('a fault of a row or a tag says what to write', async (t) => {
  const row = (...cells: string[]): Row => ({ section: 'Errors', sentence: 'S', cells });
  const tests = taggedTests([
    ['a.test.ts', "// [c:one]\nvoid t.test('it\\'s one', (t) => {"],
    ['b.test.ts', '  // [c:two]\n  await t.test(\n    `two`,'],
    ['c.test.ts', '// [c:three]\nconst x = 1;\n// [c:one]\nvoid t.test("again", (t) => {'],
  ]);
  t.strictSame(tests.slice(0, 2), [
    { tag: 'one', file: 'a.test.ts', title: "it's one" },
    { tag: 'two', file: 'b.test.ts', title: 'two' },
  ]);
  t.strictSame(testOf(row('[c:two] › color'), tests), {
    tag: 'two',
    file: 'b.test.ts',
    title: 'two',
    row: 'color',
  });
  t.strictSame(
    faultsOf(
      [row('[c:one]'), row('a.test.ts', "it's one"), row("it's one"), row('[c:four]')],
      tests,
    ),
    [
      'S: choose a tag, write // [c:tag] above the test "it\'s one" in a.test.ts, and [c:tag] as the second and last cell of the row',
      'S: choose a tag, write // [c:tag] above the test "it\'s one" in the file, and [c:tag] as the second and last cell of the row',
      'S: write // [c:four] above the test that fails when this is false',
      'b.test.ts: no row of test/contract-coverage.md names [c:two]; add one',
      'c.test.ts: [c:one] is in a.test.ts, too; choose another tag',
      'c.test.ts: // [c:three] is not directly above a test, or is no tag',
    ],
  );
});

void t.test('every part of the specification has its rows', (t) => {
  const sections = [...new Set(COVERED.map(({ section }) => section))];
  t.same(
    sections.filter((section) => !PARTS.test(section)),
    [],
  );
  const numbers = sections.flatMap((section) => /^Endpoints: (\d+)\./.exec(section)?.[1] ?? []);
  t.same(
    numbers,
    Array.from({ length: ENDPOINTS }, (_, i) => String(i + 1)),
  );
  t.end();
});

void t.test('what has no test has a reason', (t) => {
  for (const { section, cells } of ROWS) {
    const [sentence = '', reason = ''] = cells;
    if (section === LEFT_OUT) t.ok(reason.length > 20, sentence);
  }
  t.end();
});
