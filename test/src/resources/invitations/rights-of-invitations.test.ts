import t, { type Test } from 'tap';
import { ROLE, type Role, type UserDocument } from '../../../../schemas/users/user-document.js';
import { changeRole } from '../../../../src/organization/users/role-change.js';
import { InviteWorld } from '../../../fixtures/invite-world.js';
import type { Body } from '../../../fixtures/living-organization.js';

const EXPIRED = {
  status: 404,
  message: 'Whoops. The confirmation link has expired or been deactivated.',
};
const NO_RIGHT = { status: 400, message: 'Insufficient permission' };

class World extends InviteWorld {
  demote(user: UserDocument, role: Role): void {
    this.transact((tx) => changeRole(tx, this.user(user.user_id), role));
  }

  async listed(user: UserDocument): Promise<Body[]> {
    return (await this.do('get-invites', {}, user)).invites as Body[];
  }

  async link(user: UserDocument, params: Body = {}): Promise<string> {
    const { invite_link } = await this.do('create-invite-link', params, user);
    return /\/join\/(\w+)\//.exec(String(invite_link))![1]!;
  }

  /** Comes by a reusable link. */
  async joinBy(key: string, email: string, fields: Record<string, string> = {}) {
    await this.visit('POST', `/join/${key}/`, { email });
    await this.register(this.mailedKey(email, 'sign_up'), fields);
    return this.org.users.byRealEmail(email)!;
  }
}

void t.test('invitations to a role are seen by those who have it', async (t) => {
  const world = new World();
  const { owner, admin } = world;
  await world.link(owner, { invite_as: ROLE.owner });
  await world.link(owner, { invite_as: ROLE.administrator });
  await world.invite(owner, 'a@x.org', { invite_as: ROLE.owner });
  await world.invite(owner, 'b@x.org', { invite_as: ROLE.member });
  const roles = async (user: UserDocument) =>
    (await world.listed(user)).map((one) => one.invited_as);
  t.strictSame(await roles(owner), [ROLE.owner, ROLE.member, ROLE.owner, ROLE.administrator]);
  t.strictSame(await roles(admin), [ROLE.member, ROLE.administrator]);
});

void t.test('nor revoked nor sent again by others', async (t) => {
  const world = new World();
  const { owner, admin } = world;
  await world.link(owner, { invite_as: ROLE.owner });
  await world.invite(owner, 'a@x.org', { invite_as: ROLE.owner });
  const notOwner = { code: 'UNAUTHORIZED_PRINCIPAL', message: 'Must be an organization owner' };
  for (const operation of ['revoke-invite', 'resend-invite', 'revoke-invite-link']) {
    await t.rejects(world.do(operation, { invite_id: 1 }, admin), notOwner, operation);
  }
});

void t.test('a demotion revokes invitations to roles above, and no others', async (t) => {
  const world = new World();
  const second = world.addWithRole('second@example.com', ROLE.owner);
  await world.invite(second, 'owner@x.org', { invite_as: ROLE.owner });
  await world.invite(second, 'admin@x.org', { invite_as: ROLE.administrator });
  const owners = await world.link(second, { invite_as: ROLE.owner });
  const members = await world.link(second);
  const since = world.position;
  world.demote(second, ROLE.administrator);
  t.ok(world.received(world.admin, since).some((event) => event.type === 'invites_changed'));
  t.strictSame(
    (await world.listed(world.owner)).map((one) => one.invited_as),
    [ROLE.administrator, ROLE.member],
  );
  await t.rejects(world.register(world.mailedKey('owner@x.org')), EXPIRED);
  await t.rejects(world.visit('GET', `/join/${owners}/`), EXPIRED);
  t.equal((await world.accept('admin@x.org', { full_name: 'Adam' })).role, ROLE.administrator);
  t.equal((await world.joinBy(members, 'm@x.org')).role, ROLE.member);
});

/** What ends an invitation by the time it is used. */
const ENDS: readonly [string, (world: World, inviter: UserDocument) => void][] = [
  ['demoted', (world, inviter) => world.alter(inviter.user_id, { role: ROLE.moderator })],
  ['deactivated', (world, inviter) => world.alter(inviter.user_id, { is_active: false })],
  [
    'without the right',
    (world) => {
      const nobody = world.system('role:nobody');
      world.setRealm({ can_invite_users_group: nobody, create_multiuse_invite_group: nobody });
    },
  ],
];

for (const [what, end] of ENDS) {
  void t.test(`an inviter who is ${what} by then brings nobody in`, async (t) => {
    const world = new World();
    const { admin } = world;
    await world.invite(admin, 'a@x.org', { invite_as: ROLE.administrator });
    const key = await world.link(admin, { invite_as: ROLE.administrator });
    await world.visit('POST', `/join/${key}/`, { email: 'b@x.org' });
    // As if it had happened while the links were on their way: nothing was revoked.
    end(world, admin);
    await t.rejects(world.register(world.mailedKey('a@x.org')), EXPIRED, 'the invitation');
    await t.rejects(
      world.visit('POST', `/join/${key}/`, { email: 'c@x.org' }),
      EXPIRED,
      'the link',
    );
    await t.rejects(
      world.register(world.mailedKey('b@x.org', 'sign_up')),
      EXPIRED,
      'a confirmation',
    );
    await t.rejects(
      world.do('resend-invite', { invite_id: 1 }, world.owner),
      NO_RIGHT,
      'nor is it sent again',
    );
  });
}

/** Somebody who comes by the only invitation. */
async function newcomer(
  t: Test,
  world: World,
  by: 'mail' | 'link',
  params: Body,
  meanwhile: () => void,
) {
  if (by === 'mail') {
    await world.invite(world.hamlet, 'zoe@x.org', params);
    meanwhile();
    return world.accept('zoe@x.org');
  }
  const key = await world.link(world.hamlet, params);
  meanwhile();
  t.equal((await world.listed(world.hamlet)).length, 1, 'the link still stands');
  return world.joinBy(key, 'zoe@x.org');
}

for (const by of ['mail', 'link'] as const) {
  void t.test(`what an invitation by ${by} gives is judged when it is used`, async (t) => {
    const world = new World();
    const { hamlet, org } = world;
    world.setRealm({ create_multiuse_invite_group: org.groups.system('role:members').id });
    const only = { direct_members: [hamlet.user_id], direct_subgroups: [] };
    const nobody = org.groups.system('role:nobody').id;
    const { stream_id: kept } = world.channel('kept');
    const { stream_id: secret } = world.channel('secret', {
      invite_only: true,
      can_subscribe_group: only,
    });
    const lost = world.group('lost', { can_add_members_group: only });
    const own = world.group('own', { can_add_members_group: only });
    const params = { stream_ids: [kept, secret], group_ids: [lost, own] };
    const zoe = await newcomer(t, world, by, params, () => {
      world.transact((tx) => {
        tx.org.channels.update(secret, { can_subscribe_group: nobody });
        tx.org.groups.update(lost, { can_add_members_group: nobody });
      });
    });
    t.ok(org.subscriptions.isSubscribed(zoe.user_id, kept));
    t.notOk(org.subscriptions.isSubscribed(zoe.user_id, secret), 'a channel the inviter lost');
    t.strictSame(
      [lost, own].map((id) => org.groups.get(id)!.members),
      [[], [zoe.user_id]],
      'a group the inviter lost',
    );
  });
}
