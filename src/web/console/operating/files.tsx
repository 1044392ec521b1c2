import type { Client } from '../../../client/index.js';
import { useAsked, useDeed } from '../asked.js';
import { Confirm, DeedLine } from '../deed-line.js';
import { Table } from '../table.js';
import { dayOf, say, sizeOf } from '../text.js';

/** How much room uploaded files take, whose they are, and the largest of them. */
export function Files({ client }: { client: Client }) {
  const asked = useAsked(() => client.call('GET /realm/console/files', {}), [client]);
  const users = useAsked(() => client.call('GET /users', {}), [client]);
  const deed = useDeed(asked.reload);
  const names = new Map(users.value?.members.map(({ user_id: id, full_name }) => [id, full_name]));
  const nameOf = (id: number): string | number => names.get(id) ?? id;
  const usage = asked.value;
  return (
    <section aria-labelledby="files-title">
      <h2 id="files-title">{say('files.title')}</h2>
      <DeedLine deed={deed} asked={asked} />
      {usage && (
        <Quota used={usage.used_bytes} quota={usage.quota_bytes} count={usage.file_count} />
      )}
      <h3>{say('files.by-person')}</h3>
      <Table
        label={say('files.list-by-person')}
        rows={usage?.people ?? []}
        keyOf={({ user_id: id }) => id}
        empty={say(usage ? 'files.nobody' : 'list.asking')}
        columns={[
          { title: say('files.person'), of: ({ user_id: id }) => nameOf(id) },
          { title: say('files.title'), isNumber: true, of: ({ files }) => files.toLocaleString() },
          { title: say('files.size'), isNumber: true, of: ({ bytes }) => sizeOf(bytes) },
        ]}
      />
      <h3>{say('files.largest')}</h3>
      <Table
        label={say('files.largest')}
        rows={usage?.largest ?? []}
        keyOf={({ id }) => id}
        empty={say(usage ? 'files.none' : 'list.asking')}
        columns={[
          { title: say('column.name'), isLong: true, of: ({ name }) => name },
          { title: say('files.size'), isNumber: true, of: ({ bytes }) => sizeOf(bytes) },
          { title: say('files.person'), of: ({ user_id: id }) => nameOf(id) },
          { title: say('files.uploaded'), of: ({ created_at: at }) => dayOf(at) },
          { title: say('files.messages'), isNumber: true, of: ({ messages }) => messages },
          {
            title: say('files.file'),
            of: ({ id: attachment_id, name }) => (
              <Confirm
                words={say('files.delete')}
                label={say('files.delete-one', { name })}
                onConfirm={() =>
                  deed.run(
                    () =>
                      client.call('DELETE /realm/console/files/{attachment_id}', { attachment_id }),
                    say('files.deleted', { name }),
                  )
                }
              >
                {say('files.delete-ask', { name })}
              </Confirm>
            ),
          },
        ]}
      />
    </section>
  );
}

function Quota({ used, quota, count }: { used: number; quota: number | null; count: number }) {
  return (
    <p>
      {quota === null
        ? say('files.takes', { count, size: sizeOf(used) })
        : say('files.takes-of', { count, size: sizeOf(used), quota: sizeOf(quota) })}{' '}
      {quota !== null && (
        <meter
          aria-label={say('files.quota-used')}
          min={0}
          max={quota}
          high={0.9 * quota}
          value={used}
        />
      )}
    </p>
  );
}
