import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { runBench } from '../../bench/command.js';
import { compareResults } from '../../bench/compare.js';
import type { Figures, Result } from '../../bench/harness/measuring/figures.js';
import { result } from './fixtures/result.js';
import { testFolder } from '../fixtures/test-folder.js';

const OPTIONS = { margin: 0.25, latency: false };

function compare(before: Figures | null, after: Figures | null, latency = false): boolean {
  const [a, b] = [result({ figures: before }), result({ figures: after })];
  return compareResults([a], [b], { ...OPTIONS, latency }).worse;
}

void t.test('a costlier operation is worse past the margin only', async (t) => {
  t.notOk(compare({ cpu_us_per_op: 20 }, { cpu_us_per_op: 24 }));
  t.ok(compare({ cpu_us_per_op: 20 }, { cpu_us_per_op: 26 }));
  t.notOk(compare({ cpu_us_per_op: 20 }, { cpu_us_per_op: 5 }));
});

void t.test('latency and throughput count on request', async (t) => {
  t.notOk(compare({ p99_ms: 1 }, { p99_ms: 9 }));
  t.ok(compare({ p99_ms: 1 }, { p99_ms: 9 }, true));
  t.ok(compare({ ops_per_second: 900 }, { ops_per_second: 100 }, true), 'less is worse there');
  t.notOk(compare({ ops_per_second: 100 }, { ops_per_second: 900 }, true));
});

void t.test('what can no longer be measured is worse', async (t) => {
  t.ok(compare({ cpu_us_per_op: 20 }, null));
  const other = result({ point: 'another' });
  const { worse, text } = compareResults([result({}), other], [result({})], OPTIONS);
  t.ok(worse);
  t.match(text, /another: MISSING/);
});

void t.test('files with nothing in common cannot be compared', async (t) => {
  t.throws(() => compareResults([], [result({})], OPTIONS), /nothing in common/);
});

void t.test('the command ends with 0 within the margin and 1 past it', async (t) => {
  const folder = testFolder(t);
  const save = async (name: string, value: Result[]): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, JSON.stringify(value));
    return path;
  };
  const a = await save('a.json', [result({ figures: { cpu_us_per_op: 20 } })]);
  const b = await save('b.json', [result({ figures: { cpu_us_per_op: 70 } })]);
  const written: string[] = [];
  t.intercept(process.stdout, 'write', {
    value: (text: string) => {
      written.push(text);
      return true;
    },
  });
  const codes = [
    await runBench(['compare', a, a]),
    await runBench(['compare', a, b]),
    await runBench(['compare', a, b, '--margin', '300']),
    await runBench(['compare', b, a]),
  ];
  t.strictSame(codes, [0, 1, 0, 0]);
  t.match(written.join(''), /cpu_us_per_op\s+20 → 70 {2}× 3.5 {2}WORSE/);
  const broken = join(folder, 'c.json');
  await writeFile(broken, '[{"scenario":1}]');
  await t.rejects(runBench(['compare', a, broken]), /no results/);
});
