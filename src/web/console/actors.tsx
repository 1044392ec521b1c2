import type { RunningDeletion, StateChart as ChartRow } from '../../client/index.js';
import type { Look } from './series.js';
import { StateChart } from './state-chart.js';
import { Table } from './table.js';
import { durationOf, say, written } from './text.js';

interface Props {
  readonly look: Look;
  readonly charts: readonly ChartRow[];
}

/** Each machine with how many actors are in which state, and what they do. */
export function Actors({ look, charts }: Props) {
  const { nodes, due = [], deletions = [] } = look;
  return (
    <section aria-labelledby="actors-title">
      <h2 id="actors-title">{say('actors.title')}</h2>
      <div class="machines">
        {charts.map((chart) => (
          <StateChart key={chart.machine} chart={chart} counts={countsOf(nodes, chart.machine)} />
        ))}
      </div>
      <h3>{say('actors.due')}</h3>
      <Timeline due={due} />
      <h3>{say('actors.deleting')}</h3>
      <Table
        label={say('actors.deletions')}
        rows={deletions}
        keyOf={(_row, index) => index}
        empty={say('actors.no-deletions')}
        columns={[
          { title: say('column.channel'), of: ({ stream_id: id }) => id ?? say('actors.gone') },
          { title: say('actors.deleted'), isNumber: true, of: ({ deleted }) => written(deleted) },
          { title: say('actors.left'), isNumber: true, of: ({ remaining }) => written(remaining) },
          { title: say('actors.rate'), isNumber: true, of: (row) => written(rateOf(row)) },
          { title: say('actors.done-in'), of: (row) => leftOf(row) },
          { title: say('actors.running'), of: ({ running_ms: ms }) => durationOf(ms / 1000) },
          { title: say('actors.waits'), of: ({ limit_ms: ms }) => durationOf(ms / 1000) },
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
          <span>{seconds === null ? say('actors.later') : withinOf(seconds)}</span>
          <meter
            min={0}
            max={most}
            value={messages}
            aria-label={say('actors.messages', { count: messages })}
          />
          <span class="number">{written(messages)}</span>
        </li>
      ))}
    </ol>
  );
}

function withinOf(seconds: number): string {
  if (seconds < 3600) return say('actors.within-minutes', { count: seconds / 60 });
  return seconds < 86_400
    ? say('actors.within-hours', { count: seconds / 3600 })
    : say('actors.within-days', { count: seconds / 86_400 });
}

/** Messages per second so far; null before the first batch. */
function rateOf({ deleted, running_ms: ms }: RunningDeletion): number | null {
  return deleted === 0 || ms === 0 ? null : deleted / (ms / 1000);
}

function leftOf(row: RunningDeletion): string {
  const rate = rateOf(row);
  return rate === null ? '–' : durationOf(row.remaining / rate);
}
