import type { Name } from './series.js';
import { say, written } from './text.js';

const WIDTH = 320;
const HEIGHT = 72;
/** What the charts look back to, at most and at least. Milliseconds. */
const LONGEST_MS = 10 * 60_000;
const SHORTEST_MS = 60_000;

/** What is known of one time. */
interface Known<N extends string> {
  readonly at: number;
  /** Null where nothing happened to measure. */
  readonly values: Readonly<Record<N, number | null>>;
}

interface Line<N extends string> {
  readonly name: N;
  readonly label: string;
}

export interface ChartProps<N extends string = Name> {
  readonly title: string;
  readonly unit: string;
  readonly points: readonly Known<N>[];
  /** The first one stands out. */
  readonly lines: readonly Line<N>[];
  /** What it looks back to; absent: the minutes that are known, ten at most. */
  readonly span?: { readonly ms: number; readonly words: string };
}

/** A small chart of the last time, with the present values in words. */
export function Chart<N extends string>({
  title,
  unit,
  points,
  lines,
  span: given,
}: ChartProps<N>) {
  const values = points.flatMap((point) => lines.map(({ name }) => point.values[name] ?? 0));
  const most = niceMaximum(Math.max(0, ...values));
  const end = points.at(-1)?.at ?? 0;
  const since = end - (points[0]?.at ?? end);
  // In whole minutes, so that the scale does not change with each look.
  const span =
    given?.ms ?? Math.min(LONGEST_MS, SHORTEST_MS * Math.max(1, Math.ceil(since / SHORTEST_MS)));
  return (
    <figure class="chart">
      <figcaption>
        <h3>{title}</h3>
        {lines.map(({ name, label }, index) => (
          <p key={name} class={`value value-${index}`}>
            <strong>{written(latest(points, name))}</strong> {unit} {label}
          </p>
        ))}
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {lines.map(({ name }, index) => (
          <path key={name} class={`line-${index}`} d={pathOf(points, name, { end, span, most })} />
        ))}
      </svg>
      <p class="scale" aria-hidden="true">
        <span>{given?.words ?? say('count.minutes', { count: span / SHORTEST_MS })}</span>
        <span>{say('chart.scale', { most: written(most), unit })}</span>
      </p>
    </figure>
  );
}

function pathOf<N extends string>(
  points: readonly Known<N>[],
  name: N,
  { end, span, most }: { end: number; span: number; most: number },
): string {
  let path = '';
  let isGap = true;
  for (const { at, values } of points) {
    const value = values[name];
    if (value === null) {
      isGap = true;
      continue;
    }
    const x = WIDTH * (1 - (end - at) / span);
    const y = HEIGHT - 2 - (HEIGHT - 4) * (value / most);
    path += `${isGap ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
    isGap = false;
  }
  return path;
}

/** The newest value, also where nothing has happened since. */
function latest<N extends string>(points: readonly Known<N>[], name: N): number | null {
  return points.findLast(({ values }) => values[name] !== null)?.values[name] ?? null;
}

/** The next of 1, 2, 5, 10, 20 … */
function niceMaximum(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return power * ([1, 2, 5, 10].find((step) => value <= step * power) ?? 10);
}
