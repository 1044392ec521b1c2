import t from 'tap';
import { GroupsWorld as World, only } from '../../../fixtures/groups-world.js';
import { MODERN, type Body } from '../../../fixtures/living-organization.js';

void t.test('members come and go; people concerned are told', async (t) => {
  const world = new World();
  const id = await world.group();
  const { hamlet, ophelia, guest } = world;
  t.strictSame(await world.members(id, { add: [ophelia.user_id], delete: [hamlet.user_id] }), {});
  t.strictSame(world.notices(), [
    `@_**hamlet|${hamlet.user_id}** added you to the group @_*players*.`,
  ]);
  t.strictSame(world.seen(), [
    { type: 'user_group', op: 'add_members', group_id: id, user_ids: [ophelia.user_id] },
    { type: 'user_group', op: 'remove_members', group_id: id, user_ids: [hamlet.user_id] },
  ]);
  await world.members(id, { delete: [ophelia.user_id], add: [hamlet.user_id, guest.user_id] });
  t.strictSame(world.notices(), [
    `@_**hamlet|${hamlet.user_id}** added you to the group @_*players*.`,
    `@_**hamlet|${hamlet.user_id}** removed you from the group @_*players*.`,
  ]);
  t.strictSame(await world.do('get-user-group-members', { user_group_id: id }), {
    members: [hamlet.user_id, guest.user_id],
  });
});

void t.test('more than 100 people are not told one by one', async (t) => {
  const world = new World();
  const id = await world.group();
  const ids = Array.from({ length: 101 }, (_, i) => world.addUser(`u${i}@example.com`).user_id);
  world.mark = world.position;
  await world.members(id, { add: ids });
  t.strictSame(world.notices(), []);
  t.equal((world.seen()[0] as { user_ids: number[] }).user_ids.length, 101);
});

void t.test('subgroups, through either endpoint; cycles are refused', async (t) => {
  const world = new World();
  const a = await world.group({ name: 'a' });
  const b = await world.group({ name: 'b' });
  const c = await world.group({ name: 'c' });
  await world.members(a, { add_subgroups: [b] });
  const subgroups = (user_group_id: number, params: Body) =>
    world.do('update-user-group-subgroups', { user_group_id, ...params });
  t.strictSame(await subgroups(b, { add: [c] }), {});
  t.strictSame(world.seen(), [
    { type: 'user_group', op: 'add_subgroups', group_id: a, direct_subgroup_ids: [b] },
    { type: 'user_group', op: 'add_subgroups', group_id: b, direct_subgroup_ids: [c] },
  ]);
  const own = 'is already a subgroup of one of the passed subgroups.';
  for (const [id, add, message] of [
    [c, [a], `User group ${c} ${own}`],
    [a, [a], `User group ${a} ${own}`],
    [a, [b], `User group ${b} is already a subgroup of this group.`],
    [a, [99], 'Invalid user group ID: 99'],
  ] as const) {
    await t.rejects(subgroups(id, { add }), { message, code: 'BAD_REQUEST' });
  }
  await t.rejects(subgroups(a, { delete: [c] }), {
    message: `User group ${c} is not a subgroup of this group.`,
  });
  await t.rejects(subgroups(a, {}), {
    message: 'Nothing to do. Specify at least one of "add" or "delete".',
  });
  t.strictSame(await world.do('get-user-group-subgroups', { user_group_id: a }), {
    subgroups: [b, c],
  });
  t.strictSame(
    await world.do('get-user-group-subgroups', { user_group_id: a, direct_subgroup_only: true }),
    { subgroups: [b] },
  );
  await subgroups(a, { delete: [b] });
  t.strictSame(world.seen(), [
    { type: 'user_group', op: 'remove_subgroups', group_id: a, direct_subgroup_ids: [b] },
  ]);
});

