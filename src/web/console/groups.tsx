import type { Client } from '../../client/index.js';
import { useAsked, useDeed } from './asked.js';
import { DeedLine } from './deed-line.js';
import { Reversible } from './reversible.js';
import { Table } from './table.js';
import { say } from './text.js';

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
      <h2 id="groups-title">{say('groups.title')}</h2>
      <DeedLine deed={deed} asked={asked} />
      <Table
        label={say('groups.list')}
        rows={groups}
        keyOf={({ id }) => id}
        empty={say(asked.value ? 'groups.none' : 'list.asking')}
        columns={[
          { title: say('column.name'), of: ({ name }) => name },
          { title: say('column.description'), of: ({ description }) => description },
          {
            title: say('groups.members'),
            isNumber: true,
            of: ({ members }) => members.length.toLocaleString(),
          },
          {
            title: say('groups.subgroups'),
            isNumber: true,
            of: ({ direct_subgroup_ids: ids }) => ids.length.toLocaleString(),
          },
          {
            title: say('column.change'),
            of: ({ id: user_group_id, name, deactivated }) => (
              <Reversible
                name={name}
                isOff={deactivated}
                words={[say('deed.deactivate'), say('deed.reactivate')]}
                turnOff={() =>
                  deed.run(
                    () =>
                      client.call('POST /user_groups/{user_group_id}/deactivate', {
                        user_group_id,
                      }),
                    say('groups.deactivated', { name }),
                  )
                }
                turnOn={() =>
                  deed.run(
                    () =>
                      client.call('PATCH /user_groups/{user_group_id}', {
                        user_group_id,
                        deactivated: false,
                      }),
                    say('groups.reactivated', { name }),
                  )
                }
              >
                {say('groups.deactivate', { name })}
              </Reversible>
            ),
          },
        ]}
      />
    </section>
  );
}
