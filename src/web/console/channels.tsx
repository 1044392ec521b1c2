import { useState } from 'preact/hooks';
import type { Client, Reply } from '../../client/index.js';
import { useAsked, useDeed } from './asked.js';
import { DeedLine } from './deed-line.js';
import { Filter } from './filter.js';
import { Reversible } from './reversible.js';
import { Table } from './table.js';
import { say } from './text.js';

/** Rows that are drawn; the search finds the others. */
const MOST_ROWS = 200;

type Channel = Reply<'GET /streams'>['streams'][number];

function kindOf({ is_web_public: isOpen, invite_only: isPrivate }: Channel): string {
  if (isOpen) return say('channels.web-public');
  return say(isPrivate ? 'channels.private' : 'channels.public');
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
      <h2 id="channels-title">{say('channels.title')}</h2>
      <Filter
        id="channel-filter"
        label={say('channels.filter')}
        value={filter}
        onFilter={setFilter}
      >
        {say('channels.count', { count: found.length })}
        {found.length > MOST_ROWS && say('list.shown', { count: MOST_ROWS })}
      </Filter>
      <DeedLine deed={deed} asked={asked} />
      <Table
        label={say('channels.list')}
        rows={found.slice(0, MOST_ROWS)}
        keyOf={({ stream_id }) => stream_id}
        empty={say(asked.value ? 'channels.none' : 'list.asking')}
        columns={[
          { title: say('column.name'), of: ({ name }) => name },
          { title: say('column.description'), of: ({ description }) => description },
          { title: say('column.kind'), of: kindOf },
          {
            title: say('channels.subscribers'),
            isNumber: true,
            of: ({ subscriber_count: count }) => count.toLocaleString(),
          },
          {
            title: say('channels.traffic'),
            isNumber: true,
            of: ({ stream_weekly_traffic: count }) =>
              count?.toLocaleString() ?? say('channels.new'),
          },
          {
            title: say('column.change'),
            of: ({ stream_id, name, is_archived: isArchived }) => (
              <Reversible
                name={name}
                isOff={isArchived}
                words={[say('deed.archive'), say('deed.unarchive')]}
                turnOff={() =>
                  deed.run(
                    () => client.call('DELETE /streams/{stream_id}', { stream_id }),
                    say('channels.archived', { name }),
                  )
                }
                turnOn={() =>
                  deed.run(
                    () =>
                      client.call('PATCH /streams/{stream_id}', { stream_id, is_archived: false }),
                    say('channels.back', { name }),
                  )
                }
              >
                {say('channels.archive', { name })}
              </Reversible>
            ),
          },
        ]}
      />
    </section>
  );
}
