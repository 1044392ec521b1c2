/*
 * Reads test/contract-coverage.md: which test stands for which sentence of the specification. For the test of
 * that list, and for scripts/mutate-coverage.js.
 */
import { readFileSync } from 'node:fs';

export const COVERAGE = 'test/contract-coverage.md';
/** Section of the sentences without a test; their rows say why. */
export const LEFT_OUT = 'Without a test';

/** The rows of the list in their order: `section`, `sentence`, `file` and `test` (`name` or `name › row`). */
export function coverageRows(text = readFileSync(COVERAGE, 'utf8')) {
  let section = '';
  const rows = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('## ')) section = line.slice(3);
    if (!line.startsWith('|') || /^\| (sentence|section|-+) /.test(line)) continue;
    const [sentence = '', file = '', test = ''] = cellsOf(line);
    rows.push({ section, sentence, file, test });
  }
  return rows;
}

function cellsOf(line) {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}
