import { FLOOR, OURS, type Figures, type Result } from '../harness/measuring/figures.js';
import { tableOf } from '../table.js';
import { escapeHtml, renderPlot, type Series } from './plot.js';
import { renderSeries } from './series.js';

const STYLE = `:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;max-width:76rem;margin:2rem auto;padding:0 1rem;background:#fff;color:#111827}
.table{overflow-x:auto;margin:0 0 1.5rem}
table{border-collapse:collapse;font-size:13px;line-height:1.4;font-variant-numeric:tabular-nums}
caption{text-align:left;font-weight:600;padding:.3rem 0;position:sticky;left:0;width:max-content;max-width:calc(100vw - 2rem)}
th,td{padding:.25rem .6rem;text-align:right;white-space:nowrap;border-bottom:1px solid #e5e7eb;vertical-align:top}
thead th{font-weight:600;color:#4b5563}
th:first-child{text-align:left;position:sticky;left:0;background:#fff;padding-left:0}
tbody th{font-weight:400;white-space:normal;min-width:6rem;max-width:9rem}tbody th.part{padding-left:1rem}
td.remark{text-align:left;white-space:normal;min-width:13rem;max-width:34rem}
.notes{font-size:13px;margin:-1rem 0 1.5rem;padding-left:1.2rem}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr));gap:1rem 2rem}
figure{margin:0 0 1rem}
figcaption{font-size:13px}figcaption .title{font-weight:600}
.legend{display:flex;flex-wrap:wrap;gap:0 1rem;list-style:none;margin:0;padding:0}
.legend i{display:inline-block;width:.65rem;height:.65rem;margin-right:.35rem}
svg{display:block;width:100%;max-width:28rem;font:12px system-ui,sans-serif}
svg text{fill:#374151}svg .grid{stroke:#e5e7eb}svg .end{text-anchor:end;dominant-baseline:middle}svg .mid{text-anchor:middle}
@media (prefers-color-scheme:dark){body,th:first-child{background:#111827;color:#e5e7eb}
th,td{border-color:#374151}thead th{color:#9ca3af}
svg text{fill:#d1d5db}svg .grid{stroke:#374151}svg .series,.legend i{filter:brightness(1.6)}}`;

const MOST_LABELS = 5;

/**
 * One self-contained page: the newest tables and latency distributions, cost against the number of clients and over
 * commits, and runs by the second.
 * @param nameOf what a run is called beside others of the same point
 */
export function renderPage(
  results: readonly Result[],
  nameOf: (run: Result) => string = ({ commit, at }) => commit ?? at,
): string {
  const names = [...new Set(results.map((result) => result.scenario))];
  const sections = names.map((name) =>
    renderScenario(
      name,
      results.filter((result) => result.scenario === name),
      nameOf,
    ),
  );
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width,initial-scale=1">' +
    `<title>Parley bench</title><style>${STYLE}</style></head><body><main><h1>Parley bench</h1>` +
    `${renderMachines(results)}${sections.join('')}</main></body></html>\n`
  );
}

function renderMachines(results: readonly Result[]): string {
  const lines = results.map(
    ({ at, machine }) =>
      `${at.slice(0, 10)}: ${machine.cpu}, ${machine.cores} cores, ${machine.memory_gb} GB, ` +
      `${machine.system}, Node ${machine.node}`,
  );
  return `<p>${[...new Set(lines)].map(escapeHtml).join('<br>')}</p>`;
}

function renderScenario(
  name: string,
  all: readonly Result[],
  nameOf: (run: Result) => string,
): string {
  const results = newest(all);
  const tables = results.map(renderTable).join('');
  const latencies = results.map(renderLatency).join('');
  const plots = plotsOf(renderCosts(name, results) + renderHistories(all) + latencies);
  return `<h2>${escapeHtml(name)}</h2>${tables}${plots}${renderAllSeries(all, nameOf)}`;
}

function renderTable(result: Result): string {
  const { title, rows, notes } = tableOf(result);
  const [head = [], ...body] = rows;
  const last = head.length - 1;
  const titles = head.map((text) => `<th scope="col">${escapeHtml(text)}</th>`);
  const lines = body.map(([name = '', ...cells]) => {
    const part = name.startsWith(' ') ? ' class="part"' : '';
    const values = cells.map(
      (text, i) => `<td${i + 1 === last ? ' class="remark"' : ''}>${escapeHtml(text)}</td>`,
    );
    return `<tr><th scope="row"${part}>${escapeHtml(name.trim())}</th>${values.join('')}</tr>`;
  });
  const told = notes.map((note) => `<li>${escapeHtml(note)}</li>`).join('');
  return (
    `<div class="table" tabindex="0"><table><caption>${escapeHtml(title)}</caption>` +
    `<thead><tr>${titles.join('')}</tr></thead><tbody>${lines.join('')}</tbody></table></div>` +
    (told === '' ? '' : `<ul class="notes">${told}</ul>`)
  );
}

