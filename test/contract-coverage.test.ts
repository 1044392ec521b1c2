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
  readonly file: string;
  /** The name of a test, or of a table-driven one and of the row in its table. */
  readonly test: string;
}

interface CoverageRows {
  readonly coverageRows: () => readonly Row[];
  /** Section of the sentences without a test. */
  readonly LEFT_OUT: string;
}

const { coverageRows, LEFT_OUT } = (await import(
  pathToFileURL(join('scripts', 'coverage-rows.js')).href
)) as CoverageRows;

/** Parts of the specification that the list must have. */
const PARTS =
  /^(What the service does|Resources: .+|States and transitions|Endpoints: .+|Authentication|Events: .+|Errors|Limits|Versioning)$/;
const ENDPOINTS = 20;

/** What a file has: names of tests, and words that can stand for rows of tables. */
interface Names {
  readonly tests: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
}

function namesIn(file: string): Names {
  const tests = new Set<string>();
  const words = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isIdentifier(node)) words.add(node.text);
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const [name] = node.arguments;
      const isTest = node.expression.name.text === 'test';
      if (isTest && name && ts.isStringLiteralLike(name)) tests.add(name.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ES2022));
  return { tests, words };
}

const ROWS = coverageRows();
const COVERED = ROWS.filter(({ section }) => section !== LEFT_OUT);

void t.test('every test that is named is there', (t) => {
  const files = new Map<string, Names>();
  const known = (file: string): Names => {
    const names = files.get(file) ?? namesIn(file);
    files.set(file, names);
    return names;
  };
  for (const { sentence, file, test } of COVERED) {
    const [name = '', row] = test.split(' › ');
    const { tests, words } = known(file);
    if (!tests.has(name)) t.fail(`${file} has no test "${name}" (${sentence})`);
    if (row !== undefined && !words.has(row)) t.fail(`${file} has no row "${row}"`);
  }
  t.ok(COVERED.length > 400, `${COVERED.length} rows`);
  t.end();
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
  for (const { section, sentence, file, test: reason } of ROWS) {
    if (section === LEFT_OUT) t.ok(reason.length > 20, `${sentence}: ${file}`);
  }
  t.end();
});
