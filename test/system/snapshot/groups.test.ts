import t from 'tap';
import { ApiClient, type Body } from '../harness/client.js';
import { askOrganization, type AskedOrganization } from '../harness/organization.js';
import { check, LEGACY, MODERN, Viewer } from '../harness/viewers.js';

type Operation = (organization: AskedOrganization) => Promise<unknown>;

/** Groups of the operations before, by name. */
const made: Record<string, number> = {};

async function create(client: ApiClient, name: string, parameters: Body = {}): Promise<void> {
  const asked = { name, description: `The ${name}`, members: [client.userId], ...parameters };
  const { group_id } = await client.ok('POST', '/user_groups/create', asked);
  made[name] = Number(group_id);
}

const change = (client: ApiClient, name: string, parameters: Body) =>
  client.ok('PATCH', `/user_groups/${made[name]}`, parameters);
const members = (client: ApiClient, name: string, parameters: Body) =>
  client.ok('POST', `/user_groups/${made[name]}/members`, parameters);
const deactivate = (client: ApiClient, name: string) =>
  client.ok('POST', `/user_groups/${made[name]}/deactivate`);
const only = (...ids: number[]) => ({ direct_members: ids, direct_subgroups: [] });

async function privateChannel(client: ApiClient, name: string, parameters: Body): Promise<void> {
  await client.ok('POST', '/users/me/subscriptions', {
    subscriptions: [{ name }],
    invite_only: true,
    ...parameters,
  });
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'a new group': ({ owner }) => create(owner, 'crew'),
  'a new group with subgroups': ({ hamlet }) =>
    create(hamlet, 'cast', { subgroups: [made.crew], can_join_group: made.crew }),
  'its name': ({ hamlet }) => change(hamlet, 'cast', { name: 'players' }),
  'its description and permissions': ({ hamlet, iago }) =>
    change(hamlet, 'cast', {
      description: 'On stage',
      can_manage_group: { new: only(hamlet.userId, iago.userId), old: only(hamlet.userId) },
      can_mention_group: { new: { direct_members: [iago.userId], direct_subgroups: [made.crew] } },
      can_remove_members_group: { new: made.crew },
    }),
  'a member comes': ({ hamlet, iago }) => members(hamlet, 'cast', { add: [iago.userId] }),
  'members come and go': ({ hamlet, iago, owner }) =>
    members(hamlet, 'cast', { add: [owner.userId], delete: [iago.userId] }),
  'a subgroup goes': ({ hamlet }) => members(hamlet, 'cast', { delete_subgroups: [made.crew] }),
  'a subgroup by the endpoint for subgroups': ({ hamlet }) =>
    hamlet.ok('POST', `/user_groups/${made.cast}/subgroups`, { add: [made.crew] }),
  'the same subgroup goes': ({ hamlet }) =>
    hamlet.ok('POST', `/user_groups/${made.cast}/subgroups`, { delete: [made.crew] }),
  'a channel that a group may see': ({ owner }) =>
    privateChannel(owner, 'wings', {
      can_administer_channel_group: made.crew,
      can_send_message_group: made.crew,
    }),
  'a member who sees it for it': ({ owner, hamlet }) =>
    members(owner, 'crew', { add: [hamlet.userId] }),
  'a subgroup whose members see it': async ({ owner, iago }) => {
    await members(owner, 'crew', { add_subgroups: [made.cast] });
    await members(owner, 'cast', { add: [iago.userId] });
  },
  'a member who sees it no more': ({ owner, iago }) =>
    members(owner, 'cast', { delete: [iago.userId] }),
  'the posting policy follows': ({ owner }) =>
    members(owner, 'crew', { delete_subgroups: [made.cast] }),
  deactivation: ({ hamlet }) => deactivate(hamlet, 'cast'),
  'a change of a deactivated group': ({ hamlet }) =>
    change(hamlet, 'cast', { description: 'Off stage', can_join_group: { new: made.crew } }),
  'a new name of another': ({ owner }) => change(owner, 'crew', { name: 'Crew' }),
  reactivation: ({ hamlet }) => change(hamlet, 'cast', { deactivated: false }),
  'a new account': ({ owner }) => owner.createUser('zoe'),
  'a new role': ({ owner, iago }) => owner.ok('PATCH', `/users/${iago.userId}`, { role: 300 }),
  'a guest': ({ owner, iago }) => owner.ok('PATCH', `/users/${iago.userId}`, { role: 600 }),
  'a member again': ({ owner, iago }) => owner.ok('PATCH', `/users/${iago.userId}`, { role: 400 }),
  'a member named in groups and permissions': async ({ owner, iago }) => {
    await members(owner, 'crew', { add: [iago.userId] });
    await owner.ok('PATCH', '/realm', {
      can_create_groups: { new: only(owner.userId, iago.userId) },
      can_manage_all_groups: { new: only(iago.userId) },
    });
    await privateChannel(owner, 'attic', {
      can_administer_channel_group: only(iago.userId),
      can_send_message_group: only(iago.userId),
    });
  },
  'their deactivation': ({ owner, iago }) => owner.ok('DELETE', `/users/${iago.userId}`),
  'their return': ({ owner, iago }) => owner.ok('POST', `/users/${iago.userId}/reactivate`),
};

void t.test('snapshot and events meet: groups', async (t) => {
  const organization = await askOrganization(t);
  const { owner, hamlet, iago } = organization;
  const viewers = [
    await Viewer.open('owner, modern', owner, MODERN),
    await Viewer.open('owner, legacy', owner, LEGACY),
    await Viewer.open('hamlet, modern', hamlet, MODERN),
    await Viewer.open('hamlet, legacy', hamlet, LEGACY),
  ];
  const mobile = await Viewer.open('iago, modern', iago, MODERN);
  const entries = Object.entries(OPERATIONS);
  const last = entries.findIndex(([name]) => name === 'their deactivation');
  const before = Object.fromEntries(entries.slice(0, last));
  await check(t, organization, [...viewers, mobile], before);
  // Their queues end with the account.
  await check(t, organization, viewers, Object.fromEntries(entries.slice(last)));

  // [c:group-bots-and-guests]
  await t.test('bots may call, guests may not, and groups are never deleted', async (t) => {
    const { user_id, api_key } = await owner.ok('POST', '/bots', {
      full_name: 'Prompter',
      short_name: 'prompter',
    });
    const { user } = await owner.ok('GET', `/users/${Number(user_id)}`);
    const { email } = user as { email: string };
    const bot = new ApiClient(owner.url, email, String(api_key), Number(user_id));
    await change(owner, 'crew', { can_manage_group: { new: only(bot.userId, owner.userId) } });
    t.strictSame(await change(bot, 'crew', { description: 'By a bot' }), {
      result: 'success',
      msg: '',
    });
    const path = `/user_groups/${made.crew}/members/${owner.userId}`;
    t.strictSame(await bot.ok('GET', path, { direct_member_only: true }), {
      result: 'success',
      msg: '',
      is_user_group_member: true,
    });
    const { status, body } = await owner.call('DELETE', `/user_groups/${made.crew}`);
    t.equal(status, 405);
    t.match(body, { msg: 'Method Not Allowed', allowed_methods: ['PATCH'] });
    await owner.ok('PATCH', `/users/${hamlet.userId}`, { role: 600 });
    t.match((await hamlet.call('GET', '/user_groups')).body, {
      msg: 'Not allowed for guest users',
    });
  });
});