/** Side by side where there is room. */
function plotsOf(figures: string): string {
  return figures === '' ? '' : `<div class="plots">${figures}</div>`;
}

/** What the runs of one point have in common. */
function pointOf({ point, clients }: Result): string {
  return `${point} (${clients})`;
}

/** Of each point the newest run. */
function newest(results: readonly Result[]): Result[] {
  const byTime = results.toSorted((a, b) => a.at.localeCompare(b.at));
  return [...new Map(byTime.map((result) => [pointOf(result), result])).values()];
}

/** By the second, for each point with all its runs. */
function renderAllSeries(all: readonly Result[], nameOf: (run: Result) => string): string {
  return [...new Set(all.map(pointOf))]
    .map((point) => {
      const runs = all.filter((run) => pointOf(run) === point);
      const plots = renderSeries(runs, nameOf);
      return plots === '' ? '' : `<h3>${escapeHtml(point)}</h3>${plotsOf(plots)}`;
    })
    .join('');
}

/** CPU per operation over commits, for each point that was run more than once. */
function renderHistories(results: readonly Result[]): string {
  const points = [...new Set(results.map(pointOf))];
  return points
    .map((point) => renderHistory(results.filter((result) => pointOf(result) === point)))
    .join('');
}

function renderHistory(runs: readonly Result[]): string {
  if (runs.length < 2) return '';
  const inOrder = runs.toSorted((a, b) => a.at.localeCompare(b.at));
  const line = (name: string, figuresOf: (result: Result) => Figures | null): Series => ({
    name,
    points: inOrder.flatMap((result, i) => {
      const cost = figuresOf(result)?.cpu_us_per_op;
      return cost ? [[i, cost] as const] : [];
    }),
  });
  const series = [line(OURS, ({ figures }) => figures), line(FLOOR, ({ floor }) => floor)];
  const shown = series.filter(({ points }) => points.length > 0);
  if (shown.length === 0) return '';
  // As many labels as stand beside one another.
  const every = Math.ceil(inOrder.length / MOST_LABELS);
  return renderPlot({
    title: `Over commits: ${inOrder[0]!.point}`,
    x: 'commit',
    y: 'µs',
    ticks: inOrder.flatMap(({ commit, at }, i) =>
      i % every === 0 || i === inOrder.length - 1 ? [[i, commit ?? at.slice(0, 10)] as const] : [],
    ),
    series: shown,
  });
}

/** Percentiles on an axis that gives each further nine the same room. */
function percentilePosition(percent: number): number {
  return -Math.log10(1 - Math.min(percent, 99.99) / 100);
}

const PERCENTILE_TICKS = [10, 50, 90, 99, 99.9].map(
  (percent) => [percentilePosition(percent), `p${percent}`] as const,
);

function renderLatency(result: Result): string {
  const series: Series[] = Object.entries(result.latency)
    .filter(([, points]) => points.length > 0)
    .map(([name, points]) => ({
      name,
      points: points
        .filter(([percent]) => percent <= 99.9 && percent >= 10)
        .map(([percent, ms]) => [percentilePosition(percent), ms] as const),
    }));
  if (series.length === 0) return '';
  const title = `Latency: ${result.point}`;
  return renderPlot({ title, x: 'percentile', y: 'ms', ticks: PERCENTILE_TICKS, series });
}

/** What runs of several sizes have in common: the name of their point without its numbers. */
function kindOf({ point }: Result): string {
  return point.replaceAll(/\d[\d,.]*/g, 'N');
}

/** A plot for each kind of operation: one line through several would say nothing. */
function renderCosts(scenario: string, results: readonly Result[]): string {
  const kinds = [...new Set(results.map(kindOf))];
  return kinds
    .map((kind) => {
      const own = results.filter((result) => kindOf(result) === kind);
      return renderCost(kinds.length === 1 ? scenario : `${scenario}: ${kind}`, own);
    })
    .join('');
}

/** CPU per operation against the number of clients, where runs with several numbers are there. */
function renderCost(name: string, results: readonly Result[]): string {
  const counts = [...new Set(results.map((result) => result.clients))].sort((a, b) => a - b);
  if (counts.length < 2) return '';
  const targets = new Map<string, [number, number][]>();
  const add = (name: string, clients: number, figures: Figures | null): void => {
    const cost = figures?.cpu_us_per_op;
    if (!cost) return;
    targets.set(name, [...(targets.get(name) ?? []), [Math.log10(clients), cost]]);
  };
  for (const { clients, figures, floor, peers } of results) {
    add(OURS, clients, figures);
    add(FLOOR, clients, floor);
    for (const [name, peer] of Object.entries(peers)) add(name, clients, peer);
  }
  const series = [...targets].map(([name, points]) => ({
    name,
    points: points.sort(([a], [b]) => a - b),
  }));
  if (series.length === 0) return '';
  return renderPlot({
    title: `${name}: CPU per operation`,
    x: 'clients',
    y: 'µs',
    ticks: counts.map((count) => [Math.log10(count), String(count)]),
    series,
  });
}
