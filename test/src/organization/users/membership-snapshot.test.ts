import t from 'tap';
import { Value } from 'typebox/value';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { userGroupEvents } from '../../../../schemas/groups/user-group.js';
import { addToGroups } from '../../../../src/organization/groups/group-membership.js';
import {
  captureMembership,
  emitMembershipDiff,
} from '../../../../src/organization/users/membership-snapshot.js';
import { subscribeUsers } from '../../../../src/organization/channels/subscribing.js';
import { GroupsWorld, only } from '../../../fixtures/groups-world.js';
import { MODERN, PLAIN, type Body } from '../../../fixtures/living-organization.js';

class World extends GroupsWorld {
  /** Changes an account's document and tells what that does to its standing. */
  eventsOfChange(user: UserDocument, fields: Partial<UserDocument>): Body[] {
    const since = this.position;
    this.transact((tx) => {
      const former = captureMembership(tx.org, user.user_id);
      tx.org.users.update(user.user_id, fields);
      emitMembershipDiff(tx, former);
    });
    return this.received(this.owner, since, MODERN);
  }
}

const membership = (op: string, group_id: number, ...user_ids: number[]) => ({
  type: 'user_group',
  op,
  group_id,
  user_ids,
});

// [c:role-change-groups]
void t.test('change role: the old group, the new one, then the full members', async (t) => {
  const world = new World();
  const { hamlet } = world;
  const [members, full, everyone] = [
    world.system('role:members'),
    world.system('role:fullmembers'),
    world.system('role:everyone'),
  ];
  t.strictSame(world.eventsOfChange(hamlet, { role: ROLE.guest }), [
    membership('remove_members', members, hamlet.user_id),
    membership('add_members', everyone, hamlet.user_id),
    membership('remove_members', full, hamlet.user_id),
  ]);
  t.strictSame(world.eventsOfChange(hamlet, { role: ROLE.member }), [
    membership('remove_members', everyone, hamlet.user_id),
    membership('add_members', members, hamlet.user_id),
    membership('add_members', full, hamlet.user_id),
  ]);
  t.strictSame(world.eventsOfChange(hamlet, { role: ROLE.owner }), [
    membership('remove_members', members, hamlet.user_id),
    membership('add_members', world.system('role:owners'), hamlet.user_id),
    membership('remove_members', full, hamlet.user_id),
  ]);
  t.strictSame(world.eventsOfChange(hamlet, { full_name: 'Other' }), []);
});

void t.test('change role: channels come in sight and go out of it', async (t) => {
  const world = new World();
  const { hamlet, owner } = world;
  const { stream_id } = world.channel('secret', { invite_only: true });
  world.transact((tx) => {
    const channel = tx.org.channels.get(stream_id)!;
    subscribeUsers(tx, { channels: [channel], userIds: [owner.user_id] });
  });
  let since = world.position;
  const told = () =>
    world.received(hamlet, since, { ...MODERN, event_types: ['stream', 'subscription'] });
  world.eventsOfChange(hamlet, { role: ROLE.administrator });
  t.match(told(), [
    { type: 'stream', op: 'create', streams: [{ stream_id, subscriber_count: 0 }] },
    { type: 'subscription', op: 'peer_add', stream_ids: [stream_id], user_ids: [owner.user_id] },
  ]);
  since = world.position;
  world.eventsOfChange(hamlet, { role: ROLE.member });
  t.match(told(), [{ type: 'stream', op: 'delete', stream_ids: [stream_id] }]);
});

