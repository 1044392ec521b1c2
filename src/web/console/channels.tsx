import { useState } from 'preact/hooks';
import type { Client, Reply } from '../../client/index.js';
import { useAsked, useDeed } from './asked.js';
import { DeedLine } from './deed-line.js';
import { Filter } from './filter.js';
import { Reversible } from './reversible.js';
import { Table } from './table.js';
import { plural } from './text.js';

/** Rows that are drawn; the search finds the others. */
const MOST_ROWS = 200;

type Channel = Reply<'GET /streams'>['streams'][number];

function kindOf({ is_web_public: isOpen, invite_only: isPrivate }: Channel): string {
  if (isOpen) return 'public on the web';
  return isPrivate ? 'private' : 'public';
}

/** Channels that an administrator may see: archive them, and take that back. */
export function Channels({ client }: { client: Client }) {
  const [filter, setFilter] = useState('');
  const asked = useAsked(
    () => client.call('GET /streams', { include_all: true, exclude_archived: false }),
    [client],
  );
  const deed = useDeed(asked.reload);
  const wanted = filter.toLowerCase();
  const found = (asked.value?.streams ?? []).filter(({ name, description }) =>
    `${name} ${description}`.toLowerCase().includes(wanted),
  );
  return (
    <section aria-labelledby="channels-title">
      <h2 id="channels-title">Channels</h2>
      <Filter id="channel-filter" label="Name or description" value={filter} onFilter={setFilter}>
        {plural(found.length, 'channel')}
        {found.length > MOST_ROWS && `, ${MOST_ROWS} shown`}
      </Filter>
      <DeedLine deed={deed} asked={asked} />
      <Table
        label="List of channels"
        rows={found.slice(0, MOST_ROWS)}
        keyOf={({ stream_id }) => stream_id}
        empty={asked.value ? 'No channel matches.' : 'Asking …'}
        columns={[
          { title: 'Name', of: ({ name }) => name },
          { title: 'Description', of: ({ description }) => description },
          { title: 'Kind', of: kindOf },
          {
            title: 'Subscribers',
            isNumber: true,
            of: ({ subscriber_count: count }) => count.toLocaleString(),
          },
          {
            title: 'Messages a week',
            isNumber: true,
            of: ({ stream_weekly_traffic: count }) => count?.toLocaleString() ?? 'new',
          },
          {
            title: 'Change',
            of: ({ stream_id, name, is_archived: isArchived }) => (
              <Reversible
                name={name}
                isOff={isArchived}
                words={['Archive', 'Unarchive']}
                turnOff={() =>
                  deed.run(
                    () => client.call('DELETE /streams/{stream_id}', { stream_id }),
                    `${name} is archived.`,
                  )
                }
                turnOn={() =>
                  deed.run(
                    () =>
                      client.call('PATCH /streams/{stream_id}', { stream_id, is_archived: false }),
                    `${name} is a channel again.`,
                  )
                }
              >
                Archive {name}? Nobody can write there any longer; its messages stay readable. You
                can take it back.
              </Reversible>
            ),
          },
        ]}
      />
    </section>
  );
}
