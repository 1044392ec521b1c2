import t from 'tap';
import type { ChannelDocument } from '../../../../schemas/channels/channel.js';
import {
  archiveChannel,
  changeChannel,
} from '../../../../src/organization/channels/channel-change.js';
import { ROLE } from '../../../../schemas/users/user-document.js';
import { deactivateUser, reactivateUser } from '../../../../src/organization/users/deactivation.js';
import { changeRole } from '../../../../src/organization/users/role-change.js';
import type { GroupDocument } from '../../../../schemas/groups/user-group.js';
import { createGroup, deactivateGroup } from '../../../../src/organization/groups/group-changes.js';
import { changeMembershipInParts } from '../../../../src/organization/groups/group-membership.js';
import { changeFullMembers } from '../../../../src/organization/groups/full-members.js';
import { inOnePart } from '../../../../src/organization/state/parted-change.js';
import type { Transaction } from '../../../../src/organization/state/transaction.js';
import { unsubscribeUsers } from '../../../../src/organization/channels/unsubscribing.js';
import { starredMessages } from '../../../../src/organization/messages/reading/unread.js';
import type { Body } from '../../../fixtures/living-organization.js';
import { MessagesWorld } from '../../../fixtures/messages-world.js';

/** Hamlet stars what he reads. */
class World extends MessagesWorld {
  readonly secret = this.channel('secret', { invite_only: true }, [this.owner, this.hamlet]);
  readonly open = this.channel('open', {}, [this.owner, this.hamlet]);

  flag(messages: number[], op: string, flag = 'starred', user = this.hamlet): Promise<Body> {
    return this.do('update-message-flags', { messages, op, flag }, user);
  }

  starred(user = this.hamlet): number[] {
    return starredMessages(this.org, user);
  }

  leave(channel: ChannelDocument, user = this.hamlet): void {
    this.mark = this.position;
    const userIds = [user.user_id];
    this.transact((tx) => unsubscribeUsers(tx, { channels: [channel], userIds }));
  }
}

/** Hamlet, an administrator, and Ophelia read a private channel by a group alone; he sees it in any case. */
class Readers extends World {
  readonly team = this.newGroup('team', [this.hamlet.user_id, this.ophelia.user_id]);
  readonly around = this.newGroup('around', [], [this.team.id]);

  constructor() {
    super();
    this.transact((tx) => void changeRole(tx, this.user(this.hamlet.user_id), ROLE.administrator));
    this.leave(this.secret);
  }

  newGroup(name: string, members: number[], subgroups: number[] = []): GroupDocument {
    const request = { name, description: '', members, subgroups };
    return this.transact((tx) => createGroup(tx, this.owner, request as never));
  }

  /** Lets a group read the channel, and both star a message there. */
  async read(groupId: number): Promise<number> {
    this.change({ can_subscribe_group: groupId });
    const id = await this.say('one', 'x', this.owner, 'secret');
    for (const reader of [this.hamlet, this.ophelia]) {
      await this.flag([id], 'add', 'starred', this.user(reader.user_id));
    }
    this.mark = this.position;
    return id;
  }

  change(change: Partial<ChannelDocument>): void {
    this.transact((tx) => changeChannel(tx, tx.org.channels.get(this.secret.stream_id)!, change));
  }

  members(group: GroupDocument, change: Body): void {
    const all = { add: [], delete: [], add_subgroups: [], delete_subgroups: [], ...change };
    this.transact((tx) =>
      inOnePart(tx, (parted) =>
        changeMembershipInParts(parted, tx.org.groups.get(group.id)!, all as never),
      ),
    );
  }
}

const removed = (...messages: number[]) => ({
  type: 'update_message_flags',
  op: 'remove',
  operation: 'remove',
  flag: 'starred',
  messages,
  all: false,
});

