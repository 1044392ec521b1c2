import { useState } from 'preact/hooks';
import type { ConsoleQueue, StateChart as ChartRow } from '../../client/index.js';
import { StateChart } from './state-chart.js';

const COLUMNS = [
  ['queue_id', 'Queue'],
  ['user_id', 'User'],
  ['transport', 'Transport'],
  ['events', 'Events'],
  ['bytes', 'Bytes'],
  ['acknowledged', 'Acknowledged'],
  ['idle_seconds', 'Away, s'],
] as const;
type Column = (typeof COLUMNS)[number][0];

/** The queues with most unacknowledged events; one that is chosen with its state chart. */
export function Queues({
  rows,
  chart,
}: {
  rows: readonly ConsoleQueue[];
  chart: ChartRow | undefined;
}) {
  const [filter, setFilter] = useState('');
  const [sort, setSort] = useState<{ by: Column; isUp: boolean }>({ by: 'events', isUp: false });
  const [chosenId, choose] = useState<string>();
  const wanted = filter.trim().toLowerCase();
  const shown = rows
    .filter(({ queue_id, user_id, transport }) =>
      `${queue_id} ${user_id} ${transport}`.toLowerCase().includes(wanted),
    )
    .sort((a, b) => compared(a[sort.by], b[sort.by]) * (sort.isUp ? 1 : -1));
  const chosen = rows.find(({ queue_id }) => queue_id === chosenId);
  return (
    <section aria-labelledby="queues-title">
      <h2 id="queues-title">Queues</h2>
      <p>
        <label for="queue-filter">Queue, user or transport</label>{' '}
        <input
          id="queue-filter"
          type="search"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />{' '}
        <small>{shown.length} shown, at most 500, those with most events first</small>
      </p>
      {chosen && chart && (
        <div class="chosen">
          <StateChart chart={chart} current={chosen.state} />
          <p>
            Queue <code>{chosen.queue_id}</code> of user {chosen.user_id}, by {chosen.transport}:{' '}
            {chosen.events} events wait, up to {chosen.acknowledged} acknowledged.
          </p>
        </div>
      )}
      <div class="table" tabIndex={0} role="region" aria-label="List of queues">
        <table>
          <thead>
            <tr>
              {COLUMNS.map(([name, title]) => (
                <th
                  key={name}
                  scope="col"
                  aria-sort={sort.by !== name ? undefined : sort.isUp ? 'ascending' : 'descending'}
                >
                  <button
                    class="plain"
                    onClick={() => setSort({ by: name, isUp: sort.by === name && !sort.isUp })}
                  >
                    {title}
                    {sort.by === name && (sort.isUp ? ' ↑' : ' ↓')}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.queue_id} class={row.queue_id === chosenId ? 'selected' : ''}>
                {COLUMNS.map(([name]) => (
                  <td key={name} class={typeof row[name] === 'number' ? 'number' : ''}>
                    {name === 'queue_id' ? (
                      <button class="plain" onClick={() => choose(row.queue_id)}>
                        {row.queue_id}
                      </button>
                    ) : (
                      row[name]
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function compared(a: string | number, b: string | number): number {
  return typeof a === 'number' && typeof b === 'number'
    ? a - b
    : String(a).localeCompare(String(b));
}
