import t from 'tap';
import { exchange, form, FORM, type ApiClient, type Body } from '../harness/client.js';
import { linkIn, Mailbox } from '../harness/mailbox.js';
import { startOrganization, type SmallOrganization } from '../harness/organization.js';
import { check, LEGACY, MODERN, Viewer } from '../harness/viewers.js';

interface Invited extends SmallOrganization {
  readonly mailbox: Mailbox;
}

type Operation = (organization: Invited) => Promise<unknown>;

const JSON_ACCEPT = { Accept: 'application/json' };

/** Follows the link that was mailed to an address. */
async function follow({ mailbox, server }: Invited, email: string): Promise<Body> {
  const { pathname } = linkIn(await mailbox.to(email));
  const { status, body } = await exchange(server.url, 'GET', pathname, { headers: JSON_ACCEPT });
  if (status !== 200) throw new Error(`${pathname}: ${JSON.stringify(body)}`);
  return { ...body, pathname };
}

async function post({ server }: Invited, path: string, fields: Body): Promise<Body> {
  const headers = { ...FORM, ...JSON_ACCEPT };
  const { status, body } = await exchange(server.url, 'POST', path, {
    headers,
    body: form(fields),
  });
  if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`);
  return body;
}

async function accept(organization: Invited, email: string, fields: Body = {}): Promise<Body> {
  const { key } = await follow(organization, email);
  const full_name = email.split('@')[0]!;
  const password = 'cedar-window-31-map';
  return post(organization, '/accounts/register/', { key, full_name, password, ...fields });
}

const invite = (client: ApiClient, invitee_emails: string, more: Body = {}) =>
  client.ok('POST', '/invites', { invitee_emails, stream_ids: [], ...more });

async function privateChannel(client: ApiClient): Promise<number> {
  const name = 'backstage';
  await client.ok('POST', '/users/me/subscriptions', {
    subscriptions: [{ name }],
    invite_only: true,
  });
  const { streams } = await client.ok('GET', '/streams', { include_subscribed: true });
  return Number((streams as Body[]).find((one) => one.name === name)!.stream_id);
}

async function group(client: ApiClient, other: ApiClient): Promise<number> {
  const members = [client.userId, other.userId];
  const parameters = { name: 'crew', description: '', members };
  return Number((await client.ok('POST', '/user_groups/create', parameters)).group_id);
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'inviting somebody': ({ owner }) => invite(owner, 'first@example.org'),
  'a reusable link': ({ owner }) => owner.ok('POST', '/invites/multiuse'),
  'sending it again': ({ owner }) => owner.ok('POST', '/invites/1/resend'),
  'revoking both': async ({ owner }) => {
    await owner.ok('DELETE', '/invites/1');
    await owner.ok('DELETE', '/invites/multiuse/1');
  },
  'accepting an invitation': async (organization) => {
    const include_realm_default_subscriptions = true;
    await invite(organization.hamlet, 'plain@example.org', { include_realm_default_subscriptions });
    await accept(organization, 'plain@example.org');
  },
  'accepting with a private channel, a group and a hidden address': async (organization) => {
    const { hamlet, owner } = organization;
    const stream_ids = [await privateChannel(owner)];
    const group_ids = [await group(owner, hamlet)];
    await invite(owner, 'more@example.org', { stream_ids, group_ids, invite_as: 600 });
    const choice = { email_address_visibility: '3', timezone: 'Europe/Rome' };
    await accept(organization, 'more@example.org', choice);
  },
  'announcing who joins': async (organization) => {
    const { streams } = await organization.owner.ok('GET', '/streams');
    const general = (streams as Body[]).find((one) => one.name === 'general')!.stream_id;
    const announcing = { signup_announcements_stream_id: general };
    await organization.owner.ok('PATCH', '/realm', announcing);
    await invite(organization.hamlet, 'loud@example.org');
    await accept(organization, 'loud@example.org');
  },
  'a new address': async (organization) => {
    await organization.hamlet.ok('PATCH', '/settings', {
      email: 'prince@example.org',
      old_password: 'willow-anchor-hamlet-47',
    });
    await follow(organization, 'prince@example.org');
  },
  'allowing a domain': ({ owner }) =>
    owner.ok('POST', '/realm/domains', { domain: 'example.org', allow_subdomains: false }),
  'allowing another': ({ owner }) =>
    owner.ok('POST', '/realm/domains', { domain: 'example.com', allow_subdomains: false }),
  'its subdomains': ({ owner }) =>
    owner.ok('PATCH', '/realm/domains/example.org', { allow_subdomains: true }),
  'restricting to them': ({ owner }) =>
    owner.ok('PATCH', '/realm', { emails_restricted_to_domains: true }),
  'removing one': ({ owner }) => owner.ok('DELETE', '/realm/domains/example.org'),
  'removing the last one': ({ owner }) => owner.ok('DELETE', '/realm/domains/example.com'),
};

void t.test('snapshot and events meet: invitations, sign-up and domains', async (t) => {
  const mailbox = await Mailbox.open(t);
  const organization = await startOrganization(t, { env: { PARLEY_MAIL: mailbox.url } });
  const { owner, iago } = organization;
  const viewers = [
    await Viewer.open('owner, asking for everything', owner, MODERN),
    await Viewer.open('owner, asking for little', owner, LEGACY),
    await Viewer.open('member, asking for everything', iago, MODERN),
    await Viewer.open('member, asking for little', iago, LEGACY),
  ];
  await check(t, { ...organization, mailbox }, viewers, OPERATIONS);
});
