import t from 'tap';
import { GroupsWorld as World, only } from '../../../fixtures/groups-world.js';
import { PLAIN, START_SECONDS, type Body } from '../../../fixtures/living-organization.js';

void t.test('create: the whole group is told to everybody, guests too', async (t) => {
  const world = new World();
  const { hamlet, ophelia } = world;
  const everyone = world.system('role:everyone');
  const nobody = world.system('role:nobody');
  const reply = await world.do('create-user-group', {
    name: ' players ',
    description: 'On stage',
    members: [ophelia.user_id, hamlet.user_id, ophelia.user_id],
    subgroups: [world.system('role:moderators')],
    can_join_group: { direct_members: [], direct_subgroups: [world.system('role:members')] },
    can_remove_members_group: only(),
  });
  t.strictSame(reply, { group_id: 9 });
  t.strictSame(world.notices(), [
    `@_**hamlet|${hamlet.user_id}** added you to the group @_*players*.`,
  ]);
  t.strictSame(world.seen(), [
    {
      type: 'user_group',
      op: 'add',
      group: {
        id: 9,
        name: 'players',
        description: 'On stage',
        creator_id: hamlet.user_id,
        date_created: START_SECONDS,
        is_system_group: false,
        members: [hamlet.user_id, ophelia.user_id],
        direct_subgroup_ids: [world.system('role:moderators')],
        deactivated: false,
        can_add_members_group: only(hamlet.user_id),
        can_join_group: world.system('role:members'),
        can_leave_group: everyone,
        can_manage_group: only(hamlet.user_id),
        can_mention_group: everyone,
        can_remove_members_group: nobody,
      },
    },
  ]);
});

void t.test('create: bad values refused', async (t) => {
  const world = new World();
  await world.group();
  const base = { name: 'x', description: '', members: [] };
  const refusals: [Body, Body][] = [
    [{ name: ' ' }, { message: "User group name can't be empty!" }],
    [{ name: 'x'.repeat(101) }, { message: 'User group name cannot exceed 100 characters.' }],
    [{ name: 'Players' }, { message: "User group 'Players' already exists." }],
    ...['@', 'role:', 'user:', 'stream:', 'channel:'].map((prefix): [Body, Body] => [
      { name: `${prefix}x` },
      { message: `User group name cannot start with '${prefix}'.` },
    ]),
    [{ members: [99] }, { message: 'Invalid user ID: 99' }],
    [{ subgroups: [99] }, { message: 'Invalid user group ID: 99' }],
    [{ can_join_group: 99 }, { message: 'Invalid user group' }],
  ];
  const before = world.position;
  for (const [params, error] of refusals) {
    await t.rejects(world.do('create-user-group', { ...base, ...params }), {
      status: 400,
      code: 'BAD_REQUEST',
      ...error,
    });
  }
  world.setRealm({ can_create_groups: world.system('role:owners') });
  await t.rejects(world.do('create-user-group', base), { message: 'Insufficient permission' });
  t.strictSame(
    world.entries.slice(before).flatMap(({ content }) => content.events),
    [],
    'nothing changed',
  );
});

// [c:group-update]
void t.test('update: name, description and permissions, one event per property', async (t) => {
  const world = new World();
  const id = await world.group();
  const { hamlet, ophelia } = world;
  t.strictSame(
    await world.change(id, {
      name: 'actors',
      description: 'Behind it',
      can_manage_group: { new: only(hamlet.user_id, ophelia.user_id), old: only(hamlet.user_id) },
      can_mention_group: { new: world.system('role:members') },
    }),
    {},
  );
  const update = (data: Body) => ({ type: 'user_group', op: 'update', group_id: id, data });
  t.strictSame(world.seen(), [
    update({ name: 'actors' }),
    update({ description: 'Behind it' }),
    update({ can_manage_group: only(hamlet.user_id, ophelia.user_id) }),
    update({ can_mention_group: world.system('role:members') }),
  ]);
  await world.change(id, {
    name: 'actors',
    can_mention_group: { new: world.system('role:members') },
  });
  t.strictSame(world.seen(), [], 'same values: no event');
  await world.change(id, { name: 'Actors' });
  t.strictSame(world.seen(), [update({ name: 'Actors' })], 'another spelling of its own name');
});

