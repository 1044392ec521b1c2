import { useRef, useState } from 'preact/hooks';
import type {
  Client,
  ConsoleQueue,
  OpenedQueue,
  StateChart as ChartRow,
} from '../../client/index.js';
import type { Wants } from './live.js';
import type { Look } from './series.js';
import { StateChart } from './state-chart.js';
import { durationOf, plural, sizeOf, timeOf } from './text.js';

type Order = NonNullable<Wants['queue_order']>;

/** Column, its title, and the order by which the server can sort. */
const COLUMNS: readonly [keyof ConsoleQueue, string, Order | null][] = [
  ['queue_id', 'Queue', null],
  ['user_id', 'User', 'user'],
  ['client', 'Client', null],
  ['state', 'State', null],
  ['transport', 'Transport', null],
  ['node_id', 'Node', null],
  ['events', 'Events', 'events'],
  ['bytes', 'Bytes', 'bytes'],
  ['oldest_seconds', 'Oldest, s', 'oldest'],
  ['acknowledged', 'Acknowledged', 'acknowledged'],
  ['idle_seconds', 'Away, s', 'idle'],
];

/** Waiting events that are named. */
const MOST_HELD = 12;

interface Props {
  readonly client: Client;
  readonly look: Look;
  readonly chart: ChartRow | undefined;
  readonly wants: Wants;
  readonly want: (more: Wants) => void;
}

/** The queues as the server filters and sorts them; one that is opened with its state chart and what it holds. */
export function Queues({ client, look, chart, wants, want }: Props) {
  const { queues = [], queues_found: found = 0, queue } = look;
  const { open_queue: opened, queue_order: order, queues_ascending: isUp = false } = wants;
  return (
    <section aria-labelledby="queues-title">
      <h2 id="queues-title">Queues</h2>
      <p>
        <label for="queue-filter">User id, client, state, transport, node or part of the id</label>{' '}
        <input
          id="queue-filter"
          type="search"
          maxLength={60}
          value={wants.queue_filter ?? ''}
          onInput={(event) => want({ queue_filter: event.currentTarget.value })}
        />{' '}
        <small>
          {plural(found, 'queue')} {found > queues.length && `, ${queues.length} shown`}
        </small>
      </p>
      {opened !== undefined && chart && (
        <Opened
          key={opened}
          {...{ client, chart }}
          queue={queue?.queue_id === opened ? queue : undefined}
          close={() => want({ open_queue: undefined })}
        />
      )}
      <div class="table sortable" tabIndex={0} role="region" aria-label="List of queues">
        <table role="table">
          <thead role="rowgroup">
            <tr role="row">
              {COLUMNS.map(([name, title, by]) => {
                const isBy = by !== null && by === order;
                const sort = isBy ? (isUp ? 'ascending' : 'descending') : undefined;
                return (
                  <th key={name} role="columnheader" scope="col" aria-sort={sort}>
                    {by === null ? (
                      title
                    ) : (
                      <button
                        class="plain"
                        onClick={() => want({ queue_order: by, queues_ascending: isBy && !isUp })}
                      >
                        {title}
                        {isBy && (isUp ? ' ↑' : ' ↓')}
                      </button>
                    )}
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody role="rowgroup">
            {queues.map((row) => (
              <tr key={row.queue_id} role="row" class={row.queue_id === opened ? 'selected' : ''}>
                {COLUMNS.map(([name, title]) => (
                  <td
                    key={name}
                    role="cell"
                    class={typeof row[name] === 'number' ? 'number' : ''}
                    data-title={title}
                  >
                    {name === 'queue_id' ? (
                      <button class="plain" onClick={() => want({ open_queue: row.queue_id })}>
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
        {queues.length === 0 && <p class="empty">No queue matches.</p>}
      </div>
    </section>
  );
}

interface OpenedProps {
  readonly client: Client;
  readonly chart: ChartRow;
  readonly queue: OpenedQueue | undefined;
  readonly close: () => void;
}

function Opened({ client, chart, queue, close }: OpenedProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [fault, setFault] = useState('');
  if (!queue) {
    return (
      <div class="chosen">
        <p>
          This queue is being read, or has ended.{' '}
          <button class="plain" onClick={close}>
            Close
          </button>
        </p>
      </div>
    );
  }
  const drop = (): void => {
    const { queue_id } = queue;
    client
      .call('DELETE /realm/console/queues/{queue_id}', { queue_id })
      .then(close, (error: Error) => setFault(error.message));
  };
  return (
    <div class="chosen" role="group" aria-label="Opened queue">
      <StateChart chart={chart} current={queue.state} />
      <dl class="facts">
        {factsOf(queue).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p>
        <b>Its actor</b> is {queue.snapshot.value}, and acts by itself at{' '}
        {timeOf(queue.snapshot.context.deadline)}: a heartbeat, or the expiry. Its snapshot, but for
        the filter:
      </p>
      <pre class="snapshot" tabIndex={0}>
        {JSON.stringify(queue.snapshot, null, 2)}
      </pre>
      <p>
        <b>Steps of its actor:</b>{' '}
        {queue.steps.length === 0
          ? 'none since it was opened'
          : queue.steps
              .map(({ at, event, state }) => `${timeOf(at)} ${event} → ${state}`)
              .join('; ')}
      </p>
      <p>
        <b>Holds:</b>{' '}
        {queue.held.length === 0
          ? 'nothing'
          : queue.held
              .slice(0, MOST_HELD)
              .map(
                ({ event_id: id, event_type: type, bytes }) => `${id} ${type} (${sizeOf(bytes)})`,
              )
              .join(', ')}
        {queue.events > MOST_HELD && ` and ${queue.events - MOST_HELD} more`}
      </p>
      <p>
        <b>Wants:</b> {queue.event_types?.join(', ') ?? 'all events'}
        {queue.narrow_terms > 0 && `, narrowed by ${plural(queue.narrow_terms, 'term')}`}
        {queue.capabilities.length > 0 && `; understands ${queue.capabilities.join(', ')}`}
      </p>
      {fault !== '' && <p role="alert">{fault}</p>}
      <p>
        <button onClick={() => dialog.current?.showModal()}>Drop this queue …</button>{' '}
        <button class="plain" onClick={close}>
          Close
        </button>
      </p>
      <dialog ref={dialog} aria-label="Drop this queue">
        <form method="dialog">
          <p>
            Drop the queue of user {queue.user_id}? Its client has to register anew and read what it
            missed. The audit log will say that you did it.
          </p>
          <p class="buttons">
            <button class="plain">Keep it</button> <button onClick={drop}>Drop it</button>
          </p>
        </form>
      </dialog>
    </div>
  );
}

function factsOf(queue: OpenedQueue): [string, string][] {
  return [
    ['User', `${queue.user_id}`],
    ['Client', queue.client === '' ? '–' : queue.client],
    ['Transport', queue.transport],
    ['Node', queue.node_id],
    ['Cursor', queue.acknowledged < 0 ? 'none yet' : String(queue.acknowledged)],
    ['Newest', String(queue.newest_id)],
    ['Waiting', `${plural(queue.events, 'event')}, ${sizeOf(queue.bytes)}`],
    ['Expires after', durationOf(queue.idle_timeout_seconds)],
  ];
}
