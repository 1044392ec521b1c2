import t from 'tap';
import { MAX_TABLE_CELLS } from '../../../../src/services/markdown/tables.js';
import { html } from './fixtures.js';

void t.test('a table aligns its columns by the colons of its second line', async (t) => {
  t.equal(
    html('|a|b|c|\n|:-|:-:|-|\n|1|**2**|3|'),
    '<table>\n<thead>\n<tr>\n<th style="text-align: left;">a</th>\n' +
      '<th style="text-align: center;">b</th>\n<th>c</th>\n</tr>\n</thead>\n' +
      '<tbody>\n<tr>\n<td style="text-align: left;">1</td>\n' +
      '<td style="text-align: center;"><strong>2</strong></td>\n<td>3</td>\n</tr>\n' +
      '</tbody>\n</table>',
  );
});

void t.test('a table of headings alone has a row of empty cells', async (t) => {
  t.equal(
    html('> |a|b|\n> |-|:-:|\n\n|c|\n|-|'),
    '<blockquote>\n<table>\n<thead>\n<tr>\n<th>a</th>\n<th style="text-align: center;">b</th>\n' +
      '</tr>\n</thead>\n<tbody>\n<tr>\n<td></td>\n<td style="text-align: center;"></td>\n</tr>\n' +
      '</tbody>\n</table>\n</blockquote>\n' +
      '<table>\n<thead>\n<tr>\n<th>c</th>\n</tr>\n</thead>\n' +
      '<tbody>\n<tr>\n<td></td>\n</tr>\n</tbody>\n</table>',
  );
});

void t.test('a table that would fill up to too many cells stays text', async (t) => {
  const table = (columns: number, rows: number): string =>
    `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n${'|\n'.repeat(rows)}`;
  t.match(html(table(20, 50)), /<table>/);
  t.match(html(table(200, 500)), /^<p>\|a\|a[^<]*<br>\n\|-\|-/);
  const cells = html(table(40, 40).concat('\n').repeat(10)).match(/<t[hd]>/g) ?? [];
  t.ok(cells.length > 0 && cells.length <= MAX_TABLE_CELLS, 'the limit is for the whole message');
});

void t.test('a bar in code ends no cell, as in Python-Markdown', async (t) => {
  const cells = (row: string): string[] =>
    [...html(`a | b\n--- | ---\n${row}`).matchAll(/<td>(.*?)<\/td>/g)].map(([, cell]) => cell!);
  for (const [row, ...expected] of [
    ['`x|y` | z', '<code>x|y</code>', 'z'],
    ['| `x|y` | `` ` | `` |', '<code>x|y</code>', '<code> ` | </code>'],
    ['`x | y', '`x', 'y'],
    ['`x | ``y`', '<code>x | ``y</code>', ''],
    ['x | `y|', 'x', '`y'],
    ['\\`x | y`', '`x', 'y`'],
    ['`x\\|y` | z', '<code>x\\|y</code>', 'z'],
  ] as [string, ...string[]][]) {
    t.same(cells(row), expected, row);
  }
  for (const [row, ...expected] of [
    ['a\\\\|b', 'a\\', 'b'],
    ['a\\|b | c', 'a|b', 'c'],
    ['a\\\\\\|b | c', 'a\\|b', 'c'],
    ['a\\\\b | c', 'a\\b', 'c'],
    ['`a\\\\|b` | c', '<code>a\\\\|b</code>', 'c'],
    ['| \\\\ | \\\\|', '\\', '\\'],
  ] as [string, ...string[]][]) {
    t.same(cells(row), expected, row);
  }
  t.match(html('a `|` b | c\n--- | ---\nd | e'), /<th>a <code>\|<\/code> b<\/th>\n<th>c<\/th>/);
  t.match(html('`a|b`\n\n--- | ---'), /<p><code>a\|b<\/code><\/p>/);
});