void t.test('who leaves a channel that they cannot read then has no stars there', async (t) => {
  const world = new World();
  const ids = [
    await world.say('one', 'x', world.owner, 'secret'),
    await world.say('two', 'x', world.owner, 'secret'),
    await world.say('three', 'x', world.owner, 'open'),
  ];
  await world.flag(ids, 'add');
  await world.flag(ids, 'add', 'starred', world.owner);
  world.leave(world.secret);
  const events = world.eventsOf('update_message_flags').filter(({ flag }) => flag === 'starred');
  t.strictSame(events, [removed(1, 2)]);
  t.strictSame(world.starred(), [3]);
  t.strictSame(await world.ids([['is', 'starred']]), [3]);
  t.strictSame(world.starred(world.owner), [1, 2, 3], 'others keep theirs');
  world.leave(world.open);
  t.strictSame(world.starred(), [3], 'a public channel can still be read');
  await world.flag([3], 'remove');
  t.strictSame(world.starred(), []);
  t.equal(world.reloaded().messageFlags.starred(world.hamlet.user_id).length, 0);
});

void t.test('an administrator who leaves a private channel, too', async (t) => {
  const world = new World();
  const id = await world.say('one', 'x', world.hamlet, 'secret');
  await world.flag([id], 'add', 'starred', world.owner);
  world.leave(world.secret, world.owner);
  t.strictSame(world.starred(world.owner), [], 'they see the channel, and not its messages');
});

void t.test('a channel that becomes private takes the stars of others with it', async (t) => {
  const world = new World();
  const id = await world.say('one', 'x', world.owner, 'open');
  await world.flag([id], 'add', 'starred', world.ophelia);
  await world.flag([id], 'add');
  world.mark = world.position;
  const change = { invite_only: true, history_public_to_subscribers: true };
  world.transact((tx) => changeChannel(tx, world.open, change));
  t.strictSame(world.eventsOf('update_message_flags', world.ophelia), [removed(id)]);
  t.strictSame(world.starred(world.ophelia), []);
  t.strictSame(world.starred(), [id]);
});

void t.test(
  'a history that becomes protected takes the stars on what one no longer reads',
  async (t) => {
    const world = new World();
    const { hamlet, owner } = world;
    const early = await world.say('one', 'x', owner, 'secret');
    const can_subscribe_group = { direct_members: [world.ophelia.user_id], direct_subgroups: [] };
    world.transact((tx) =>
      changeChannel(tx, tx.org.channels.get(world.secret.stream_id)!, { can_subscribe_group }),
    );
    const reader = world.ophelia;
    await world.flag([early], 'add', 'starred', reader);
    await world.flag([early], 'add');
    world.mark = world.position;
    world.transact((tx) =>
      changeChannel(tx, tx.org.channels.get(world.secret.stream_id)!, {
        history_public_to_subscribers: false,
      }),
    );
    t.strictSame(world.eventsOf('update_message_flags', reader), [removed(early)]);
    t.strictSame(world.starred(reader), [], 'who may subscribe, and has not');
    t.strictSame(world.starred(hamlet), [early], 'who received it');
  },
);

void t.test(
  'an administrator who sees a channel and reads it no longer loses the stars',
  async (t) => {
    const world = new World();
    const { owner } = world;
    const id = await world.say('one', 'x', world.hamlet, 'open');
    await world.flag([id], 'add', 'starred', owner);
    world.leave(world.open, owner);
    t.strictSame(world.starred(owner), [id], 'a public channel');
    world.mark = world.position;
    const change = { invite_only: true, history_public_to_subscribers: true };
    world.transact((tx) => changeChannel(tx, world.open, change));
    t.strictSame(world.eventsOf('update_message_flags', owner), [removed(id)]);
    t.strictSame(world.starred(owner), []);
  },
);

