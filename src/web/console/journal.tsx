import { useState } from 'preact/hooks';
import type { Client, JournalRow, OpenedEntry } from '../../client/index.js';
import type { Wants } from './live.js';
import { TestEvent } from './operating/test-event.js';
import { Table } from './table.js';
import { plural, sizeOf, timeOf } from './text.js';

/** Rows that are drawn. */
const MOST_ROWS = 200;

interface Filters {
  readonly type: string;
  readonly audience: string;
  readonly user: string;
  readonly channel: string;
}

interface Props {
  readonly client: Client;
  readonly events: readonly JournalRow[];
  readonly entry: OpenedEntry | undefined;
  readonly wants: Wants;
  readonly want: (more: Wants) => void;
}

/**
 * The events of the journal as they become durable, the newest first: what kind, and to whom; not what people wrote.
 */
export function Journal({ client, events, entry, wants, want }: Props) {
  const [filters, setFilters] = useState<Filters>({
    type: '',
    audience: '',
    user: '',
    channel: '',
  });
  const rows = events
    .filter((row) => matches(row, filters))
    .slice(-MOST_ROWS)
    .reverse();
  const field = (name: keyof Filters, label: string) => (
    <span>
      <label for={`journal-${name}`}>{label}</label>{' '}
      <input
        id={`journal-${name}`}
        type="search"
        value={filters[name]}
        onInput={({ currentTarget: { value } }) => setFilters({ ...filters, [name]: value })}
      />
    </span>
  );
  const opened = wants.open_entry;
  return (
    <section aria-labelledby="journal-title">
      <h2 id="journal-title">Journal</h2>
      <p class="filters">
        {field('type', 'Type')}
        <span>
          <label for="journal-audience">Audience</label>{' '}
          <select
            id="journal-audience"
            onChange={({ currentTarget: { value } }) => setFilters({ ...filters, audience: value })}
          >
            <option value="">any</option>
            <option>all</option>
            <option>users</option>
            <option>subscribers</option>
          </select>
        </span>
        {field('user', 'User id')}
        {field('channel', 'Channel id')}
      </p>
      <TestEvent client={client} />
      {opened !== undefined && (
        <Opened seq={opened} entry={entry} close={() => want({ open_entry: undefined })} />
      )}
      <Table
        label="List of events"
        rows={rows}
        keyOf={({ seq }, index) => `${seq} ${index}`}
        empty="Nothing has happened since this page was opened."
        columns={[
          {
            title: 'Position',
            of: ({ seq }) => (
              <button class="plain" onClick={() => want({ open_entry: seq })}>
                {seq}
              </button>
            ),
          },
          { title: 'Event', of: ({ event_type: type }) => type },
          { title: 'Audience', of: audienceOf },
        ]}
      />
    </section>
  );
}

function matches(
  { event_type, audience, users, stream_id }: JournalRow,
  { type, audience: wanted, user, channel }: Filters,
): boolean {
  return (
    event_type.includes(type.trim()) &&
    (wanted === '' || audience === wanted) &&
    (user.trim() === '' || audience === 'all' || users.includes(Number(user))) &&
    (channel.trim() === '' || stream_id === Number(channel))
  );
}

function audienceOf({
  audience,
  users,
  user_count: count,
  stream_id: channel,
}: JournalRow): string {
  if (audience === 'all') return 'everybody';
  if (audience === 'subscribers') return `channel ${channel}, ${plural(count ?? 0, 'subscriber')}`;
  const named = users.slice(0, 5).join(', ');
  return `${count === 1 ? 'user' : 'users'} ${named}${(count ?? 0) > 5 ? ` and ${count! - 5} more` : ''}`;
}

/** An entry: what it changed, who received its events, and which texts were made for how many queues. */
function Opened({
  seq,
  entry,
  close,
}: {
  seq: number;
  entry: OpenedEntry | undefined;
  close: () => void;
}) {
  return (
    <div class="chosen" role="group" aria-label={`Entry ${seq}`}>
      <p>
        <strong>Entry {seq}</strong>{' '}
        {entry?.seq === seq
          ? `became durable at ${timeOf(entry.at)}`
          : 'is not kept any more, or is being read'}{' '}
        <button class="plain" onClick={close}>
          Close
        </button>
      </p>
      {entry?.seq === seq && (
        <>
          <p>
            Changed {plural(entry.change_count, 'document')}:{' '}
            {entry.changes.map(({ collection, document_id: id, change }) => (
              <code key={`${collection} ${id}`}>
                {change} {collection}:{id}{' '}
              </code>
            ))}
          </p>
          {entry.events.map((event, index) => (
            <div key={index} class="event">
              <p>
                <strong>{event.event_type}</strong> to {audienceOf(event)}
                {event.users.length > 5 && <small>: {event.users.join(', ')}</small>}
              </p>
              <ul>
                {event.variants.map(({ variant, bytes, queues }) => (
                  <li key={variant}>
                    {variant === '' ? (
                      'one text'
                    ) : (
                      <>
                        variant <code>{variant}</code>
                      </>
                    )}
                    , {sizeOf(bytes)}, shared by {plural(queues, 'queue')} of the node that answers
                  </li>
                ))}
                {event.variants.length === 0 && (
                  <li>no queue of the node that answers wanted it</li>
                )}
              </ul>
            </div>
          ))}
        </>
      )}
    </div>
  );
}
