import type { Client, Reply } from '../../client/index.js';
import { fieldOf } from '../shared/components.js';
import { useAsked, useDeed } from './asked.js';
import { Confirm, DeedLine } from './deed-line.js';
import { ROLES } from './people.js';
import { Table } from './table.js';
import { dayOf } from './text.js';

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
      deed.run(() => client.call('POST /invites/multiuse', shared), 'The link is in the list.');
    } else {
      deed.run(
        () => client.call('POST /invites', { ...shared, invitee_emails: emails }),
        'The invitations are on their way.',
      );
    }
  };
  const revoke = ({ id, is_multiuse: isLink }: Invitation) =>
    isLink
      ? client.call('DELETE /invites/multiuse/{invite_id}', { invite_id: id })
      : client.call('DELETE /invites/{invite_id}', { invite_id: id });
  return (
    <section aria-labelledby="invitations-title">
      <h2 id="invitations-title">Invitations</h2>
      <form class="filters" onSubmit={invite}>
        <span>
          <label for="emails">Addresses</label>{' '}
          <input id="emails" name="emails" placeholder="empty: a link for anybody" />
        </span>
        <span>
          <label for="role">as</label>{' '}
          <select id="role" name="role" defaultValue="400">
            {ROLES.map(([value, title]) => (
              <option key={value} value={value} selected={value === 400}>
                {title}
              </option>
            ))}
          </select>
        </span>
        <button disabled={deed.isBusy}>Invite</button>
      </form>
      <DeedLine deed={deed} asked={asked} />
      <Table
        label="List of invitations"
        rows={asked.value?.invites ?? []}
        keyOf={({ id, is_multiuse }) => `${is_multiuse} ${id}`}
        empty={asked.value ? 'No invitation is open.' : 'Asking …'}
        columns={[
          {
            title: 'For',
            of: ({ email, link_url: link }) => (link ? <a href={link}>{link}</a> : email),
          },
          {
            title: 'As',
            of: ({ invited_as: role }) => ROLES.find(([value]) => value === role)![1],
          },
          { title: 'Since', of: ({ invited }) => dayOf(invited * 1000) },
          {
            title: 'Until',
            of: ({ expiry_date: until }) => (until === null ? 'revoked' : dayOf(until * 1000)),
          },
          {
            title: 'Change',
            of: (one) => {
              const name = one.email ?? `the link ${one.id}`;
              return (
                <>
                  {!one.is_multiuse && (
                    <button
                      class="plain"
                      aria-label={`Send again to ${name}`}
                      onClick={() =>
                        deed.run(
                          () =>
                            client.call('POST /invites/{invite_id}/resend', { invite_id: one.id }),
                          `The invitation to ${name} is sent again.`,
                        )
                      }
                    >
                      Send again
                    </button>
                  )}
                  <Confirm
                    words="Revoke"
                    label={`Revoke ${name}`}
                    onConfirm={() => deed.run(() => revoke(one), `${name} is revoked.`)}
                  >
                    Revoke {name}? Nobody can join by it any longer.
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