// [c:group-update-refusals]
void t.test('update: an empty or invalid change is refused', async (t) => {
  const world = new World();
  const id = await world.group();
  const { hamlet, ophelia, guest, owner } = world;
  world.alter(guest.user_id, { is_active: false });
  const refusals: [Body, Body][] = [
    [{}, { message: 'No new data supplied' }],
    [{ name: '' }, { message: "User group name can't be empty!" }],
    [
      { can_manage_group: { new: world.system('role:everyone') } },
      { message: "'can_manage_group' setting cannot be set to 'role:everyone' group." },
    ],
    [
      { can_manage_group: { new: world.system('role:internet') } },
      { message: "'can_manage_group' setting cannot be set to 'role:internet' group." },
    ],
    [
      { can_mention_group: { new: world.system('role:owners') } },
      { message: "'can_mention_group' setting cannot be set to 'role:owners' group." },
    ],
    [
      { can_mention_group: { new: world.system('role:internet') } },
      { message: "'can_mention_group' setting cannot be set to 'role:internet' group." },
    ],
    [
      { can_add_members_group: { new: world.system('role:everyone') } },
      { message: "'can_add_members_group' setting cannot be set to 'role:everyone' group." },
    ],
    [{ can_join_group: { new: 99 } }, { message: 'Invalid user group' }],
    [
      { can_join_group: { new: { direct_members: [], direct_subgroups: [97] } } },
      { message: 'Invalid user group ID: 97' },
    ],
    [
      { can_join_group: { new: { direct_members: [], direct_subgroups: [98, 99] } } },
      { message: 'Invalid user group ID: 98' },
    ],
    [{ can_join_group: { new: only(99) } }, { message: 'Invalid user ID: 99' }],
    [
      { can_join_group: { new: only(guest.user_id) } },
      { message: `User with ID ${guest.user_id} is deactivated` },
    ],
    [
      {
        description: 'x',
        can_join_group: { new: only(hamlet.user_id), old: only(hamlet.user_id) },
      },
      { code: 'EXPECTATION_MISMATCH', message: "'old' value does not match the expected value." },
    ],
  ];
  for (const [params, error] of refusals) {
    await t.rejects(world.change(id, params), { status: 400, code: 'BAD_REQUEST', ...error });
  }
  await t.rejects(world.change(99, { name: 'x' }), { message: 'Invalid user group' });
  await t.rejects(world.change(id, { name: 'x' }, ophelia), { message: 'Insufficient permission' });
  const roles = world.system('role:members');
  await t.rejects(world.change(roles, { description: 'x' }, owner), {
    message: 'Insufficient permission',
  });
  t.strictSame(world.seen(owner), [], 'nothing changed');
  await world.change(id, { name: 'by the owner' }, owner);
  t.equal(world.org.groups.get(id)!.name, 'by the owner', 'can_manage_all_groups');
});

// [c:group-old-values]
void t.test('old compares as sets, in any spelling of the value', async (t) => {
  const world = new World();
  const id = await world.group();
  const { hamlet, ophelia } = world;
  const both = only(ophelia.user_id, hamlet.user_id, ophelia.user_id);
  await world.change(id, { can_join_group: { new: both, old: only() } });
  t.strictSame(world.org.groups.get(id)!.can_join_group, only(hamlet.user_id, ophelia.user_id));
  const members = { direct_members: [], direct_subgroups: [world.system('role:members')] };
  await t.rejects(
    world.change(id, { can_join_group: { new: members, old: only(hamlet.user_id) } }),
    { code: 'EXPECTATION_MISMATCH' },
    'one of the two is another set',
  );
  await world.change(id, { can_join_group: { new: members, old: both } });
  t.equal(world.org.groups.get(id)!.can_join_group, world.system('role:members'));
});

// [c:group-deactivated]
void t.test('deactivation: by variant of the queue, and back by an update', async (t) => {
  const world = new World();
  const id = await world.group();
  const deactivate = () => world.do('deactivate-user-group', { user_group_id: id });
  t.strictSame(await deactivate(), {});
  const since = world.mark;
  t.strictSame(world.seen(world.guest, PLAIN), [
    { type: 'user_group', op: 'remove', group_id: id },
  ]);
  world.mark = since;
  const update = (data: Body) => ({ type: 'user_group', op: 'update', group_id: id, data });
  t.strictSame(world.seen(), [update({ deactivated: true })]);
  await t.rejects(deactivate(), { message: 'User group is already deactivated.' });
  t.strictSame(await world.change(id, { deactivated: true }), {}, 'does nothing');
  const other = await world.group({ name: 'other' });
  await world.change(other, { deactivated: true });
  await world.change(other, { deactivated: false });
  t.strictSame(world.seen(), [], 'an active group stays active');
  await world.change(id, { name: 'gone', can_join_group: { new: world.system('role:members') } });
  const renamed = world.mark;
  t.strictSame(world.seen(world.guest, PLAIN), [], 'hidden from those who do not list it');
  world.mark = renamed;
  t.strictSame(world.seen(), [
    update({ name: 'gone' }),
    update({ can_join_group: world.system('role:members') }),
  ]);
  await world.members(id, { add: [world.ophelia.user_id] });
  const joined = world.mark;
  t.strictSame(world.seen(world.guest, PLAIN), []);
  world.mark = joined;
  t.strictSame(world.seen(), [
    { type: 'user_group', op: 'add_members', group_id: id, user_ids: [world.ophelia.user_id] },
  ]);
  t.notOk(listed(await world.do('get-user-groups')).includes(id));
  t.ok(
    listed(await world.do('get-user-groups', { include_deactivated_groups: true })).includes(id),
  );
  await world.change(id, { deactivated: false, description: 'again' });
  const back = world.mark;
  t.strictSame(world.seen(), [update({ deactivated: false }), update({ description: 'again' })]);
  world.mark = back;
  t.match(world.seen(world.guest, PLAIN), [
    { type: 'user_group', op: 'add', group: { id, name: 'gone', deactivated: false } },
    update({ description: 'again' }),
  ]);
});