// [c:deactivation-in-groups]
void t.test('deactivation: groups and permission values lose the account', async (t) => {
  const world = new World();
  const { hamlet, ophelia } = world;
  const a = await world.group({ name: 'a', members: [hamlet.user_id, ophelia.user_id] });
  const b = await world.group({ name: 'b' });
  await world.do('deactivate-user-group', { user_group_id: b });
  const { stream_id } = world.channel('stage', {
    can_send_message_group: only(hamlet.user_id),
    can_administer_channel_group: only(hamlet.user_id, ophelia.user_id),
  });
  world.setRealm({
    can_create_groups: { direct_members: [hamlet.user_id], direct_subgroups: [a] },
    can_manage_all_groups: only(hamlet.user_id),
  });
  const since = world.position;
  const events = world.eventsOfChange(hamlet, { is_active: false });
  const nobody = world.system('role:nobody');
  const group = (group_id: number, data: Body) => ({
    type: 'user_group',
    op: 'update',
    group_id,
    data,
  });
  const channel = (property: string, value: unknown) => ({
    type: 'stream',
    op: 'update',
    stream_id,
    name: 'stage',
    property,
    value,
  });
  t.strictSame(events, [
    membership('remove_members', world.system('role:members'), hamlet.user_id),
    membership('remove_members', a, hamlet.user_id),
    membership('remove_members', b, hamlet.user_id),
    membership('remove_members', world.system('role:fullmembers'), hamlet.user_id),
    {
      type: 'realm',
      op: 'update_dict',
      property: 'default',
      // Nobody may not manage all groups, so the owners do again.
      data: { can_create_groups: a, can_manage_all_groups: world.system('role:owners') },
    },
    group(a, { can_add_members_group: nobody }),
    group(a, { can_manage_group: nobody }),
    group(b, { can_add_members_group: nobody }),
    group(b, { can_manage_group: nobody }),
    channel('can_administer_channel_group', only(ophelia.user_id)),
    channel('can_send_message_group', nobody),
    channel('stream_post_policy', 2),
    channel('is_announcement_only', true),
  ]);
  for (const event of events.filter((one) => one.type === 'user_group')) {
    t.ok(
      userGroupEvents.some((schema) => Value.Check(schema, event)),
      JSON.stringify(event),
    );
  }
  const plain = world.received(world.owner, since, PLAIN);
  t.strictSame(
    plain.filter((event) => event.group_id === b),
    [],
    'queues that hide deactivated groups hear nothing of them',
  );
  const { user_groups } = await world.do('get-user-groups', {}, ophelia);
  t.match(
    (user_groups as Body[]).find((one) => one.id === a),
    { members: [ophelia.user_id] },
    'deactivated users are not members',
  );
});

void t.test('reactivation: groups and permission values have the account again', async (t) => {
  const world = new World();
  const { hamlet, ophelia, owner } = world;
  const id = await world.group();
  const { stream_id } = world.channel('stage', {
    can_send_message_group: only(hamlet.user_id),
    can_administer_channel_group: only(hamlet.user_id, ophelia.user_id),
  });
  const both = only(hamlet.user_id, ophelia.user_id);
  world.setRealm({ can_create_groups: both, can_invite_users_group: only(hamlet.user_id) });
  for (const user of [hamlet, ophelia]) world.eventsOfChange(user, { is_active: false });
  // What somebody sets meanwhile stays as it was set.
  const members = world.system('role:members');
  await world.change(id, { can_add_members_group: { new: members } }, owner);
  const events = world.eventsOfChange(hamlet, { is_active: true });
  const channel = (property: string, value: unknown) => ({
    type: 'stream',
    op: 'update',
    stream_id,
    name: 'stage',
    property,
    value,
  });
  const them = only(hamlet.user_id);
  t.strictSame(events, [
    membership('add_members', members, hamlet.user_id),
    membership('add_members', id, hamlet.user_id),
    membership('add_members', world.system('role:fullmembers'), hamlet.user_id),
    {
      type: 'realm',
      op: 'update_dict',
      property: 'default',
      data: { can_create_groups: them, can_invite_users_group: them },
    },
    { type: 'user_group', op: 'update', group_id: id, data: { can_manage_group: them } },
    channel('can_administer_channel_group', them),
    channel('can_send_message_group', them),
    channel('stream_post_policy', 3),
    channel('is_announcement_only', false),
  ]);
  world.eventsOfChange(ophelia, { is_active: true });
  t.strictSame(world.reloaded().realm.current.can_create_groups, both);
  t.equal(world.org.groups.get(id)!.can_add_members_group, members);
  t.strictSame(world.org.users.get(hamlet.user_id)!.vacated, []);
});

void t.test('an invitation adds to the groups that are still there', async (t) => {
  const world = new World();
  const { ophelia } = world;
  const a = await world.group({ name: 'a' });
  const b = await world.group({ name: 'b' });
  await world.do('deactivate-user-group', { user_group_id: b });
  world.mark = world.position;
  const asked = [99, world.system('role:owners'), b, a, a];
  world.transact((tx) => addToGroups(tx, ophelia.user_id, asked));
  t.strictSame(world.seen(), [membership('add_members', a, ophelia.user_id)]);
  world.transact((tx) => addToGroups(tx, ophelia.user_id, asked));
  t.strictSame(world.seen(), [], 'who is a member stays one');
});
