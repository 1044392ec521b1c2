import { useRef, useState } from 'preact/hooks';
import type {
  Client,
  ConsoleQueue,
  OpenedQueue,
  StateChart as ChartRow,
} from '../../client/index.js';
import { fill } from '../../languages/say.js';
import type { Wants } from './live.js';
import type { Look } from './series.js';
import { StateChart } from './state-chart.js';
import { isolated } from './table.js';
import { durationOf, say, sizeOf, timeOf } from './text.js';

type Order = NonNullable<Wants['queue_order']>;

/** Column, its title, and the order by which the server can sort. */
const COLUMNS: readonly [keyof ConsoleQueue, string, Order | null][] = [
  ['queue_id', say('queues.queue'), null],
  ['user_id', say('column.user'), 'user'],
  ['client', say('column.client'), null],
  ['state', say('column.state'), null],
  ['transport', say('column.transport'), null],
  ['node_id', say('column.node'), null],
  ['events', say('column.events'), 'events'],
  ['bytes', say('queues.bytes'), 'bytes'],
  ['oldest_seconds', say('queues.oldest'), 'oldest'],
  ['acknowledged', say('queues.acknowledged'), 'acknowledged'],
  ['idle_seconds', say('queues.away'), 'idle'],
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
      <h2 id="queues-title">{say('queues.title')}</h2>
      <p>
        <label for="queue-filter">{say('queues.filter')}</label>{' '}
        <input
          id="queue-filter"
          type="search"
          maxLength={60}
          value={wants.queue_filter ?? ''}
          onInput={(event) => want({ queue_filter: event.currentTarget.value })}
        />{' '}
        <small>
          {say('queues.count', { count: found })}
          {found > queues.length && say('list.shown', { count: queues.length })}
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
      <div class="table sortable" tabIndex={0} role="region" aria-label={say('queues.list')}>
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
                        {isolated(row.queue_id)}
                      </button>
                    ) : (
                      isolated(row[name])
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {queues.length === 0 && <p class="empty">{say('queues.none')}</p>}
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
          {say('queues.reading')}{' '}
          <button class="plain" onClick={close}>
            {say('dialog.close')}
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
    <div class="chosen" role="group" aria-label={say('queues.opened')}>
      <StateChart chart={chart} current={queue.state} />
      <dl class="facts">
        {factsOf(queue).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{isolated(value)}</dd>
          </div>
        ))}
      </dl>
      <p>
        {fill(
          say,
          'queues.actor',
          { actor: <b>{say('queues.its-actor')}</b> },
          { state: queue.snapshot.value, time: timeOf(queue.snapshot.context.deadline) },
        )}
      </p>
      <pre class="snapshot" tabIndex={0}>
        {JSON.stringify(queue.snapshot, null, 2)}
      </pre>
      <p>
        <b>{say('queues.steps')}</b>{' '}
        {queue.steps.length === 0
          ? say('queues.no-steps')
          : queue.steps
              .map(({ at, event, state }) => `${timeOf(at)} ${event} → ${state}`)
              .join('; ')}
      </p>
      <p>
        <b>{say('queues.holds')}</b> {heldOf(queue)}
      </p>
      <p>
        <b>{say('queues.wants')}</b> {wantsOf(queue)}
      </p>
      {fault !== '' && <p role="alert">{fault}</p>}
      <p>
        <button onClick={() => dialog.current?.showModal()}>{say('queues.drop-this')} …</button>{' '}
        <button class="plain" onClick={close}>
          {say('dialog.close')}
        </button>
      </p>
      <dialog ref={dialog} aria-label={say('queues.drop-this')}>
        <form method="dialog">
          <p>{say('queues.drop-ask', { user: String(queue.user_id) })}</p>
          <p class="buttons">
            <button class="plain">{say('queues.keep')}</button>{' '}
            <button onClick={drop}>{say('queues.drop')}</button>
          </p>
        </form>
      </dialog>
    </div>
  );
}

/** The waiting events, the first of them by name. */
function heldOf({ held, events }: OpenedQueue): string {
  if (held.length === 0) return say('queues.nothing');
  const named = held
    .slice(0, MOST_HELD)
    .map(({ event_id: id, event_type: type, bytes }) => `${id} ${type} (${sizeOf(bytes)})`)
    .join(', ');
  const more = events - MOST_HELD;
  return more > 0 ? say('queues.held-more', { held: named, more }) : named;
}

/** What its client registered for. */
function wantsOf({ event_types: types, narrow_terms: count, capabilities }: OpenedQueue): string {
  const all = types?.join(', ') ?? say('queues.all-events');
  const events = count > 0 ? say('queues.narrowed', { events: all, count }) : all;
  return capabilities.length > 0
    ? say('queues.understands', { events, capabilities: capabilities.join(', ') })
    : events;
}

function factsOf(queue: OpenedQueue): [string, string][] {
  return [
    [say('column.user'), `${queue.user_id}`],
    [say('column.client'), queue.client === '' ? '–' : queue.client],
    [say('column.transport'), queue.transport],
    [say('column.node'), queue.node_id],
    [
      say('queues.cursor'),
      queue.acknowledged < 0 ? say('queues.none-yet') : String(queue.acknowledged),
    ],
    [say('queues.newest'), String(queue.newest_id)],
    [
      say('queues.waiting'),
      say('queues.waiting-events', { count: queue.events, size: sizeOf(queue.bytes) }),
    ],
    [say('queues.expires'), durationOf(queue.idle_timeout_seconds)],
  ];
}