function listed(reply: Body): number[] {
  return (reply.user_groups as { id: number }[]).map((group) => group.id);
}

// [c:group-deactivation-clears]
void t.test('a deactivated group stands in no permission and in no group', async (t) => {
  const world = new World();
  const id = await world.group();
  const other = await world.group({ name: 'other' });
  await world.do('deactivate-user-group', { user_group_id: id });
  const message = 'User group is deactivated.';
  await t.rejects(world.change(other, { can_join_group: { new: id } }), { message });
  const within = { direct_members: [], direct_subgroups: [id, other] };
  await t.rejects(world.change(other, { can_join_group: { new: within } }), { message });
  await t.rejects(world.members(other, { add_subgroups: [id] }), { message });
});

void t.test('deactivation objects to every use', async (t) => {
  const world = new World();
  const { owner } = world;
  const id = await world.group({}, owner);
  const outer = await world.group({ name: 'outer', subgroups: [id] }, owner);
  const user = await world.group({ name: 'user', can_join_group: id, can_leave_group: id }, owner);
  const general = world.general;
  world.transact((tx) => {
    const value = { direct_members: [], direct_subgroups: [id, outer] };
    tx.org.channels.update(general.stream_id, { can_send_message_group: value });
    tx.org.realm.update('realm', { can_create_groups: id });
  });
  world.mark = world.position;
  const refused = world.do('deactivate-user-group', { user_group_id: id }, owner);
  await t.rejects(refused, {
    status: 400,
    code: 'CANNOT_DEACTIVATE_GROUP_IN_USE',
    message: 'Cannot deactivate user group in use.',
    fields: {
      objections: [
        { type: 'subgroup', supergroup_ids: [outer] },
        { type: 'channel', channel_id: general.stream_id, settings: ['can_send_message_group'] },
        { type: 'user_group', group_id: user, settings: ['can_join_group', 'can_leave_group'] },
        { type: 'realm', settings: ['can_create_groups'] },
      ],
    },
  });
  t.strictSame(world.seen(), []);
  world.transact((tx) => {
    tx.org.channels.update(general.stream_id, { is_archived: true });
    tx.org.realm.update('realm', { can_create_groups: world.system('role:members') });
    for (const one of [outer, user]) tx.org.groups.update(one, { deactivated: true });
  });
  t.strictSame(await world.do('deactivate-user-group', { user_group_id: id }, owner), {});
  await t.rejects(world.do('deactivate-user-group', { user_group_id: 1 }, owner), {
    message: 'Insufficient permission',
  });
});

void t.test('system groups are listed with the members of their roles', async (t) => {
  const world = new World();
  const { user_groups } = await world.do('get-user-groups');
  t.match(user_groups, [
    { id: 1, name: 'role:nobody', members: [], is_system_group: true, can_mention_group: 1 },
    { id: 2, name: 'role:owners', members: [world.owner.user_id] },
    { id: 3, name: 'role:administrators', direct_subgroup_ids: [2] },
    { id: 4, name: 'role:moderators' },
    { id: 5, name: 'role:fullmembers', members: [world.hamlet.user_id, world.ophelia.user_id] },
    { id: 6, name: 'role:members', members: [world.hamlet.user_id, world.ophelia.user_id] },
    { id: 7, name: 'role:everyone', members: [world.guest.user_id] },
    { id: 8, name: 'role:internet', members: [] },
  ]);
});

void t.test('a group that names deactivated ones does not come back', async (t) => {
  const world = new World();
  const { owner, org } = world;
  const change = (id: number, params: Body) => world.change(id, params, owner);
  const inner = await world.group({ name: 'inner' });
  const right = await world.group({ name: 'right' });
  const outer = await world.group({
    name: 'outer',
    subgroups: [inner],
    can_join_group: right,
    can_leave_group: { direct_members: [owner.user_id], direct_subgroups: [right, inner] },
  });
  // It may name itself.
  await change(outer, { can_mention_group: { new: outer } });
  world.transact((tx) => {
    for (const id of [outer, inner, right]) tx.org.groups.update(id, { deactivated: true });
  });
  const refusal = (...objections: object[]) => ({
    status: 400,
    message: 'User group is deactivated.',
    fields: { objections },
  });
  const subgroup = { type: 'subgroup', supergroup_ids: [outer] };
  const settings = ['can_join_group', 'can_leave_group'];
  await t.rejects(
    change(outer, { deactivated: false }),
    refusal(subgroup, { type: 'user_group', group_id: outer, settings }),
  );
  t.equal(org.groups.get(outer)?.deactivated, true);
  await change(right, { deactivated: false });
  await t.rejects(
    change(outer, { deactivated: false }),
    refusal(subgroup, { type: 'user_group', group_id: outer, settings: ['can_leave_group'] }),
  );
  await change(inner, { deactivated: false });
  await change(outer, { deactivated: false });
  t.equal(org.groups.get(outer)?.deactivated, false);
});