void t.test('membership changes: refusals change nothing', async (t) => {
  const world = new World();
  const id = await world.group();
  const { hamlet, ophelia, guest, owner } = world;
  const refusals: [Body, string][] = [
    [
      {},
      'Nothing to do. Specify at least one of "add", "delete", "add_subgroups" or "delete_subgroups".',
    ],
    [
      { add: [] },
      'Nothing to do. Specify at least one of "add", "delete", "add_subgroups" or "delete_subgroups".',
    ],
    [
      { add: [ophelia.user_id, hamlet.user_id] },
      `User ${hamlet.user_id} is already a member of this group`,
    ],
    [
      { add: [ophelia.user_id], delete: [guest.user_id] },
      `There is no member '${guest.user_id}' in this user group`,
    ],
    [{ add: [99] }, 'Invalid user ID: 99'],
    [{ add_subgroups: [99] }, 'Invalid user group ID: 99'],
    [
      { delete_subgroups: [world.system('role:owners')] },
      `User group ${world.system('role:owners')} is not a subgroup of this group.`,
    ],
  ];
  for (const [params, message] of refusals) {
    await t.rejects(world.members(id, params), { status: 400, code: 'BAD_REQUEST', message });
  }
  await t.rejects(world.members(id, { add: [ophelia.user_id] }, ophelia), {
    message: 'Insufficient permission',
  });
  await t.rejects(world.members(world.system('role:members'), { add: [guest.user_id] }, owner), {
    message: 'Insufficient permission',
  });
  t.strictSame(world.seen(), []);
});

// [c:group-join-and-leave]
void t.test('joining and leaving goes by rights of their own', async (t) => {
  const world = new World();
  const id = await world.group({
    can_join_group: world.system('role:members'),
    can_leave_group: world.system('role:nobody'),
  });
  const { hamlet, ophelia } = world;
  await world.members(id, { add: [ophelia.user_id] }, ophelia);
  t.strictSame(world.notices(), [], 'nobody is told what they did themselves');
  await t.rejects(world.members(id, { delete: [ophelia.user_id] }, ophelia), {
    message: 'Insufficient permission',
  });
  await world.change(id, { can_remove_members_group: { new: only(ophelia.user_id) } });
  await t.rejects(world.members(id, { add: [world.guest.user_id] }, ophelia), {
    message: 'Insufficient permission',
  });
  await world.members(id, { delete: [hamlet.user_id, ophelia.user_id] }, ophelia);
  t.strictSame(world.org.groups.get(id)!.members, []);
});

// [c:group-membership]
void t.test('membership, direct or through subgroups', async (t) => {
  const world = new World();
  const { hamlet, ophelia, guest } = world;
  const inner = await world.group({ name: 'inner', members: [ophelia.user_id, guest.user_id] });
  const outer = await world.group({ name: 'outer', subgroups: [inner] });
  const is = (user_group_id: number, user_id: number, direct_member_only = false) =>
    world.do('get-is-user-group-member', { user_group_id, user_id, direct_member_only });
  const yes = { is_user_group_member: true };
  const no = { is_user_group_member: false };
  t.strictSame(await is(outer, hamlet.user_id), yes);
  t.strictSame(await is(outer, ophelia.user_id), yes);
  t.strictSame(await is(outer, ophelia.user_id, true), no);
  t.strictSame(await is(inner, ophelia.user_id, true), yes);
  t.strictSame(await is(world.system('role:everyone'), hamlet.user_id), yes);
  t.strictSame(await is(world.system('role:everyone'), hamlet.user_id, true), no);
  t.strictSame(await is(world.system('role:everyone'), guest.user_id, true), yes);
  world.alter(guest.user_id, { is_active: false });
  t.strictSame(await is(inner, guest.user_id), no, 'deactivated users are no members');
  t.strictSame(await world.do('get-user-group-members', { user_group_id: outer }), {
    members: [hamlet.user_id, ophelia.user_id],
  });
  t.strictSame(
    await world.do('get-user-group-members', { user_group_id: outer, direct_member_only: true }),
    { members: [hamlet.user_id] },
  );
  await t.rejects(is(99, hamlet.user_id), { message: 'Invalid user group' });
  await t.rejects(is(outer, 99), { message: 'No such user' });
});

