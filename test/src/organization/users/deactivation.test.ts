import t from 'tap';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import type { Body } from '../../../fixtures/living-organization.js';
import { composeMail } from '../../../../src/organization/mail/texts.js';
import { LinkKeys } from '../../../../src/services/auth/link-keys.js';
import { PeopleWorld as World } from '../../../fixtures/people-world.js';

function refused(message: string) {
  return { status: 400, code: 'BAD_REQUEST', message };
}

/** Events in short: type, op, and whom they name. */
function short(events: readonly Body[]): string[] {
  return events.map((event) => {
    const { type, op, person, user_ids, group_id, property, data } = event as Record<string, never>;
    const about = person ?? user_ids ?? data ?? property;
    return [type, op, group_id, JSON.stringify(about)].filter((one) => one !== undefined).join(' ');
  });
}

const deactivate = (world: World, caller: UserDocument, user: UserDocument, more: Body = {}) =>
  world.do('deactivate-user', { user_id: user.user_id, ...more }, caller);

// [c:deactivation-order]
void t.test('deactivation is told in the order of the contract', async (t) => {
  const world = new World();
  const { admin, hamlet, iago, org } = world;
  const members = org.groups.system('role:members').id;
  const full = org.groups.system('role:fullmembers').id;
  const invitation = { id: 1, email: 'laertes@example.com', referrer_id: hamlet.user_id };
  world.transact((tx) => tx.org.invitations.insert(invitation as never));
  const since = world.position;
  t.strictSame(await deactivate(world, admin, hamlet), {});
  const id = hamlet.user_id;
  t.strictSame(short(world.received(iago, since)), [
    `subscription peer_remove [${id}]`,
    `user_group remove_members ${members} [${id}]`,
    `user_group remove_members ${full} [${id}]`,
    `realm_user update {"user_id":${id},"is_active":false}`,
  ]);
  t.notOk(world.user(id).is_active);
  t.strictSame(world.endedQueues, [id]);
  t.notOk(org.invitations.get(1), 'what they invited');
});

void t.test('permission values that named the user lose them', async (t) => {
  const world = new World();
  const { admin, hamlet, iago, org } = world;
  const both = { direct_members: [hamlet.user_id, iago.user_id], direct_subgroups: [] };
  const alone = { direct_members: [hamlet.user_id], direct_subgroups: [] };
  const { stream_id: channel } = world.channel('ours', { can_administer_channel_group: both }, [
    iago,
  ]);
  world.setRealm({ can_add_custom_emoji_group: alone });
  const since = world.position;
  await deactivate(world, admin, hamlet);
  const updates = world
    .received(iago, since)
    .filter(({ type }) => /^(realm|stream)$/.test(String(type)));
  t.match(updates, [
    {
      type: 'realm',
      op: 'update_dict',
      property: 'default',
      data: { can_add_custom_emoji_group: org.groups.system('role:nobody').id },
    },
    {
      type: 'stream',
      op: 'update',
      stream_id: channel,
      property: 'can_administer_channel_group',
      value: { direct_members: [iago.user_id], direct_subgroups: [] },
    },
  ]);
  t.equal(updates.length, 2);
});

void t.test('the bots of a user go first', async (t) => {
  const world = new World();
  const { admin, hamlet, iago } = world;
  const echo = await world.bot(hamlet, 'Echo');
  const idle = await world.bot(hamlet, 'Idle');
  await world.do('deactivate-bot', { bot_id: idle.user_id }, hamlet);
  const other = await world.bot(iago, 'Other');
  const since = world.position;
  world.endedQueues.length = 0;
  await deactivate(world, admin, hamlet);
  const gone = world
    .received(iago, since)
    .filter(({ type }) => type === 'realm_user')
    .map(({ person }) => (person as { user_id: number }).user_id);
  t.strictSame(gone, [echo.user_id, hamlet.user_id]);
  t.strictSame(world.endedQueues, [echo.user_id, hamlet.user_id]);
  t.ok(world.user(other.user_id).is_active);
});

void t.test('presence and status are forgotten without an event', async (t) => {
  const world = new World();
  const { admin, hamlet } = world;
  world.transact((tx) => world.presence.report(tx, hamlet, 'website', 'active'));
  await world.do('update-own-status', { status_text: 'here' }, hamlet);
  t.equal(world.presence.statusOf(hamlet.user_id), 'active');
  await deactivate(world, admin, hamlet);
  t.equal(world.presence.statusOf(hamlet.user_id), 'offline');
  t.equal(world.org.presences.get(hamlet.user_id), undefined);
  t.equal(world.org.statuses.get(hamlet.user_id), undefined);
  t.equal(world.reloaded().presences.get(hamlet.user_id), undefined, 'also after a restart');
});

