import { FLOOR, OURS, type Figures, type Result } from './harness/measuring/figures.js';

/** Figures of one target, or of one part of ours. */
interface Row {
  readonly result: Result;
  readonly target: string;
  /** Empty for the whole. */
  readonly part: string;
  readonly figures: Figures;
}

function rowsOf(results: readonly Result[]): Row[] {
  return results.flatMap((result) => {
    const { figures, floor, peers, parts = {} } = result;
    const wholes = Object.entries({ [OURS]: figures, [FLOOR]: floor, ...peers });
    return [
      ...wholes.flatMap(([target, figures]) =>
        figures === null ? [] : [{ result, target, part: '', figures }],
      ),
      ...Object.entries(parts).map(([part, figures]) => ({ result, target: OURS, part, figures })),
    ];
  });
}

/** A table with a line for each target and part, and a column for each figure that one of them has. */
export function toCsv(results: readonly Result[]): string {
  const rows = rowsOf(results);
  const names = [...new Set(rows.flatMap(({ figures }) => Object.keys(figures)))];
  const head = ['at', 'commit', 'scenario', 'point', 'clients', 'seconds', 'target', 'part'];
  const lines = rows.map(({ result, target, part, figures }) => {
    const { at, commit = '', scenario, point, clients, seconds } = result;
    const values = names.map((name) => figures[name] ?? '');
    return [at, commit, scenario, point, clients, seconds, target, part, ...values];
  });
  return [[...head, ...names], ...lines]
    .map((cells) => `${cells.map(csvCell).join(',')}\n`)
    .join('');
}

function csvCell(value: string | number): string {
  const text = String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The text format of Prometheus, for the textfile collector or a push gateway: gauges named after the figures. */
export function toPrometheus(results: readonly Result[]): string {
  const samples = new Map<string, string[]>();
  const add = (name: string, labels: Readonly<Record<string, string>>, value: number): void => {
    const pairs = Object.entries(labels).map(([key, text]) => `${key}="${labelText(text)}"`);
    const lines = samples.get(name) ?? [];
    samples.set(name, [...lines, `${name}{${pairs.join(',')}} ${value}`]);
  };
  for (const { result, target, part, figures } of rowsOf(results)) {
    const { scenario, point } = result;
    for (const [name, value] of Object.entries(figures)) {
      if (value === null) continue;
      add(`parley_bench_${name.replaceAll(/\W/g, '_')}`, { scenario, point, target, part }, value);
    }
  }
  for (const { scenario, point, goals = {} } of results) {
    for (const [goal, isMet] of Object.entries(goals)) {
      add('parley_bench_goal_met', { scenario, point, goal }, isMet ? 1 : 0);
    }
  }
  return [...samples]
    .map(([name, lines]) => `# TYPE ${name} gauge\n${lines.join('\n')}\n`)
    .join('');
}

function labelText(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
