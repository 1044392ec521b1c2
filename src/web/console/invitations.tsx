import type { Client, Reply } from '../../client/index.js';
import { fieldOf } from '../shared/components.js';
import { useAsked, useDeed } from './asked.js';
import { Confirm, DeedLine } from './deed-line.js';
import { ROLES } from './people.js';
import { Table } from './table.js';
import { dayOf, say } from './text.js';

type Invitation = Reply<'GET /invites'>['invites'][number];

/** Open invitations and reusable links. */
export function Invitations({ client }: { client: Client }) {
  const asked = useAsked(() => client.call('GET /invites', {}), [client]);
  const deed = useDeed(asked.reload);
  const invite = (event: SubmitEvent): void => {
    event.preventDefault();
    const emails = fieldOf(event, 'emails');
    const role = Number(fieldOf(event, 'role')) as 400;
    const shared = { invite_as: role, stream_ids: [], include_realm_default_subscriptions: true };
    if (emails === '') {
      deed.run(() => client.call('POST /invites/multiuse', shared), say('invitations.link-made'));
    } else {
      deed.run(
        () => client.call('POST /invites', { ...shared, invitee_emails: emails }),
        say('invitations.sent'),
      );
    }
  };
  const revoke = ({ id, is_multiuse: isLink }: Invitation) =>
    isLink
      ? client.call('DELETE /invites/multiuse/{invite_id}', { invite_id: id })
      : client.call('DELETE /invites/{invite_id}', { invite_id: id });
  return (
    <section aria-labelledby="invitations-title">
      <h2 id="invitations-title">{say('invitations.title')}</h2>
      <form class="filters" onSubmit={invite}>
        <span>
          <label for="emails">{say('invitations.addresses')}</label>{' '}
          <input
            id="emails"
            name="emails"
            type="email"
            multiple
            placeholder={say('invitations.empty')}
          />
        </span>
        <span>
          <label for="role">{say('invitations.role')}</label>{' '}
          <select id="role" name="role" defaultValue="400">
            {ROLES.map(([value, title]) => (
              <option key={value} value={value} selected={value === 400}>
                {title}
              </option>
            ))}
          </select>
        </span>
        <button disabled={deed.isBusy}>{say('invitations.invite')}</button>
      </form>
      <DeedLine deed={deed} asked={asked} />
      <Table
        label={say('invitations.list')}
        rows={asked.value?.invites ?? []}
        keyOf={({ id, is_multiuse }) => `${is_multiuse} ${id}`}
        empty={say(asked.value ? 'invitations.none' : 'list.asking')}
        columns={[
          {
            title: say('invitations.for'),
            of: ({ email, link_url: link }) => (link ? <a href={link}>{link}</a> : email),
          },
          {
            title: say('invitations.as'),
            of: ({ invited_as: role }) => ROLES.find(([value]) => value === role)![1],
          },
          { title: say('column.since'), of: ({ invited }) => dayOf(invited * 1000) },
          {
            title: say('invitations.until'),
            of: ({ expiry_date: until }) =>
              until === null ? say('invitations.revoked') : dayOf(until * 1000),
          },
          {
            title: say('column.change'),
            of: (one) => {
              const name = one.email ?? say('invitations.the-link', { id: String(one.id) });
              return (
                <>
                  {!one.is_multiuse && (
                    <button
                      class="plain"
                      aria-label={say('invitations.again-to', { name })}
                      onClick={() =>
                        deed.run(
                          () =>
                            client.call('POST /invites/{invite_id}/resend', { invite_id: one.id }),
                          say('invitations.sent-again', { name }),
                        )
                      }
                    >
                      {say('invitations.again')}
                    </button>
                  )}
                  <Confirm
                    words={say('invitations.revoke')}
                    label={say('invitations.revoke-one', { name })}
                    onConfirm={() =>
                      deed.run(() => revoke(one), say('invitations.is-revoked', { name }))
                    }
                  >
                    {say('invitations.revoke-ask', { name })}
                  </Confirm>
                </>
              );
            },
          },
        ]}
      />
    </section>
  );
}