// [c:stars-lost]
void t.test('who reads no longer has no stars there, however that was lost', async (t) => {
  const ways: Record<
    string,
    { readonly by: (world: Readers) => number; readonly lose: (world: Readers) => void }
  > = {
    'removed from the group': {
      by: ({ team }) => team.id,
      lose: (world) => {
        const { hamlet, ophelia, team } = world;
        world.members(team, { delete: [hamlet.user_id, ophelia.user_id] });
      },
    },
    'the group removed from a group': {
      by: ({ around }) => around.id,
      lose: (world) => world.members(world.around, { delete_subgroups: [world.team.id] }),
    },
    'another group may read': {
      by: ({ team }) => team.id,
      lose: (world) =>
        world.change({ can_subscribe_group: world.org.groups.system('role:nobody').id }),
    },
    'the group of an archived channel deactivated': {
      by: ({ around }) => around.id,
      lose: (world) => {
        world.transact((tx) => archiveChannel(tx, tx.org.channels.get(world.secret.stream_id)!));
        world.transact((tx) => deactivateGroup(tx, tx.org.groups.get(world.around.id)!));
      },
    },
    'a longer waiting period': {
      by: (world) => {
        world.transact((tx) => void changeRole(tx, world.user(world.hamlet.user_id), ROLE.member));
        return world.org.groups.system('role:fullmembers').id;
      },
      lose: (world) => {
        const write = (tx: Transaction): void =>
          void tx.org.realm.update('realm', { waiting_period_threshold: 10_000 });
        world.transact((tx) => changeFullMembers(tx, 10_000, () => write(tx)));
      },
    },
    'another role': {
      by: (world) => {
        world.transact((tx) => void changeRole(tx, world.user(world.hamlet.user_id), ROLE.owner));
        world.transact((tx) => void changeRole(tx, world.user(world.ophelia.user_id), ROLE.owner));
        return world.org.groups.system('role:owners').id;
      },
      lose: (world) => {
        for (const { user_id } of [world.hamlet, world.ophelia]) {
          world.transact((tx) => void changeRole(tx, world.user(user_id), ROLE.administrator));
        }
      },
    },
  };
  for (const [how, { by, lose }] of Object.entries(ways)) {
    const world = new Readers();
    const id = await world.read(by(world));
    lose(world);
    for (const { user_id, full_name } of [world.hamlet, world.ophelia]) {
      const user = world.user(user_id);
      t.strictSame(world.starred(user), [], `${how}: ${full_name}`);
      t.strictSame(world.eventsOf('update_message_flags', user), [removed(id)], how);
      t.equal(world.org.messageFlags.starred(user_id).length, 0, how);
    }
  }
});

void t.test('who comes back has no stars on what was lost meanwhile', async (t) => {
  for (const [how, meanwhile] of Object.entries({
    'the channel became private': (world: World): void =>
      world.transact((tx) => void changeChannel(tx, world.open, { invite_only: true })),
    'they became a guest': (world: World): void =>
      world.transact((tx) => void changeRole(tx, world.user(world.ophelia.user_id), ROLE.guest)),
  })) {
    const world = new World();
    const { user_id } = world.ophelia;
    const id = await world.say('one', 'x', world.owner, 'open');
    await world.flag([id], 'add', 'starred', world.ophelia);
    const parts = { forgetPresence: () => undefined, endQueues: () => undefined };
    world.transact((tx) => deactivateUser(tx, world.user(user_id), parts as never));
    meanwhile(world);
    world.transact((tx) => reactivateUser(tx, world.user(user_id), world.owner));
    t.strictSame(world.starred(world.user(user_id)), [], how);
    t.equal(world.org.messageFlags.starred(user_id).length, 0, how);
  }
});

void t.test('a flag can be taken back wherever its message is', async (t) => {
  const world = new World();
  const id = await world.say('one', 'x', world.owner, 'secret');
  await world.flag([id], 'add', 'collapsed');
  await world.flag([id], 'add', 'starred', world.owner);
  world.leave(world.secret);
  const hidden = { message: 'Invalid message(s)' };
  await t.rejects(world.flag([id], 'add'), hidden);
  await t.rejects(world.flag([id], 'remove'), hidden, 'no star of their own');
  await t.rejects(world.flag([id], 'remove', 'read'), hidden);
  await t.rejects(world.flag([id], 'remove', 'starred', world.ophelia), hidden);
  t.match(await world.flag([id], 'remove', 'collapsed'), { messages: [id] });
  t.equal(world.org.messageFlags.of(world.hamlet.user_id, id), undefined);
});
