import { useState } from 'preact/hooks';
import type { Client, JournalRow, OpenedEntry } from '../../client/index.js';
import { fill } from '../../languages/say.js';
import type { Wants } from './live.js';
import { TestEvent } from './operating/test-event.js';
import { Table } from './table.js';
import { say, sizeOf, timeOf } from './text.js';

/** Rows that are drawn. */
const MOST_ROWS = 200;
/** Users that are named in a row. */
const MOST_NAMED = 5;

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
      <h2 id="journal-title">{say('journal.title')}</h2>
      <p class="filters">
        {field('type', say('journal.type'))}
        <span>
          <label for="journal-audience">{say('journal.audience')}</label>{' '}
          <select
            id="journal-audience"
            onChange={({ currentTarget: { value } }) => setFilters({ ...filters, audience: value })}
          >
            <option value="">{say('journal.any')}</option>
            <option value="all">{say('journal.all')}</option>
            <option value="users">{say('journal.users')}</option>
            <option value="subscribers">{say('journal.subscribers')}</option>
          </select>
        </span>
        {field('user', say('journal.user-id'))}
        {field('channel', say('journal.channel-id'))}
      </p>
      <TestEvent client={client} />
      {opened !== undefined && (
        <Opened seq={opened} entry={entry} close={() => want({ open_entry: undefined })} />
      )}
      <Table
        label={say('journal.list')}
        rows={rows}
        keyOf={({ seq }, index) => `${seq} ${index}`}
        empty={say('journal.empty')}
        columns={[
          {
            title: say('column.position'),
            of: ({ seq }) => (
              <button class="plain" onClick={() => want({ open_entry: seq })}>
                {seq}
              </button>
            ),
          },
          { title: say('column.event'), of: ({ event_type: type }) => type },
          { title: say('journal.audience'), of: audienceOf },
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
  if (audience === 'all') return say('journal.to-everybody');
  if (audience === 'subscribers') {
    return say('journal.to-channel', { channel: String(channel), count: count ?? 0 });
  }
  const named = users.slice(0, MOST_NAMED).join(', ');
  return (count ?? 0) > MOST_NAMED
    ? say('journal.to-more-users', { users: named, more: count! - MOST_NAMED })
    : say('journal.to-users', { users: named, count: count ?? 0 });
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
  const title = say('journal.entry', { seq: String(seq) });
  const strong = { entry: <strong>{title}</strong> };
  return (
    <div class="chosen" role="group" aria-label={title}>
      <p>
        {entry?.seq === seq
          ? fill(say, 'journal.durable', strong, { time: timeOf(entry.at) })
          : fill(say, 'journal.reading', strong)}{' '}
        <button class="plain" onClick={close}>
          {say('dialog.close')}
        </button>
      </p>
      {entry?.seq === seq && (
        <>
          <p>
            {fill(
              say,
              'journal.changed',
              {
                changes: entry.changes.map(({ collection, document_id: id, change }) => (
                  <code key={`${collection} ${id}`} dir="ltr">
                    {change} {collection}:{id}{' '}
                  </code>
                )),
              },
              { count: entry.change_count },
            )}
          </p>
          {entry.events.map((event, index) => (
            <div key={index} class="event">
              <p>
                {fill(
                  say,
                  'journal.event-to',
                  { event: <strong>{event.event_type}</strong> },
                  { audience: audienceOf(event) },
                )}
                {event.users.length > MOST_NAMED && <small>: {event.users.join(', ')}</small>}
              </p>
              <ul>
                {event.variants.map(({ variant, bytes, queues }) => (
                  <li key={variant}>
                    {variant === ''
                      ? say('journal.one-text', { size: sizeOf(bytes), count: queues })
                      : fill(
                          say,
                          'journal.variant',
                          { variant: <code dir="ltr">{variant}</code> },
                          { size: sizeOf(bytes), count: queues },
                        )}
                  </li>
                ))}
                {event.variants.length === 0 && <li>{say('journal.unwanted')}</li>}
              </ul>
            </div>
          ))}
        </>
      )}
    </div>
  );
}
