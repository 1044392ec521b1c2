import { useEffect } from 'preact/hooks';
import type { Client, Reply } from '../../../client/index.js';
import { useAsked } from '../asked.js';
import { Chart, type ChartProps } from '../chart.js';
import { say } from '../text.js';

type Figures = NonNullable<Reply<'GET /realm/console'>['history']>;
type Column = Exclude<keyof Figures, 'minutes'>;

const MINUTE_MS = 60_000;

const CHARTS: readonly Omit<ChartProps<Column>, 'points' | 'span'>[] = [
  {
    title: say('chart.requests'),
    unit: say('unit.requests'),
    lines: [{ name: 'requests_per_second', label: '' }],
  },
  {
    title: say('chart.events'),
    unit: say('unit.events'),
    lines: [{ name: 'events_per_second', label: '' }],
  },
  {
    title: say('chart.entries'),
    unit: say('unit.entries-rate'),
    lines: [{ name: 'entries_per_second', label: '' }],
  },
  {
    title: say('chart.commits-and-sends'),
    unit: say('unit.milliseconds'),
    lines: [
      { name: 'commit_p99_ms', label: say('line.commits') },
      { name: 'send_p99_ms', label: say('line.sends') },
    ],
  },
  {
    title: say('chart.memory'),
    unit: say('unit.megabytes'),
    lines: [{ name: 'memory_bytes', label: say('line.resident') }],
  },
  {
    title: say('chart.queues-and-mails'),
    unit: '',
    lines: [
      { name: 'event_queues', label: say('unit.queues') },
      { name: 'waiting_mails', label: say('unit.mails') },
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
  const whole = Math.max(1, Math.ceil(hours));
  return (
    <section aria-labelledby="history-title">
      <h3 id="history-title">{say('history.title', { count: whole })}</h3>
      <div class="charts">
        {CHARTS.map((chart) => (
          <Chart
            key={chart.title}
            {...chart}
            points={points}
            span={{ ms: whole * 60 * MINUTE_MS, words: say('count.hours', { count: whole }) }}
          />
        ))}
      </div>
    </section>
  );
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
