import { FLOOR, OURS, type Figures, type Result } from './harness/measuring/figures.js';
import { WIDE } from './repetition.js';

/** Figures that have a column of their own; others follow the row as `name value`. */
const COLUMNS = [
  ['cpu_us_per_op', 'CPU µs/op'],
  ['ops_per_second', 'ops/s'],
  ['missed_percent', 'missed %'],
  ['p50_ms', 'p50 ms'],
  ['p90_ms', 'p90 ms'],
  ['p99_ms', 'p99 ms'],
  ['p99_9_ms', 'p99.9 ms'],
  ['max_ms', 'max ms'],
  ['errors', 'errors'],
  ['bytes_per_op', 'bytes/op'],
] as const;
const UNSHOWN = new Set(['cpu_share', 'wait_share', 'rss_mb', 'operations', 'errors_percent']);
/** A main thread that waited for a processor for less is not worth a word, as a share of the time. */
const MUCH_WAITING = 0.05;

function cell(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : String(value);
}

function extras(figures: Figures): string {
  const shown = new Set<string>(COLUMNS.map(([name]) => name));
  return Object.entries(figures)
    .filter(([name, value]) => !shown.has(name) && !UNSHOWN.has(name) && value !== null)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

function notes(result: Result, target: string, figures: Figures | null): string {
  const reason = result.refused[target];
  if (!figures) return `refused: ${reason ?? ''}`;
  const { wait_share: waited = null } = figures;
  const texts = [extras(figures), reason ?? ''];
  if (waited !== null && waited >= MUCH_WAITING) {
    texts.push(`waited for a core ${percent(waited)} of the time`);
  }
  if ((result.spread?.[target] ?? 0) > WIDE) texts.push('the runs lie too far apart to compare');
  return texts.filter((text) => text !== '').join('; ');
}

function row(result: Result, target: string, figures: Figures | null): string[] {
  const ratio = result.ratios[target];
  const version = result.versions[target];
  return [
    version ? `${target} ${version}` : target,
    ...COLUMNS.map(([name]) => cell(figures?.[name]) + spreadOf(result, target, name)),
    ratio === undefined ? '' : `${ratio} ×`,
    notes(result, target, figures),
  ];
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Half of what CPU per operation lay apart in several runs; empty for other figures, and for one run. */
function spreadOf({ spread }: Result, target: string, name: string): string {
  const range = name === 'cpu_us_per_op' ? spread?.[target] : undefined;
  return range === undefined ? '' : ` ±${percent(range / 2)}`;
}

/** Texts in columns; numbers to the right. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((cells) => cells[i]!.length)));
  return rows
    .map((cells) =>
      cells
        .map((text, i) =>
          i === 0 || i === cells.length - 1 ? text.padEnd(widths[i]!) : text.padStart(widths[i]!),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Without the columns that have nothing but a title. */
function withoutEmpty(rows: readonly (readonly string[])[]): string[][] {
  const isUsed = rows[0]!.map((title, i) => {
    const values = rows.slice(1).map((cells) => cells[i]!);
    return title === '' || values.some((text) => text !== '' && text !== cell(null));
  });
  return rows.map((cells) => cells.filter((_, i) => isUsed[i]));
}

export interface Table {
  readonly title: string;
  /** The first is of the titles; the first cell of the others is a name, the last one a remark. */
  readonly rows: readonly (readonly string[])[];
  readonly notes: readonly string[];
}

/** One scenario point: ours, the floor and the peers. */
export function tableOf(result: Result): Table {
  const rows: string[][] = [['', ...COLUMNS.map(([, title]) => title), 'ours/this', '']];
  const has = (target: string) => target in result.latency;
  if (has(OURS)) rows.push(row(result, OURS, result.figures));
  if (has(FLOOR)) rows.push(row(result, FLOOR, result.floor));
  for (const [name, figures] of Object.entries(result.parts ?? {})) {
    rows.push([`  ${name}`, ...row(result, '', figures).slice(1)]);
  }
  for (const [name, figures] of Object.entries(result.peers)) rows.push(row(result, name, figures));
  const runs = result.runs === undefined ? '' : `, medians of ${result.runs} runs`;
  return {
    title: `${result.scenario}: ${result.point}, ${result.seconds} s${runs}`,
    rows: withoutEmpty(rows),
    notes: result.notes ?? [],
  };
}

/** The same as text. */
export function formatResult(result: Result): string {
  const { title, rows, notes } = tableOf(result);
  return [title, aligned(rows), ...notes, ''].join('\n');
}
