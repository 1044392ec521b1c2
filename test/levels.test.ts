import { existsSync, readFileSync } from 'node:fs';
import t from 'tap';
import { FEATURE_LEVEL } from '../schemas/limits.js';

/*
 * docs/contract/levels.md says what each feature level changed, what this server does, and which test shows it. Here
 * the list is held to be whole, and the tests to be there.
 */

interface Row {
  readonly level: number;
  readonly here: string;
  readonly tests: readonly string[];
}

const PAGE = readFileSync('docs/contract/levels.md', 'utf8');

const ROWS: readonly Row[] = PAGE.split('\n').flatMap((line) => {
  const [, level = '', , here = '', tests = ''] = line.split('|').map((cell) => cell.trim());
  if (!/^\d+$/.test(level)) return [];
  return [{ level: Number(level), here, tests: tests.match(/[^`, ]+/g) ?? [] }];
});

/** The first level that the list is about. */
const FIRST = 248;

/** Levels of the sentence that names those without a change. */
function without(): number[] {
  const [, sentence = ''] = /^No change has level (.*)\.$/m.exec(PAGE) ?? [];
  return [...sentence.matchAll(/(\d+)(?: to (\d+))?/g)].flatMap(([, from, to = from]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_, i) => Number(from) + i),
  );
}

void t.test('every level from 248 to the announced one is there once, in order', (t) => {
  const levels = ROWS.map(({ level }) => level);
  const all = Array.from({ length: FEATURE_LEVEL - FIRST + 1 }, (_, i) => FIRST + i);
  t.strictSame(
    levels,
    all.filter((level) => !without().includes(level)),
  );
  t.equal(levels.length, 241);
  t.end();
});

void t.test('each test that is named is there, and what is promised has one', (t) => {
  for (const { level, here, tests } of ROWS) {
    for (const test of tests) t.ok(existsSync(`test/${test}.test.ts`), `${level}: ${test}`);
    if (/^(yes|kept|refused)/.test(here)) t.ok(tests.length > 0, `${level} has a test`);
  }
  t.end();
});

void t.test('each row says what the legend explains, or names another level', (t) => {
  const words =
    /^(?:|(?:yes|kept|not yet|refused|n\/a|wider|as \d+)(?:$|[ ,;:]).*|.*\b(?:yes|refused|not yet|only everyone)\b.*)$/;
  t.strictSame(
    ROWS.filter(({ here }) => !words.test(here)).map(({ level }) => level),
    [],
  );
  t.end();
});
