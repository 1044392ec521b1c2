import { FLOOR, OURS, type Figures, type Result } from './harness/measuring/figures.js';

/** The tables of docs/performance.md, from the results of `run all`. */

/** Rows in the order of the page, and what the page calls them. */
const OPERATIONS: readonly (readonly [scenario: string, point: RegExp, title: string])[] = [
  ['poll-delivery', /clients/, 'poll-delivery: an event to N long polls'],
  ['poll-empty', /as many/, 'poll-empty: immediate polls, as fast as possible'],
  ['push-fanout', /clients/, 'push-fanout: an event to N sockets'],
  ['sse-fanout', /clients/, 'sse-fanout: an event to N streams of server-sent events'],
  ['push-personal', /clients/, 'push-personal: a durable change, pushed to one of N sockets'],
  ['write', /PATCH \/settings, (?!1 )/, 'write: `PATCH /settings` on disk, N in flight'],
  ['write', /POST \/messages, (?!1 )/, 'write: `POST /messages` on disk, N in flight'],
  ['render', /rich/, 'render: the same, rich Markdown of 150 bytes'],
];
const PEERS = ['nchan', 'mosquitto', 'socket.io', 'ws', 'faye'] as const;

type Row = readonly string[];

function cell(value: number | null | undefined, spread?: number): string {
  if (value === null || value === undefined) return '–';
  const range = spread === undefined ? '' : ` ±${Math.round(spread * 50)} %`;
  return value.toLocaleString('en-US') + range;
}

function figuresOf(result: Result, target: string): Figures | null {
  if (target === OURS) return result.figures;
  return target === FLOOR ? result.floor : (result.peers[target] ?? null);
}

function table(head: Row, rows: readonly Row[]): string {
  const lines = [head, head.map(() => '---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** Markdown of both tables: what operations cost, and what events and receivers do. */
export function markdownTables(results: readonly Result[]): string {
  const found = OPERATIONS.flatMap(([scenario, point, title]) => {
    const result = results.find((one) => one.scenario === scenario && point.test(one.point));
    return result ? [{ result, title: title.replace('N', String(result.clients)) }] : [];
  });
  const costs = found.map(({ result, title }) => [
    title,
    ...[OURS, FLOOR].map((target) =>
      cell(figuresOf(result, target)?.['cpu_us_per_op'], result.spread?.[target]),
    ),
    cell(result.ratios[FLOOR]),
    ...PEERS.map((peer) => cell(figuresOf(result, peer)?.['cpu_us_per_op'])),
  ]);
  const targets = [OURS, FLOOR, ...PEERS];
  const slopes = found
    .filter(({ result }) => result.figures?.['marginal_us'] !== undefined)
    .flatMap(({ result, title }) =>
      (['marginal_us', 'event_us'] as const).map((name) => [
        `${title.split(':')[0]!}: ${name === 'marginal_us' ? 'each further receiver' : 'the event itself'}`,
        ...targets.map((target) => cell(figuresOf(result, target)?.[name])),
      ]),
    );
  const others = ['nchan', 'Mosquitto', 'socket.io', 'ws', 'Faye'];
  return [
    table(['Scenario', 'Parley', 'Floor', 'over floor', ...others], costs),
    table(['Event', 'Parley', 'Floor', ...others], slopes),
  ].join('\n\n');
}
