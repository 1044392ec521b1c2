import type { Client } from '../../client/index.js';
import { useAsked, useDeed } from './asked.js';
import { DeedLine } from './deed-line.js';
import { Reversible } from './reversible.js';
import { Table } from './table.js';

/** Groups that people made; those of roles follow from the roles. */
export function Groups({ client }: { client: Client }) {
  const asked = useAsked(
    () => client.call('GET /user_groups', { include_deactivated_groups: true }),
    [client],
  );
  const deed = useDeed(asked.reload);
  const groups = (asked.value?.user_groups ?? []).filter(
    ({ is_system_group: isSystem }) => !isSystem,
  );
  return (
    <section aria-labelledby="groups-title">
      <h2 id="groups-title">Groups</h2>
      <DeedLine deed={deed} asked={asked} />
      <Table
        label="List of groups"
        rows={groups}
        keyOf={({ id }) => id}
        empty={asked.value ? 'Nobody has made a group yet.' : 'Asking …'}
        columns={[
          { title: 'Name', of: ({ name }) => name },
          { title: 'Description', of: ({ description }) => description },
          {
            title: 'Members',
            isNumber: true,
            of: ({ members }) => members.length.toLocaleString(),
          },
          {
            title: 'Groups in it',
            isNumber: true,
            of: ({ direct_subgroup_ids: ids }) => ids.length.toLocaleString(),
          },
          {
            title: 'Change',
            of: ({ id: user_group_id, name, deactivated }) => (
              <Reversible
                name={name}
                isOff={deactivated}
                words={['Deactivate', 'Reactivate']}
                turnOff={() =>
                  deed.run(
                    () =>
                      client.call('POST /user_groups/{user_group_id}/deactivate', {
                        user_group_id,
                      }),
                    `${name} is deactivated.`,
                  )
                }
                turnOn={() =>
                  deed.run(
                    () =>
                      client.call('PATCH /user_groups/{user_group_id}', {
                        user_group_id,
                        deactivated: false,
                      }),
                    `${name} is a group again.`,
                  )
                }
              >
                Deactivate {name}? It can be mentioned no longer. A group that a setting uses is
                refused. You can take it back.
              </Reversible>
            ),
          },
        ]}
      />
    </section>
  );
}