void t.test('a comment goes out by mail; none sends nothing', async (t) => {
  const world = new World();
  const { admin, hamlet, iago } = world;
  await deactivate(world, admin, iago, { deactivation_notification_comment: null });
  await deactivate(world, admin, hamlet, { deactivation_notification_comment: 'Farewell' });
  const mails = [...world.org.mails.values()];
  t.match(mails, [
    {
      to: 'hamlet@example.com',
      content: {
        kind: 'account_deactivated',
        full_name: 'hamlet',
        actor_name: 'admin',
        comment: 'Farewell',
      },
    },
  ]);
  const keys = new LinkKeys(Buffer.alloc(32, 7));
  const { subject, text } = composeMail(world.org, keys, mails[0]!, 'chat@example.com');
  t.equal(subject, 'Your account at Example has been deactivated');
  t.match(text, /Hello hamlet,\n\nadmin has deactivated .*comment:\n\nFarewell\n$/s);
});

void t.test('deactivation is refused in the words of the contract', async (t) => {
  const world = new World();
  const { admin, hamlet, owner } = world;
  await t.rejects(deactivate(world, admin, owner), {
    code: 'UNAUTHORIZED_PRINCIPAL',
    message: 'Must be an organization owner',
  });
  await t.rejects(
    deactivate(world, owner, owner),
    refused('Cannot deactivate the only organization owner'),
  );
  await t.rejects(world.do('deactivate-user', { user_id: 999 }, admin), refused('No such user'));
  await t.rejects(
    deactivate(world, admin, hamlet, { actions: { delete_direct_messages: true } }),
    refused('Deleting what a user wrote is not supported by this server.'),
  );
  t.ok(world.user(hamlet.user_id).is_active, 'refused whole');
  await deactivate(world, admin, hamlet, { actions: { delete_profile: false } });
  await t.rejects(deactivate(world, admin, hamlet), refused('User is deactivated'));
});

void t.test(
  'people leave by themselves, but not the last owner, nor the last of all',
  async (t) => {
    const world = new World();
    const { hamlet, owner, org } = world;
    t.strictSame(await world.do('deactivate-own-user', {}, hamlet), {});
    t.notOk(world.user(hamlet.user_id).is_active);
    await t.rejects(world.do('deactivate-own-user', {}, owner), {
      status: 400,
      code: 'CANNOT_DEACTIVATE_LAST_USER',
      message: 'Cannot deactivate the only organization owner.',
      fields: { is_last_owner: true, entity: 'organization owner' },
    });
    for (const id of [...org.users.active]) {
      if (id !== owner.user_id) await deactivate(world, owner, world.user(id));
    }
    await t.rejects(world.do('deactivate-own-user', {}, owner), {
      code: 'CANNOT_DEACTIVATE_LAST_USER',
      message: 'Cannot deactivate the only user.',
      fields: { is_last_owner: false, entity: 'user' },
    });
  },
);

// [c:reactivation-restores]
void t.test('who comes back finds groups and subscriptions again', async (t) => {
  const world = new World();
  const { admin, hamlet, iago, org } = world;
  const members = org.groups.system('role:members').id;
  const full = org.groups.system('role:fullmembers').id;
  const crew = world.transact((tx) => {
    const nobody = tx.org.groups.system('role:nobody');
    const id = tx.org.counters.next('user_group');
    const group = { ...nobody, id, name: 'crew', is_system_group: false };
    return tx.org.groups.insert({ ...group, members: [hamlet.user_id, iago.user_id] });
  });
  await deactivate(world, admin, hamlet);
  const since = world.position;
  t.strictSame(await world.do('reactivate-user', { user_id: hamlet.user_id }, admin), {});
  const id = hamlet.user_id;
  t.strictSame(short(world.received(iago, since)), [
    `realm_user update {"user_id":${id},"is_active":true}`,
    `user_group add_members ${members} [${id}]`,
    `user_group add_members ${crew.id} [${id}]`,
    `user_group add_members ${full} [${id}]`,
    `subscription peer_add [${id}]`,
  ]);
  const again = world.position;
  t.strictSame(await world.do('reactivate-user', { user_id: hamlet.user_id }, admin), {});
  t.equal(world.received(iago, again).length, 0, 'an active account stays as it is');
});

void t.test('a bot whose owner is gone goes to who brings it back', async (t) => {
  const world = new World();
  const { admin, hamlet } = world;
  const { user_id } = await world.bot(hamlet, 'Echo');
  await deactivate(world, admin, hamlet);
  await world.do('reactivate-user', { user_id }, admin);
  t.match(world.user(user_id), { is_active: true, bot_owner_id: admin.user_id });
});

void t.test('a placeholder of an import cannot be activated', async (t) => {
  const world = new World();
  const { admin, hamlet } = world;
  world.alter(hamlet.user_id, { is_imported_stub: true, is_active: false });
  await t.rejects(
    world.do('reactivate-user', { user_id: hamlet.user_id }, admin),
    refused('Cannot activate a placeholder account; ask the user to sign up, instead.'),
  );
});
