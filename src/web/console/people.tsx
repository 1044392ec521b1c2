import { useState } from 'preact/hooks';
import type { Client, Params, Reply } from '../../client/index.js';
import { useAsked, useDeed } from './asked.js';
import { DeedLine } from './deed-line.js';
import { Filter } from './filter.js';
import { PersonView } from './operating/person.js';
import { Reversible } from './reversible.js';
import { Table } from './table.js';
import { dayOf, say } from './text.js';

/** Rows that are drawn; the search finds the others. */
const MOST_ROWS = 200;

type Person = Reply<'GET /users'>['members'][number];
type Role = NonNullable<Params<'PATCH /users/{user_id}'>['role']>;

export const ROLES: readonly (readonly [Role, string])[] = [
  [100, say('role.owner')],
  [200, say('role.administrator')],
  [300, say('role.moderator')],
  [400, say('role.member')],
  [600, say('role.guest')],
];

/** Accounts: roles, deactivation and return. */
export function People({ client }: { client: Client }) {
  const [filter, setFilter] = useState('');
  const [opened, open] = useState<number | null>(null);
  const asked = useAsked(() => client.call('GET /users', {}), [client]);
  const deed = useDeed(asked.reload);
  const people = (asked.value?.members ?? []).filter(({ is_bot }) => !is_bot);
  const wanted = filter.toLowerCase();
  const found = people.filter(({ full_name, email, delivery_email }) =>
    `${full_name} ${email} ${delivery_email ?? ''}`.toLowerCase().includes(wanted),
  );
  const owners = people.filter((one) => one.is_owner && one.is_active);
  /** Whom the server would not let go. */
  const only = owners.length === 1 ? owners[0]!.user_id : undefined;
  const person = people.find(({ user_id }) => user_id === opened);
  const change = (person: Person, role: Role): void =>
    deed.run(
      () => client.call('PATCH /users/{user_id}', { user_id: person.user_id, role }),
      say('people.now', {
        name: person.full_name,
        role: ROLES.find(([value]) => value === role)![1],
      }),
    );
  return (
    <section aria-labelledby="people-title">
      <h2 id="people-title">{say('people.title')}</h2>
      <Filter id="people-filter" label={say('people.filter')} value={filter} onFilter={setFilter}>
        {say('people.count', { count: found.length })}
        {found.length > MOST_ROWS && say('list.shown', { count: MOST_ROWS })}
      </Filter>
      <DeedLine deed={deed} asked={asked} />
      {person && <PersonView key={opened} {...{ client, person }} close={() => open(null)} />}
      <Table
        label={say('people.list')}
        rows={found.slice(0, MOST_ROWS)}
        keyOf={({ user_id }) => user_id}
        empty={say(asked.value ? 'people.none' : 'list.asking')}
        columns={[
          { title: say('column.name'), of: ({ full_name }) => full_name },
          {
            title: say('column.address'),
            of: ({ delivery_email, email }) => delivery_email ?? email,
          },
          {
            title: say('column.role'),
            of: (person) => (
              <select
                aria-label={say('people.role-of', { name: person.full_name })}
                value={person.role}
                disabled={!person.is_active || deed.isBusy || person.user_id === only}
                title={person.user_id === only ? say('people.only-owner') : undefined}
                onChange={(event) => change(person, Number(event.currentTarget.value) as Role)}
              >
                {ROLES.map(([value, title]) => (
                  <option key={value} value={value}>
                    {title}
                  </option>
                ))}
              </select>
            ),
          },
          {
            title: say('people.logins'),
            of: ({ user_id, full_name: name }) => (
              <button
                class="plain"
                aria-label={say('people.open-logins', { name })}
                aria-expanded={user_id === opened}
                onClick={() => open(user_id)}
              >
                {say('people.open')}
              </button>
            ),
          },
          { title: say('people.joined'), of: ({ date_joined }) => dayOf(date_joined) },
          {
            title: say('people.account'),
            of: ({ user_id, full_name: name, is_active: isActive }) =>
              user_id === only ? (
                <small>{say('people.only-owner')}</small>
              ) : (
                <Reversible
                  name={name}
                  isOff={!isActive}
                  words={[say('deed.deactivate'), say('deed.reactivate')]}
                  turnOff={() =>
                    deed.run(
                      () => client.call('DELETE /users/{user_id}', { user_id }),
                      say('people.deactivated', { name }),
                    )
                  }
                  turnOn={() =>
                    deed.run(
                      () => client.call('POST /users/{user_id}/reactivate', { user_id }),
                      say('people.reactivated', { name }),
                    )
                  }
                >
                  {say('people.deactivate', { name })}
                </Reversible>
              ),
          },
        ]}
      />
    </section>
  );
}