void t.test('private channels come in sight and go with membership', async (t) => {
  const world = new World();
  const { hamlet, ophelia, owner } = world;
  const id = await world.group({ members: [] });
  const fields = { invite_only: true, can_subscribe_group: id, can_send_message_group: id };
  const channel = world.channel('backstage', fields, [owner]);
  const { stream_id } = channel;
  const streams = () =>
    world
      .received(ophelia, world.mark, { ...MODERN, event_types: ['stream', 'subscription'] })
      .splice(0);
  await world.members(id, { add: [ophelia.user_id] });
  t.match(streams(), [
    {
      type: 'stream',
      op: 'create',
      streams: [{ stream_id, subscriber_count: 0, stream_post_policy: 3 }],
    },
    { type: 'subscription', op: 'peer_add', stream_ids: [stream_id], user_ids: [owner.user_id] },
    { type: 'stream', op: 'update', property: 'stream_post_policy', value: 3 },
    { type: 'stream', op: 'update', property: 'is_announcement_only', value: false },
  ]);
  world.mark = world.position;
  await world.members(id, { delete: [ophelia.user_id] });
  t.strictSame(streams(), [
    { type: 'stream', op: 'delete', streams: [{ stream_id }], stream_ids: [stream_id] },
  ]);
  t.match(
    world.received(owner, world.mark, { ...MODERN, event_types: ['stream'] }),
    [
      { property: 'stream_post_policy', value: 2 },
      { property: 'is_announcement_only', value: true },
    ],
    'the posting policy follows from the members',
  );
  world.mark = world.position;
  await world.members(id, { add_subgroups: [world.system('role:members')] });
  t.match(streams()[0], { op: 'create', streams: [{ stream_id }] });
  t.ok(hamlet);
});

void t.test('a subgroup of many members is one check for channels that say the same', async (t) => {
  const world = new World();
  const outer = await world.group({ name: 'outer' });
  const ids = Array.from({ length: 1001 }, (_, i) => world.addUser(`m${i}@example.com`).user_id);
  const small = await world.group({ name: 'small', members: ids.slice(0, 1000) });
  const large = await world.group({ name: 'large', members: ids });
  for (let i = 0; i < 500; i++) {
    world.channel(`private ${i}`, { invite_only: true, can_administer_channel_group: outer });
  }
  await t.rejects(world.members(outer, { add_subgroups: [large] }), {
    message: "Too many combinations of 'members' and 'private channels' (limit: 500000)",
  });
  t.strictSame(await world.members(outer, { add_subgroups: [small] }), {});
  const one = world.addUser('one@example.com').user_id;
  t.strictSame(await world.members(small, { add: [one] }), {});
  t.strictSame(await world.members(outer, { delete_subgroups: [small] }), {}, 'any may be removed');
});

void t.test('and of too many members for channels that all say something else', async (t) => {
  const world = new World();
  const outer = await world.group({ name: 'outer' });
  const ids = Array.from({ length: 501 }, (_, i) => world.addUser(`m${i}@example.com`).user_id);
  const small = await world.group({ name: 'small', members: ids.slice(0, 500) });
  const large = await world.group({ name: 'large', members: ids });
  for (let i = 0; i < 100; i++) {
    const value = { direct_members: [ids[i]!], direct_subgroups: [outer] };
    world.channel(`private ${i}`, { invite_only: true, can_administer_channel_group: value });
  }
  const refused = {
    message: "Too many combinations of 'members' and 'private channels' (limit: 50000)",
  };
  await t.rejects(world.members(outer, { add_subgroups: [large] }), refused);
  t.strictSame(await world.members(outer, { add_subgroups: [small] }), {});
  t.strictSame(await world.members(small, { add: [ids[500]!] }), {});
  await t.rejects(world.members(outer, { delete_subgroups: [small] }), refused);
  t.strictSame(await world.members(small, { delete: [ids[500]!] }), {});
  t.strictSame(await world.members(outer, { delete_subgroups: [small] }), {});
});
