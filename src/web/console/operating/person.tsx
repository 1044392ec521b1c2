import type { Client, Reply } from '../../../client/index.js';
import { useAsked, useDeed } from '../asked.js';
import { Confirm, DeedLine } from '../deed-line.js';
import { Table } from '../table.js';
import { dayOf, durationOf } from '../text.js';

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
    <div class="chosen" role="group" aria-label={`Logins of ${name}`}>
      <h3>{name}</h3>
      <DeedLine deed={deed} asked={asked} />
      <p class="deeds">
        <Reset {...{ client, person, deed }} isMailed={logins?.reset_is_mailed ?? true} />
        <Confirm
          words="Log out everywhere"
          label={`Log out everywhere: ${name}`}
          onConfirm={() =>
            deed.run(
              () => client.call('DELETE /realm/console/users/{user_id}/sessions', { user_id }),
              `${name} is logged out everywhere.`,
            )
          }
        >
          Log {name} out everywhere? All sessions and devices end and the API key changes. The
          password stays.
        </Confirm>
        {logins?.has_two_factor && (
          <Confirm
            words="Turn second factor off"
            label={`Turn second factor off for ${name}`}
            onConfirm={() =>
              deed.run(
                () => client.call('DELETE /realm/console/users/{user_id}/two_factor', { user_id }),
                `${name} logs in by password alone.`,
              )
            }
          >
            Turn off the second factor of {name}? Then the password alone lets somebody in. Do it
            only for those who have lost theirs, and make sure who asks.
          </Confirm>
        )}
        <button class="plain" onClick={close}>
          Close
        </button>
      </p>
      <p>
        {logins?.has_two_factor
          ? 'Password logins need a second factor.'
          : 'Password logins need no second factor.'}
      </p>
      <Table
        label={`Sessions of ${name}`}
        rows={logins?.sessions ?? []}
        keyOf={({ id }) => id}
        empty={logins ? 'Not logged in by a browser.' : 'Asking …'}
        columns={[
          { title: 'Browser', of: ({ device }) => device },
          { title: 'Since', of: ({ created_at: at }) => dayOf(at * 1000) },
          { title: 'Last used', of: ({ last_used_at: at }) => dayOf(at * 1000) },
          {
            title: 'Session',
            of: ({ id: session_id, device }) => (
              <button
                class="plain"
                aria-label={`End session ${device}`}
                onClick={() =>
                  deed.run(
                    () =>
                      client.call('DELETE /realm/console/users/{user_id}/sessions/{session_id}', {
                        user_id,
                        session_id,
                      }),
                    'The session is ended.',
                  )
                }
              >
                End
              </button>
            ),
          },
        ]}
      />
      <Table
        label={`Clients of ${name}`}
        rows={clients}
        keyOf={({ queue_id }) => queue_id}
        empty={logins ? 'No client is connected.' : 'Asking …'}
        columns={[
          { title: 'Client', of: ({ client: program }) => program || '–' },
          { title: 'Transport', of: ({ transport }) => transport },
          { title: 'Idle', isNumber: true, of: ({ idle_seconds: idle }) => durationOf(idle) },
          { title: 'Events', isNumber: true, of: ({ events }) => events },
          {
            title: 'Connection',
            of: ({ queue_id, client: program }) => (
              <Confirm
                words="Disconnect"
                label={`Disconnect ${program || 'client'}`}
                onConfirm={() =>
                  deed.run(
                    () => client.call('DELETE /realm/console/queues/{queue_id}', { queue_id }),
                    'The client is disconnected.',
                  )
                }
              >
                Disconnect this client of {name}? It registers anew, and reads what it missed.
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
    return reset_link ?? `${name} is mailed a link to set a password.`;
  };
  return (
    <Confirm
      words="Reset password"
      label={`Reset password of ${name}`}
      onConfirm={() => deed.run(reset)}
    >
      {isMailed
        ? `Mail ${name} a link to set a new password? It works once, for a day. The present password works until then.`
        : `Show a link by which ${name} sets a new password? Hand it to nobody else: whoever has it gets the account. It works once, for a day.`}
    </Confirm>
  );
}
