import { useState } from 'preact/hooks';
import type { Client, Params, Reply } from '../../client/index.js';
import { useAsked, useDeed } from './asked.js';
import { DeedLine } from './deed-line.js';
import { Filter } from './filter.js';
import { PersonView } from './operating/person.js';
import { Reversible } from './reversible.js';
import { Table } from './table.js';
import { dayOf, plural } from './text.js';

/** Rows that are drawn; the search finds the others. */
const MOST_ROWS = 200;

type Person = Reply<'GET /users'>['members'][number];
type Role = NonNullable<Params<'PATCH /users/{user_id}'>['role']>;

export const ROLES: readonly (readonly [Role, string])[] = [
  [100, 'Owner'],
  [200, 'Administrator'],
  [300, 'Moderator'],
  [400, 'Member'],
  [600, 'Guest'],
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
  const person = people.find(({ user_id }) => user_id === opened);
  const change = (person: Person, role: Role): void =>
    deed.run(
      () => client.call('PATCH /users/{user_id}', { user_id: person.user_id, role }),
      `${person.full_name} is now ${ROLES.find(([value]) => value === role)![1]}.`,
    );
  return (
    <section aria-labelledby="people-title">
      <h2 id="people-title">People</h2>
      <Filter id="people-filter" label="Name or address" value={filter} onFilter={setFilter}>
        {plural(found.length, 'person', 'people')}
        {found.length > MOST_ROWS && `, ${MOST_ROWS} shown`}
      </Filter>
      <DeedLine deed={deed} asked={asked} />
      {person && <PersonView key={opened} {...{ client, person }} close={() => open(null)} />}
      <Table
        label="List of people"
        rows={found.slice(0, MOST_ROWS)}
        keyOf={({ user_id }) => user_id}
        empty={asked.value ? 'Nobody matches.' : 'Asking …'}
        columns={[
          { title: 'Name', of: ({ full_name }) => full_name },
          { title: 'Address', of: ({ delivery_email, email }) => delivery_email ?? email },
          {
            title: 'Role',
            of: (person) => (
              <select
                aria-label={`Role of ${person.full_name}`}
                value={person.role}
                disabled={!person.is_active || deed.isBusy}
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
            title: 'Logins',
            of: ({ user_id, full_name: name }) => (
              <button
                class="plain"
                aria-label={`Open logins of ${name}`}
                aria-expanded={user_id === opened}
                onClick={() => open(user_id)}
              >
                Open
              </button>
            ),
          },
          { title: 'Joined', of: ({ date_joined }) => dayOf(date_joined) },
          {
            title: 'Account',
            of: ({ user_id, full_name: name, is_active: isActive }) => (
              <Reversible
                name={name}
                isOff={!isActive}
                words={['Deactivate', 'Reactivate']}
                turnOff={() =>
                  deed.run(
                    () => client.call('DELETE /users/{user_id}', { user_id }),
                    `${name} is deactivated.`,
                  )
                }
                turnOn={() =>
                  deed.run(
                    () => client.call('POST /users/{user_id}/reactivate', { user_id }),
                    `${name} can log in again.`,
                  )
                }
              >
                Deactivate {name}? They are logged out everywhere, and their bots end. Their
                messages stay. You can take it back.
              </Reversible>
            ),
          },
        ]}
      />
    </section>
  );
}
