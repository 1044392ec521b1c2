import { useEffect } from 'preact/hooks';
import type { Client, Reply } from '../../../client/index.js';
import { useAsked } from '../asked.js';
import { Chart, type ChartProps } from '../chart.js';
import { plural } from '../text.js';

type Figures = NonNullable<Reply<'GET /realm/console'>['history']>;
type Column = Exclude<keyof Figures, 'minutes'>;

const MINUTE_MS = 60_000;

const CHARTS: readonly Omit<ChartProps<Column>, 'points' | 'span'>[] = [
  {
    title: 'Requests',
    unit: 'requests/s',
    lines: [{ name: 'requests_per_second', label: '' }],
  },
  {
    title: 'Events for queues',
    unit: 'events/s',
    lines: [{ name: 'events_per_second', label: '' }],
  },
  {
    title: 'Journal entries',
    unit: 'entries/s',
    lines: [{ name: 'entries_per_second', label: '' }],
  },
  {
    title: 'Commits and sends take',
    unit: 'ms',
    lines: [
      { name: 'commit_p99_ms', label: 'p99 of commits' },
      { name: 'send_p99_ms', label: 'p99 of sends' },
    ],
  },
  { title: 'Memory', unit: 'MB', lines: [{ name: 'memory_bytes', label: 'resident' }] },
  {
    title: 'Queues and mails',
    unit: '',
    lines: [
      { name: 'event_queues', label: 'queues' },
      { name: 'waiting_mails', label: 'mails that wait' },
    ],
  },
];

/** Figures of the last 24 hours, a minute each, asked for once a minute. */
export function History({ client }: { client: Client }) {
  const asked = useAsked(() => client.call('GET /realm/console', { with_history: true }), [client]);
  useEffect(() => {
    const timer = setInterval(asked.reload, MINUTE_MS);
    return () => clearInterval(timer);
  }, [asked.reload]);
  const history = asked.value?.history;
  const points = history ? pointsOf(history) : [];
  const hours = points.length === 0 ? 0 : (points.at(-1)!.at - points[0]!.at) / (60 * MINUTE_MS);
  return (
    <section aria-labelledby="history-title">
      <h3 id="history-title">The last {hours <= 1 ? 'hour' : plural(Math.ceil(hours), 'hour')}</h3>
      <div class="charts">
        {CHARTS.map((chart) => (
          <Chart
            key={chart.title}
            {...chart}
            points={points}
            span={{ ms: Math.max(1, Math.ceil(hours)) * 60 * MINUTE_MS, words: hoursIn(hours) }}
          />
        ))}
      </div>
    </section>
  );
}

function hoursIn(hours: number): string {
  return plural(Math.max(1, Math.ceil(hours)), 'hour');
}

/** A point for each minute; one without values after each gap, so that no line leads over it. */
function pointsOf(history: Figures) {
  const { minutes, ...columns } = history;
  const names = Object.keys(columns) as Column[];
  return minutes.flatMap((minute, index) => {
    const values = Object.fromEntries(
      names.map((name) => [name, scaled(name, columns[name][index]!)]),
    ) as Record<Column, number | null>;
    const none = Object.fromEntries(names.map((name) => [name, null])) as typeof values;
    const isGap = index > 0 && minutes[index - 1] !== minute - 1;
    const before = isGap ? [{ at: (minute - 1) * MINUTE_MS, values: none }] : [];
    return [...before, { at: minute * MINUTE_MS, values }];
  });
}

function scaled(name: Column, value: number | null): number | null {
  return name === 'memory_bytes' && value !== null ? value / 1e6 : value;
}
