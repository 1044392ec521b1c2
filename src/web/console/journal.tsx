import { useState } from 'preact/hooks';
import type { Look } from './series.js';

/** Events that the page keeps. */
export const MOST_EVENTS = 500;
/** Rows that are drawn. */
const MOST_ROWS = 200;

/** The events of the journal as they become durable, the newest first: what kind, and to whom; not what people wrote. */
export function Journal({ events }: { events: Look['journal_events'] }) {
  const [filter, setFilter] = useState('');
  const rows = events
    .filter(({ event_type }) => event_type.includes(filter.trim()))
    .slice(-MOST_ROWS)
    .reverse();
  return (
    <section aria-labelledby="journal-title">
      <h2 id="journal-title">Journal</h2>
      <p>
        <label for="journal-filter">Type of event</label>{' '}
        <input
          id="journal-filter"
          type="search"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
      </p>
      <div class="table" tabIndex={0} role="region" aria-label="List of events">
        <table>
          <thead>
            <tr>
              <th scope="col">Position</th>
              <th scope="col">Event</th>
              <th scope="col">Audience</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ seq, event_type, audience }, index) => (
              <tr key={`${seq} ${index}`}>
                <td class="number">{seq}</td>
                <td>{event_type}</td>
                <td>{audience}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length === 0 && <p class="empty">Nothing has happened since this page was opened.</p>}
      </div>
    </section>
  );
}
