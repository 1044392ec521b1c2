import { OURS, type Result, type Second } from '../harness/measuring/figures.js';
import { renderPlot, type Plot, type Series } from './plot.js';

/** Shorter windows have nothing that changes. */
const FEWEST_SECONDS = 5;
const MOST_TICKS = 10;

/** What is shown of each second. */
const MEASURES: readonly { title: string; y: string; of: (second: Second) => number | null }[] = [
  { title: 'operations', y: '1/s', of: ({ operations }) => operations },
  { title: 'errors', y: '1/s', of: ({ errors }) => errors },
  { title: 'p99', y: 'ms', of: ({ p99_ms }) => p99_ms },
  { title: 'CPU', y: 'cores', of: ({ cpu_share }) => cpu_share },
  { title: 'memory', y: 'MB', of: ({ rss_mb }) => rss_mb },
  { title: 'event loop delay', y: 'ms', of: ({ loop_ms }) => loop_ms },
];

interface Line {
  readonly name: string;
  readonly seconds: readonly Second[];
}

/**
 * How one point went second by second: one run with all its targets, or ours of several runs.
 * @param nameOf what a run is called
 */
export function renderSeries(runs: readonly Result[], nameOf: (run: Result) => string): string {
  const lines: Line[] = runs.flatMap((run) =>
    Object.entries(run.series ?? {}).flatMap(([target, seconds]) => {
      if (seconds.length < FEWEST_SECONDS || (runs.length > 1 && target !== OURS)) return [];
      return [{ name: runs.length > 1 ? nameOf(run) : target, seconds }];
    }),
  );
  if (lines.length === 0) return '';
  const plots = MEASURES.map(({ title, y, of }) => plotOf(`By the second: ${title}`, y, lines, of));
  return plots.map((plot) => (plot ? renderPlot(plot) : '')).join('');
}

/** Null where nobody could tell, or nothing happened. */
function plotOf(
  title: string,
  y: string,
  lines: readonly Line[],
  of: (second: Second) => number | null,
): Plot | null {
  const series = lines.map(({ name, seconds }): Series => ({
    name,
    points: seconds.flatMap((second, i) => {
      const value = of(second);
      return value === null ? [] : [[i + 1, value] as const];
    }),
  }));
  if (!series.some(({ points }) => points.some(([, value]) => value > 0))) return null;
  const length = Math.max(...lines.map(({ seconds }) => seconds.length));
  const every = Math.ceil(length / MOST_TICKS);
  const ticks = Array.from({ length }, (_, i) => i + 1).filter(
    (second) => second === 1 || second === length || second % every === 0,
  );
  return {
    title,
    x: 'second',
    y,
    scale: 'linear',
    ticks: ticks.map((second) => [second, String(second)] as const),
    series: series.filter(({ points }) => points.length > 0),
  };
}
