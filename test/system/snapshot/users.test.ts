import t from 'tap';
import sharp from 'sharp';
import { exchange, type ApiClient, type Body } from '../harness/client.js';
import { startOrganization, type SmallOrganization } from '../harness/organization.js';
import { check, LEGACY, MODERN, Viewer } from '../harness/viewers.js';

/** What operations leave for later ones. */
const made: Record<string, number> = {};

type Operation = (organization: Company) => Promise<unknown>;

interface Company extends SmallOrganization {
  /** Somebody whose account is changed all the time. */
  readonly zoe: ApiClient;
}

const zoeIs = ({ owner, zoe }: Company, change: Body) =>
  owner.ok('PATCH', `/users/${zoe.userId}`, change);

async function upload(client: ApiClient): Promise<void> {
  const picture = await sharp({
    create: { width: 20, height: 10, channels: 3, background: 'red' },
  })
    .png()
    .toBuffer();
  const boundary = 'parley-test';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="me.png"\r\n\r\n`;
  const body = Buffer.concat([Buffer.from(head), picture, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  const headers = {
    Authorization: client.authorization,
    'Content-Type': `multipart/form-data; boundary=${boundary}`,
  };
  const reply = await exchange(client.url, 'POST', '/api/v1/users/me/avatar', { headers, body });
  if (reply.status !== 200) throw new Error(reply.text);
}

const ROLES: Readonly<Record<string, Operation>> = {
  'an address hidden from guests': ({ hamlet }) =>
    hamlet.ok('PATCH', '/settings', { email_address_visibility: 2 }),
  'an address hidden from members': ({ iago }) =>
    iago.ok('PATCH', '/settings', { email_address_visibility: 3 }),
  'a channel of which somebody will lose sight': ({ owner }) =>
    owner.ok('POST', '/users/me/subscriptions', { subscriptions: [{ name: 'public' }] }),
  'a private one': ({ owner }) =>
    owner.ok('POST', '/users/me/subscriptions', {
      subscriptions: [{ name: 'closed' }],
      invite_only: true,
    }),
  'a bot of somebody': async ({ hamlet }) => {
    const bot = await hamlet.ok('POST', '/bots', { full_name: 'Prompter', short_name: 'prompter' });
    made.bot = Number(bot.user_id);
  },
  'a member becomes a guest': (company) => zoeIs(company, { role: 600 }),
  'a guest becomes a member': (company) => zoeIs(company, { role: 400 }),
  'a member becomes an administrator': (company) => zoeIs(company, { role: 200 }),
  'an administrator becomes an owner': (company) => zoeIs(company, { role: 100 }),
  'an owner becomes a moderator': (company) => zoeIs(company, { role: 300 }),
  'a moderator becomes a guest': (company) => zoeIs(company, { role: 600 }),
  'a guest is subscribed': ({ owner, zoe }) =>
    owner.ok('POST', '/users/me/subscriptions', {
      subscriptions: [{ name: 'public' }],
      principals: [zoe.userId],
    }),
  'a message to a guest': ({ owner }) => owner.say('@**Zoe** welcome', 'public'),
  'a guest becomes an administrator': (company) => zoeIs(company, { role: 200 }),
  'and a member again': (company) => zoeIs(company, { role: 400 }),
};

const CHANGES: Readonly<Record<string, Operation>> = {
  'another name': (company) => zoeIs(company, { full_name: 'Zoë' }),
  'another address': async (company) => {
    await zoeIs(company, { new_email: 'zoe.two@example.org' });
    // The former one names nobody any more.
    company.zoe.email = 'zoe.two@example.org';
  },
  'a status': ({ zoe }) =>
    zoe.ok('POST', '/users/me/status', { status_text: 'on holiday', emoji_name: 'car' }),
  'another text': ({ zoe }) => zoe.ok('POST', '/users/me/status', { status_text: 'back soon' }),
  away: ({ zoe }) => zoe.ok('POST', '/users/me/status', { away: true }),
  'not away': ({ zoe }) => zoe.ok('POST', '/users/me/status', { away: false }),
  'no emoji': ({ zoe }) => zoe.ok('POST', '/users/me/status', { emoji_name: '' }),
  'a status by an administrator': ({ owner, hamlet }) =>
    owner.ok('POST', `/users/${hamlet.userId}/status`, { status_text: 'ill' }),
  'a picture': ({ zoe }) => upload(zoe),
  'another picture': ({ zoe }) => upload(zoe),
  'no picture': ({ zoe }) => zoe.ok('DELETE', '/users/me/avatar'),
};

const PROFILES: Readonly<Record<string, Operation>> = {
  'a field': async ({ owner }) => {
    const { id } = await owner.ok('POST', '/realm/profile_fields', {
      field_type: 1,
      name: 'Phone',
      hint: 'with country code',
    });
    made.phone = Number(id);
  },
  'a list of options': async ({ owner }) => {
    const { id } = await owner.ok('POST', '/realm/profile_fields', {
      field_type: 3,
      name: 'Meal',
      field_data: { a: { text: 'Meat', order: '1' }, b: { text: 'Fish', order: '2' } },
      display_in_profile_summary: true,
    });
    made.meal = Number(id);
  },
  'what people fill in': ({ zoe }) =>
    zoe.ok('PATCH', '/users/me/profile_data', {
      data: [
        { id: made.phone, value: '**+39** 06' },
        { id: made.meal, value: 'b' },
      ],
    }),
  'what an administrator fills in': (company) =>
    zoeIs(company, { profile_data: [{ id: made.phone, value: '1' }] }),
  'other options': ({ owner }) =>
    owner.ok('PATCH', `/realm/profile_fields/${made.meal}`, {
      name: 'Dinner',
      field_data: { a: { text: 'Meat', order: '1' } },
    }),
  'another order': ({ owner }) =>
    owner.ok('PATCH', '/realm/profile_fields', { order: [made.meal, made.phone] }),
  'a value cleared': ({ zoe }) =>
    zoe.ok('DELETE', '/users/me/profile_data', { data: [made.phone] }),
  'filled in again': ({ zoe }) =>
    zoe.ok('PATCH', '/users/me/profile_data', { data: [{ id: made.phone, value: '2' }] }),
  'a field deleted': ({ owner }) => owner.ok('DELETE', `/realm/profile_fields/${made.phone}`),
};

const LEAVING: Readonly<Record<string, Operation>> = {
  'a bot of theirs': async ({ zoe }) => {
    const bot = await zoe.ok('POST', '/bots', { full_name: 'Echo', short_name: 'echo' });
    made.echo = Number(bot.user_id);
  },
  'a group with them': async ({ owner, zoe, hamlet }) => {
    const { group_id } = await owner.ok('POST', '/user_groups/create', {
      name: 'crew',
      description: '',
      members: [zoe.userId, hamlet.userId],
      can_mention_group: { direct_members: [zoe.userId, hamlet.userId], direct_subgroups: [] },
    });
    made.crew = Number(group_id);
  },
  deactivation: ({ owner, zoe }) => owner.ok('DELETE', `/users/${zoe.userId}`),
  reactivation: ({ owner, zoe }) => owner.ok('POST', `/users/${zoe.userId}/reactivate`),
  'reactivation of a bot': ({ owner }) => owner.ok('POST', `/users/${made.echo}/reactivate`),
  'leaving by oneself': ({ zoe }) => zoe.ok('DELETE', '/users/me'),
};

const PEOPLE = [
  'realm_users',
  'realm_non_active_users',
  'realm_bots',
  'realm_user_groups',
  'user_status',
  'custom_profile_fields',
];

// [c:snapshot-users]
void t.test('snapshot and events meet: users', async (t) => {
  const organization = await startOrganization(t);
  const zoe = await organization.owner.createUser('zoe');
  const company: Company = { ...organization, zoe };
  const open = (clients: Readonly<Record<string, ApiClient>>) =>
    Promise.all(
      Object.entries(clients).flatMap(([who, client]) => [
        Viewer.open(`${who}, modern`, client, MODERN),
        Viewer.open(`${who}, legacy`, client, LEGACY),
        Viewer.open(`${who}, plain`, client, {}),
      ]),
    );
  const { owner, hamlet, iago } = company;
  const everybody = await open({ owner, hamlet, zoe });
  await check(t, company, everybody, { ...ROLES, ...CHANGES, ...PROFILES });
  // Whoever leaves cannot look.
  await owner.ok('PATCH', `/users/${iago.userId}`, { role: 600 });
  await check(t, company, await open({ owner, hamlet, iago }), LEAVING);

  await t.test('all of it is there after a restart', async (t) => {
    const known = async (client: ApiClient) => {
      const snapshot = await client.register({ client_gravatar: false });
      return Object.fromEntries(PEOPLE.map((name) => [name, snapshot[name]]));
    };
    const before = await known(owner);
    await company.server.stop();
    const { url } = await company.server.restart(t);
    t.strictSame(await known(owner.at(url)), before);
  });
});
