import type { RunningDeletion, StateChart as ChartRow } from '../../client/index.js';
import type { Look } from './series.js';
import { StateChart } from './state-chart.js';
import { Table } from './table.js';
import { durationOf, plural, written } from './text.js';

interface Props {
  readonly look: Look;
  readonly charts: readonly ChartRow[];
}

/** Each machine with how many actors are in which state, and what they do. */
export function Actors({ look, charts }: Props) {
  const { nodes, due = [], deletions = [] } = look;
  return (
    <section aria-labelledby="actors-title">
      <h2 id="actors-title">Actors</h2>
      <div class="machines">
        {charts.map((chart) => (
          <StateChart key={chart.machine} chart={chart} counts={countsOf(nodes, chart.machine)} />
        ))}
      </div>
      <h3>Scheduled messages and reminders are due</h3>
      <Timeline due={due} />
      <h3>Topics that are being deleted</h3>
      <Table
        label="Deletions"
        rows={deletions}
        keyOf={(_row, index) => index}
        empty="None now."
        columns={[
          { title: 'Channel', of: ({ stream_id: id }) => id ?? 'gone' },
          { title: 'Deleted', isNumber: true, of: ({ deleted }) => deleted.toLocaleString() },
          { title: 'Left', isNumber: true, of: ({ remaining }) => remaining.toLocaleString() },
          { title: 'Per second', isNumber: true, of: (row) => written(rateOf(row)) },
          { title: 'Done in', of: (row) => leftOf(row) },
          { title: 'Running', of: ({ running_ms: ms }) => durationOf(ms / 1000) },
          { title: 'A request waits', of: ({ limit_ms: ms }) => durationOf(ms / 1000) },
        ]}
      />
    </section>
  );
}

function countsOf(nodes: Look['nodes'], machine: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { actors } of nodes) {
    for (const [state, count] of Object.entries(actors[machine] ?? {})) {
      counts[state] = (counts[state] ?? 0) + count;
    }
  }
  return counts;
}

function Timeline({ due }: { due: NonNullable<Look['due']> }) {
  const most = Math.max(1, ...due.map(({ messages }) => messages));
  return (
    <ol class="timeline">
      {due.map(({ within_seconds: seconds, messages }) => (
        <li key={String(seconds)}>
          <span>{seconds === null ? 'later' : `within ${spanOf(seconds)}`}</span>
          <meter min={0} max={most} value={messages} aria-label={plural(messages, 'message')} />
          <span class="number">{messages.toLocaleString()}</span>
        </li>
      ))}
    </ol>
  );
}

function spanOf(seconds: number): string {
  if (seconds < 3600) return plural(seconds / 60, 'minute');
  return seconds < 86_400 ? plural(seconds / 3600, 'hour') : plural(seconds / 86_400, 'day');
}

/** Messages per second so far; null before the first batch. */
function rateOf({ deleted, running_ms: ms }: RunningDeletion): number | null {
  return deleted === 0 || ms === 0 ? null : deleted / (ms / 1000);
}

function leftOf(row: RunningDeletion): string {
  const rate = rateOf(row);
  return rate === null ? '–' : durationOf(row.remaining / rate);
}
