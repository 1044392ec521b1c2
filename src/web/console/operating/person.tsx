import type { Client, Reply } from '../../../client/index.js';
import { useAsked, useDeed } from '../asked.js';
import { Confirm, DeedLine } from '../deed-line.js';
import { Table } from '../table.js';
import { dayOf, durationOf, say } from '../text.js';

type Person = Reply<'GET /users'>['members'][number];

interface Known {
  readonly logins: Reply<'GET /realm/console/users/{user_id}'>;
  readonly clients: NonNullable<Reply<'GET /realm/console'>['queues']>;
}

async function read(client: Client, user_id: number): Promise<Known> {
  const [logins, look] = await Promise.all([
    client.call('GET /realm/console/users/{user_id}', { user_id }),
    client.call('GET /realm/console', { with_queues: true, queue_filter: String(user_id) }),
  ]);
  const queues = look.queues ?? [];
  return { logins, clients: queues.filter((queue) => queue.user_id === user_id) };
}

interface Props {
  readonly client: Client;
  readonly person: Person;
  readonly close: () => void;
}

/** How somebody logs in, and what ends it. */
export function PersonView({ client, person, close }: Props) {
  const { user_id, full_name: name } = person;
  const asked = useAsked(() => read(client, user_id), [client, user_id]);
  const deed = useDeed(asked.reload);
  const { logins, clients = [] } = asked.value ?? {};
  return (
    <div class="chosen" role="group" aria-label={say('person.logins', { name })}>
      <h3>{name}</h3>
      <DeedLine deed={deed} asked={asked} />
      <p class="deeds">
        <Reset {...{ client, person, deed }} isMailed={logins?.reset_is_mailed ?? true} />
        <Confirm
          words={say('person.log-out')}
          label={say('person.log-out-one', { name })}
          onConfirm={() =>
            deed.run(
              () => client.call('DELETE /realm/console/users/{user_id}/sessions', { user_id }),
              say('person.logged-out', { name }),
            )
          }
        >
          {say('person.log-out-ask', { name })}
        </Confirm>
        {logins?.has_two_factor && (
          <Confirm
            words={say('person.factor-off')}
            label={say('person.factor-off-one', { name })}
            onConfirm={() =>
              deed.run(
                () => client.call('DELETE /realm/console/users/{user_id}/two_factor', { user_id }),
                say('person.factor-is-off', { name }),
              )
            }
          >
            {say('person.factor-ask', { name })}
          </Confirm>
        )}
        <button class="plain" onClick={close}>
          {say('dialog.close')}
        </button>
      </p>
      <p>{say(logins?.has_two_factor ? 'person.needs-factor' : 'person.needs-no-factor')}</p>
      <Table
        label={say('person.sessions', { name })}
        rows={logins?.sessions ?? []}
        keyOf={({ id }) => id}
        empty={say(logins ? 'person.no-session' : 'list.asking')}
        columns={[
          { title: say('person.browser'), of: ({ device }) => device },
          { title: say('column.since'), of: ({ created_at: at }) => dayOf(at * 1000) },
          { title: say('person.last-used'), of: ({ last_used_at: at }) => dayOf(at * 1000) },
          {
            title: say('person.session'),
            of: ({ id: session_id, device }) => (
              <button
                class="plain"
                aria-label={say('person.end-one', { device })}
                onClick={() =>
                  deed.run(
                    () =>
                      client.call('DELETE /realm/console/users/{user_id}/sessions/{session_id}', {
                        user_id,
                        session_id,
                      }),
                    say('person.ended'),
                  )
                }
              >
                {say('person.end')}
              </button>
            ),
          },
        ]}
      />
      <Table
        label={say('person.clients', { name })}
        rows={clients}
        keyOf={({ queue_id }) => queue_id}
        empty={say(logins ? 'person.no-client' : 'list.asking')}
        columns={[
          { title: say('column.client'), of: ({ client: program }) => program || '–' },
          { title: say('column.transport'), of: ({ transport }) => transport },
          {
            title: say('person.idle'),
            isNumber: true,
            of: ({ idle_seconds: idle }) => durationOf(idle),
          },
          { title: say('column.events'), isNumber: true, of: ({ events }) => events },
          {
            title: say('person.connection'),
            of: ({ queue_id, client: program }) => (
              <Confirm
                words={say('person.disconnect')}
                label={
                  program
                    ? say('person.disconnect-one', { client: program })
                    : say('person.disconnect-client')
                }
                onConfirm={() =>
                  deed.run(
                    () => client.call('DELETE /realm/console/queues/{queue_id}', { queue_id }),
                    say('person.disconnected'),
                  )
                }
              >
                {say('person.disconnect-ask', { name })}
              </Confirm>
            ),
          },
        ]}
      />
    </div>
  );
}

interface ResetProps {
  readonly client: Client;
  readonly person: Person;
  readonly deed: ReturnType<typeof useDeed>;
  readonly isMailed: boolean;
}

/** Lets somebody set a new password: by mail, or by a link that an owner hands over. */
function Reset({ client, person: { user_id, full_name: name }, deed, isMailed }: ResetProps) {
  const reset = async (): Promise<string> => {
    const path = 'POST /realm/console/users/{user_id}/password_reset';
    const { reset_link } = await client.call(path, { user_id });
    return reset_link ?? say('person.reset-mailed', { name });
  };
  return (
    <Confirm
      words={say('person.reset')}
      label={say('person.reset-one', { name })}
      onConfirm={() => deed.run(reset)}
    >
      {say(isMailed ? 'person.reset-by-mail' : 'person.reset-by-link', { name })}
    </Confirm>
  );
}
