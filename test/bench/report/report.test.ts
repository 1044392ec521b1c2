import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { renderPage } from '../../../bench/report/page.js';
import { writeReport } from '../../../bench/report/report.js';
import { result } from '../fixtures/result.js';
import { testFolder } from '../../fixtures/test-folder.js';

const LATENCY = {
  parley: [
    [50, 1],
    [99, 8],
  ],
  floor: [
    [50, 0.5],
    [99, 3],
  ],
} as const;

void t.test('the page holds tables, latencies, and cost by number of clients', async (t) => {
  const folder = testFolder(t);
  const at = (clients: number, cpu: number) =>
    result({
      clients,
      point: `<${clients}> clients`,
      figures: { cpu_us_per_op: cpu },
      floor: { cpu_us_per_op: cpu / 2 },
      latency: LATENCY,
    });
  await writeFile(join(folder, 'a.json'), JSON.stringify([at(100, 20)]));
  await writeFile(join(folder, 'b.json'), JSON.stringify([at(1000, 30)]));
  const page = await readFile(await writeReport([folder], null), 'utf8');
  t.equal(page.match(/<table>/g)?.length, 2);
  t.equal(page.match(/<svg/g)?.length, 3, 'two of latency, one of cost');
  t.match(page, /CPU per operation/);
  t.notOk(page.includes('<100>'), 'text is escaped');
  t.notOk(/NaN|Infinity/.test(page));
  t.notOk(/(src|href)=/.test(page), 'self-contained');
});

void t.test('runs of several commits become a history, and the newest is shown', async (t) => {
  const folder = testFolder(t);
  const run = (day: number, commit: string, cpu: number) =>
    result({
      at: `2026-01-0${day}T00:00:00.000Z`,
      commit,
      figures: { cpu_us_per_op: cpu },
      latency: { parley: [] },
    });
  await writeFile(join(folder, 'new.json'), JSON.stringify([run(3, 'cafe0003', 33)]));
  const old = [run(1, 'cafe0001', 11), run(2, 'cafe0002', 22)];
  await writeFile(join(folder, 'old.json'), JSON.stringify(old));
  const page = await readFile(await writeReport([folder], null), 'utf8');
  t.equal(page.match(/<table>/g)?.length, 1);
  const [, tables = '', history = ''] = /<table>(.*?)<\/table>(.*)/s.exec(page) ?? [];
  t.match(tables, '<th scope="row">parley</th><td>33</td>');
  t.match(history, /Over commits: 100 clients.*cafe0001.*cafe0002.*cafe0003/s);
});

void t.test('files may be named, too, and the page lies beside the first', async (t) => {
  const folder = testFolder(t);
  for (const name of ['one', 'two', 'three']) {
    await writeFile(join(folder, `${name}.json`), JSON.stringify([result({ point: name })]));
  }
  const files = [join(folder, 'two.json'), join(folder, 'one.json')];
  t.equal(await writeReport(files, null), join(folder, 'report.html'));
  const page = await readFile(join(folder, 'report.html'), 'utf8');
  t.match(page, /poll-delivery: two.*poll-delivery: one/s);
  t.notMatch(page, 'poll-delivery: three');
});

void t.test('a folder without results is refused', async (t) => {
  await t.rejects(writeReport([testFolder(t)], null), /no JSON files/);
});

void t.test(
  'each kind of operation has a plot of its own, over the sizes that it was run with',
  async (t) => {
    const at = (point: string, clients: number) => result({ scenario: 'bulk', point, clients });
    const page = renderPage([
      at('move a topic of 2000 messages', 50_000),
      at('subscribe 2000 users', 50_000),
      at('move a topic of 10,000 messages', 500_000),
      at('subscribe 10,000 users', 500_000),
    ]);
    const titles = [...page.matchAll(/class="title">([^<]+: CPU per operation)</g)].map(
      (found) => found[1],
    );
    t.same(titles, [
      'bulk: move a topic of N messages: CPU per operation',
      'bulk: subscribe N users: CPU per operation',
    ]);
  },
);

void t.test(
  'runs by the second stand on one plot for each measure, named by their files',
  async (t) => {
    const folder = testFolder(t);
    const run = (cpu: number) => {
      const second = { operations: 100, errors: 0, p99_ms: 5, cpu_share: cpu, rss_mb: 90 };
      const seconds = Array.from({ length: 6 }, () => ({ ...second, loop_ms: null }));
      return result({ series: { parley: seconds } });
    };
    await writeFile(join(folder, 'before.json'), JSON.stringify([run(0.5)]));
    await writeFile(join(folder, 'after.json'), JSON.stringify([run(0.25)]));
    const page = await readFile(await writeReport([folder], null), 'utf8');
    const plots = [...page.matchAll(/class="title">By the second: ([^<]+)<.*?<\/figure>/g)];
    t.strictSame(
      plots.map(([, measure]) => measure),
      ['operations', 'p99', 'CPU', 'memory'],
      'none of what nobody knows, or of what did not happen',
    );
    for (const [plot] of plots) t.match(plot, />after<.*>before</);
    t.equal(plots[2]![0].match(/<circle/g)?.length, 12, 'each second of both');
    t.notOk(/NaN|Infinity/.test(page));
  },
);
