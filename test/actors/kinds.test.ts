import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import t from 'tap';
import { shownCharts, STORED_KINDS, withAllStates } from '../../actors/kinds.js';
import { chartLines, mermaidOf, stateChart } from '../../actors/state-chart.js';

interface Script {
  readonly PAGE: string;
  readonly withCharts: (page: string, drawn: ReadonlyMap<string, string>) => string;
}

const { PAGE, withCharts } = (await import(
  pathToFileURL(join('scripts', 'actor-charts.js')).href
)) as Script;

void t.test('the page has the chart of each machine as the machine is', (t) => {
  const page = readFileSync(PAGE, 'utf8');
  const drawn = new Map(shownCharts().map((chart) => [chart.machine, mermaidOf(chart)]));
  t.equal(withCharts(page, drawn), page, 'run node scripts/actor-charts.js');
  for (const machine of drawn.keys()) t.match(page, `<!-- chart of ${machine} -->`);
  t.throws(() => withCharts(page, new Map()), /There is no machine/);
  t.end();
});

void t.test('the page says of each state what it means, and of no other', (t) => {
  const page = readFileSync(PAGE, 'utf8');
  for (const { machine, states } of shownCharts()) {
    const [, section = ''] =
      new RegExp(`<!-- chart of ${machine} -->[^]*?<!-- end of chart -->([^]*?)(\\n## |$)`).exec(
        page,
      ) ?? [];
    const rows = [...section.matchAll(/^\| `(\w+)` +\| \S.* \| \S.* \|$/gm)].map(
      ([, name]) => name!,
    );
    t.same(rows.sort(), states.map(({ state_name: name }) => name).sort(), machine);
  }
  t.end();
});

void t.test('a chart in words, with the state of an actor marked', (t) => {
  const kind = STORED_KINDS.find(({ name }) => name === 'scheduled-message')!;
  t.strictSame(chartLines(stateChart(kind), 'failed'), [
    '  pending     deadline → delivering, edit → pending, cancel → cancelled',
    '  delivering  delivered → sent, refused → failed',
    '> failed      edit → pending, cancel → cancelled',
    '  sent        the end',
    '  cancelled   the end',
  ]);
  t.end();
});

void t.test('a chart for Mermaid has one arrow from a state to another', (t) => {
  const kind = STORED_KINDS.find(({ name }) => name === 'scheduled-message')!;
  t.equal(
    mermaidOf(stateChart(kind)),
    `stateDiagram-v2
  [*] --> pending
  pending --> delivering: deadline
  pending --> pending: edit
  pending --> cancelled: cancel
  delivering --> sent: delivered
  delivering --> failed: refused
  failed --> pending: edit
  failed --> cancelled: cancel
  sent --> [*]
  cancelled --> [*]`,
  );
  t.end();
});

void t.test('each state that lasts is counted, at 0 too', (t) => {
  t.strictSame(withAllStates('topic-deletion', { partial: 2 }), { deleting: 0, partial: 2 });
  t.end();
});
