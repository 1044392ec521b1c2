import t from 'tap';
import type { GroupSettingValue } from '../../../../schemas/groups/user-group.js';
import { ROLE } from '../../../../schemas/users/user-document.js';
import {
  canSeeChannel,
  channelAudience,
  without,
} from '../../../../src/organization/access/permissions.js';
import {
  ChannelAudiences,
  ChannelViewers,
  distinctPermissions,
} from '../../../../src/organization/channels/channel-viewers.js';
import {
  batchesByChannel,
  batchesOf,
  byUser,
} from '../../../../src/organization/views/channel-events.js';
import { GroupsWorld } from '../../../fixtures/groups-world.js';

/** People of all roles, groups within groups, and channels of all kinds of permissions. */
async function mixedWorld() {
  const world = new GroupsWorld();
  const people = Array.from({ length: 60 }, (_, i) => {
    const role = [ROLE.member, ROLE.guest, ROLE.administrator, ROLE.member][i % 4]!;
    return world.addUser(`p${i}@example.com`, { role });
  });
  const ids = people.map(({ user_id }) => user_id);
  const inner = await world.group({ name: 'inner', members: ids.slice(0, 20) });
  const outer = await world.group({ name: 'outer', members: ids.slice(15, 30) });
  await world.members(outer, { add_subgroups: [inner, world.system('role:fullmembers')] });
  const nobody = world.system('role:nobody');
  const values: GroupSettingValue[] = [
    nobody,
    inner,
    outer,
    { direct_members: ids.slice(40, 45), direct_subgroups: [inner] },
    { direct_members: ids.slice(40, 45), direct_subgroups: [inner] },
  ];
  const channels = values.flatMap((can_subscribe_group, i) =>
    [true, false].map((invite_only) =>
      world.channel(
        `channel ${i} ${invite_only}`,
        {
          invite_only,
          can_subscribe_group,
          can_add_subscribers_group: nobody,
          can_administer_channel_group: values[(i * 2) % values.length],
          is_archived: i === 1,
        },
        [people[i * 3 + 1]!, people[i * 7 + 3]!],
      ),
    ),
  );
  return { world, ids, channels };
}

void t.test('who sees a channel is as for each user alone', async (t) => {
  const { world, ids, channels } = await mixedWorld();
  const { org } = world;
  const viewers = new ChannelViewers(org, ids);
  for (const channel of channels) {
    const alone = ids.filter((id) => canSeeChannel(org, org.users.get(id)!, channel));
    t.same([...viewers.of(channel)], alone, channel.name);
    for (const id of ids.slice(0, 8)) {
      t.equal(new ChannelViewers(org, [id]).of(channel).has(id), alone.includes(id));
    }
  }
  const audiences = new ChannelAudiences(org);
  for (const channel of channels) {
    for (const except of [[], ids.slice(0, 5), ids]) {
      const expected = without(channelAudience(org, channel), except);
      t.same(audiences.of(channel, except), expected, `${channel.name}, as an audience`);
    }
  }
  t.equal(distinctPermissions(channels), 6, 'all public ones say the same');
  const some = channels.find(({ can_subscribe_group }) => typeof can_subscribe_group === 'object')!;
  const copy = structuredClone(some);
  t.equal(distinctPermissions([some, copy]), 1, 'so do values with the same members');
});

void t.test('private channels with the same few subscribers share an audience', async (t) => {
  const world = new GroupsWorld();
  const { org } = world;
  const people = Array.from({ length: 30 }, (_, i) => world.addUser(`p${i}@example.com`));
  const channel = (name: string, count: number) =>
    world.channel(name, { invite_only: true }, people.slice(10, 10 + count));
  const [one, same] = [channel('one', 2), channel('same', 2)];
  const [many, others] = [channel('many', 18), channel('others', 18)];
  const audiences = new ChannelAudiences(org);
  const except = [people[11]!.user_id, people[0]!.user_id];
  t.equal(audiences.of(one), audiences.of(same));
  t.equal(audiences.of(one, except), audiences.of(same, except));
  for (const each of [one, same, many, others]) {
    for (const gone of [[], except]) {
      t.same(audiences.of(each, gone), without(channelAudience(org, each), gone), each.name);
    }
  }
});

void t.test('users who gain the same channels are one batch', async (t) => {
  const { ids, channels } = await mixedWorld();
  const [some, others] = [ids.slice(0, 30), ids.slice(20)];
  const lists = [some, others, some, ids.slice(20), some, [], others, some, others, some];
  const gained = new Map(channels.map((channel, i) => [channel, lists[i]!]));
  t.same(batchesByChannel(gained), batchesOf(byUser(gained)));
  const apart = new Map(channels.map((channel, i) => [channel, ids.slice(0, i)]));
  t.same(batchesByChannel(apart), batchesOf(byUser(apart)));
});
