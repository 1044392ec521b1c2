/*
 * Reads test/contract-coverage.md: which test stands for which sentence of the specification. For the test of
 * that list, and for scripts/mutate-coverage.js.
 *
 * A row names a test by its tag, which is a comment above the test: `// [c:delete-topic]`.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export const COVERAGE = 'test/contract-coverage.md';
/** Section of the sentences without a test; their rows say why. */
export const LEFT_OUT = 'Without a test';

/** What a row has beside its sentence: a tag, and for a table-driven test the row of its table. */
const CELL = /^\[c:([a-z0-9-]+)\](?: › (.+))?$/;
const TAGS = /^ *\/\/ \[c:.*$/gm;
const TAGGED =
  /^ *\/\/ \[c:([a-z0-9-]+)\]\n\s*(?:void |await )?\w+\.test\(\s*(['"`])((?:\\.|(?!\2).)*)\2/gm;

/** The rows of the list in their order: section, sentence, and the cells beside the sentence. */
export function coverageRows(text = readFileSync(COVERAGE, 'utf8')) {
  let section = '';
  const rows = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('## ')) section = line.slice(3);
    if (!line.startsWith('|') || /^\| (sentence|section|-+) /.test(line)) continue;
    const [sentence = '', ...cells] = cellsOf(line);
    rows.push({ section, sentence, cells });
  }
  return rows;
}

/** The tests with a tag: tag, file and title; a tag that is above no test has no title. */
export function taggedTests(sources = testSources()) {
  return sources.flatMap(([file, text]) => {
    const tests = [...text.matchAll(TAGGED)].map(([, tag, , title]) => ({
      tag,
      file,
      title: title.replace(/\\(.)/g, '$1'),
    }));
    const stray = text
      .match(TAGS)
      ?.filter((line) => !tests.some(({ tag }) => line.includes(`[c:${tag}]`)));
    return [...tests, ...(stray ?? []).map((line) => ({ tag: line.trim(), file, title: null }))];
  });
}

/** The test of a row: its file, its title, and the row of its table; null if no test has the tag. */
export function testOf({ cells }, tests) {
  const [, tag, row] = CELL.exec(cells[0]) ?? [];
  const test = tests.find((one) => one.tag === tag);
  return test ? { ...test, row } : null;
}

/** What is wrong with the list and the tags, each with what to write instead. */
export function faultsOf(rows, tests) {
  const named = new Set();
  const faults = rows.flatMap(({ sentence, cells }) => {
    const [, tag] = CELL.exec(cells[0]) ?? [];
    if (tag === undefined || cells.length > 1) {
      const [file, title] = cells.length > 1 ? cells : ['the file', cells[0]];
      return [
        `${sentence}: choose a tag, write // [c:tag] above the test "${title}" in ${file}, and [c:tag] as the second and last cell of the row`,
      ];
    }
    named.add(tag);
    if (tests.some((one) => one.tag === tag)) return [];
    return [`${sentence}: write // [c:${tag}] above the test that fails when this is false`];
  });
  const seen = new Map();
  for (const { tag, file, title } of tests) {
    if (title === null) faults.push(`${file}: ${tag} is not directly above a test, or is no tag`);
    else if (seen.has(tag))
      faults.push(`${file}: [c:${tag}] is in ${seen.get(tag)}, too; choose another tag`);
    else if (!named.has(tag))
      faults.push(`${file}: no row of ${COVERAGE} names [c:${tag}]; add one`);
    seen.set(tag, file);
  }
  return faults;
}

function testSources() {
  return readdirSync('test', { recursive: true })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => [join('test', file), readFileSync(join('test', file), 'utf8')]);
}

function cellsOf(line) {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}
