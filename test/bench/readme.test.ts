/** The page of the bench explains what can be run. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { SCENARIOS } from '../../bench/catalogue.js';

void t.test('every scenario has its row, with the size of a full run', async (t) => {
  const page = readFileSync('bench/README.md', 'utf8');
  const rows = [...page.matchAll(/^\| `([a-z-]+)` +\| .*?\(([\d,]+)\)/gm)].map(([, name, size]) => {
    return [name!, Number(size!.replaceAll(',', ''))] as const;
  });
  const wanted = SCENARIOS.map(({ name, full }) => [name, full.clients] as const);
  t.strictSame(new Map(rows), new Map(wanted));
});
