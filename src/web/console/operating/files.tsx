import type { Client } from '../../../client/index.js';
import { useAsked, useDeed } from '../asked.js';
import { Confirm, DeedLine } from '../deed-line.js';
import { Table } from '../table.js';
import { dayOf, plural, sizeOf } from '../text.js';

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
      <h2 id="files-title">Files</h2>
      <DeedLine deed={deed} asked={asked} />
      {usage && (
        <Quota used={usage.used_bytes} quota={usage.quota_bytes} count={usage.file_count} />
      )}
      <h3>By person</h3>
      <Table
        label="Files by person"
        rows={usage?.people ?? []}
        keyOf={({ user_id: id }) => id}
        empty={usage ? 'Nobody has uploaded a file.' : 'Asking …'}
        columns={[
          { title: 'Person', of: ({ user_id: id }) => nameOf(id) },
          { title: 'Files', isNumber: true, of: ({ files }) => files.toLocaleString() },
          { title: 'Size', isNumber: true, of: ({ bytes }) => sizeOf(bytes) },
        ]}
      />
      <h3>Largest files</h3>
      <Table
        label="Largest files"
        rows={usage?.largest ?? []}
        keyOf={({ id }) => id}
        empty={usage ? 'There are none.' : 'Asking …'}
        columns={[
          { title: 'Name', isLong: true, of: ({ name }) => name },
          { title: 'Size', isNumber: true, of: ({ bytes }) => sizeOf(bytes) },
          { title: 'Person', of: ({ user_id: id }) => nameOf(id) },
          { title: 'Uploaded', of: ({ created_at: at }) => dayOf(at) },
          { title: 'In messages', isNumber: true, of: ({ messages }) => messages },
          {
            title: 'File',
            of: ({ id: attachment_id, name }) => (
              <Confirm
                words="Delete"
                label={`Delete ${name}`}
                onConfirm={() =>
                  deed.run(
                    () =>
                      client.call('DELETE /realm/console/files/{attachment_id}', { attachment_id }),
                    `${name} is deleted.`,
                  )
                }
              >
                Delete {name}? Messages keep a link that leads nowhere. You cannot take it back.
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
      {plural(count, 'file takes', 'files take')} {sizeOf(used)}
      {quota === null ? '; there is no quota.' : ` of ${sizeOf(quota)}.`}{' '}
      {quota !== null && (
        <meter
          aria-label="Part of the quota that is used"
          min={0}
          max={quota}
          high={0.9 * quota}
          value={used}
        />
      )}
    </p>
  );
}
