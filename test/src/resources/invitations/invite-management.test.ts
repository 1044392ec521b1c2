import t from 'tap';
import { Value } from 'typebox/value';
import { InviteObject } from '../../../../schemas/invitations/invites.js';
import { ROLE } from '../../../../schemas/users/user-document.js';
import { createUser } from '../../../../src/organization/accounts/accounts.js';
import { revokeInvitationsOf } from '../../../../src/organization/invitations/invite.js';
import { linkKeyHash } from '../../../../src/services/auth/link-keys.js';
import { InviteWorld } from '../../../fixtures/invite-world.js';
import { START_MS, START_SECONDS, type Body } from '../../../fixtures/living-organization.js';

const DAY_MS = 86_400_000;

const open = (world: InviteWorld) => [...world.org.invitations.values()];

const refused = (message: string, code = 'BAD_REQUEST') => ({ status: 400, code, message });

// [c:reusable-link-permission]
void t.test('a reusable link is made by whom its permission names, and listed', async (t) => {
  const world = new InviteWorld();
  const { hamlet, admin, org } = world;
  await t.rejects(world.do('create-invite-link', {}, hamlet), refused('Insufficient permission'));
  world.setRealm({ create_multiuse_invite_group: org.groups.system('role:members').id });
  const since = world.position;
  const { invite_link } = await world.do(
    'create-invite-link',
    {
      stream_ids: [1],
      invite_as: 600,
      include_realm_default_subscriptions: true,
    },
    hamlet,
  );
  t.match(invite_link, /^https:\/\/chat\.example\.com\/join\/[A-Za-z0-9]{32}\/$/);
  t.strictSame(world.received(admin, since), [{ type: 'invites_changed' }]);
  t.match(org.multiuseInvitations.get(1), {
    invited_as: 600,
    stream_ids: [1],
    group_ids: [],
    include_realm_default_subscriptions: true,
    referrer_id: hamlet.user_id,
    expires_at: START_MS + 10 * DAY_MS,
    revoked: false,
  });
  await t.rejects(
    world.do('create-invite-link', { invite_as: 200 }, hamlet),
    refused('Must be an organization administrator', 'UNAUTHORIZED_PRINCIPAL'),
  );
  const { invites } = await world.do('get-invites', {}, hamlet);
  t.match((invites as Body[])[0], { link_url: invite_link, is_multiuse: true });
});

void t.test('the list has own ones, for admins all, unexpired and unaccepted', async (t) => {
  const world = new InviteWorld();
  const { hamlet, admin, guest } = world;
  await world.invite(hamlet, 'mine@x.org', { invite_expires_in_minutes: 60 });
  await world.invite(admin, 'theirs@x.org', { invite_as: 200, invite_expires_in_minutes: null });
  await world.do('create-invite-link', { invite_expires_in_minutes: 60 }, admin);
  const list = async (user = hamlet) =>
    (await world.do('get-invites', {}, user)).invites as (Body & { id: number })[];
  t.strictSame(await list(), [
    {
      id: 1,
      invited_by_user_id: hamlet.user_id,
      invited: START_SECONDS,
      expiry_date: START_SECONDS + 3600,
      invited_as: 400,
      is_multiuse: false,
      email: 'mine@x.org',
      notify_referrer_on_join: true,
    },
  ]);
  const all = await list(admin);
  for (const one of all) t.ok(Value.Check(InviteObject, one));
  t.strictSame(
    all.map((one) => [one.id, one.is_multiuse, one.email, one.expiry_date, one.invited_as]),
    [
      [1, false, 'mine@x.org', START_SECONDS + 3600, 400],
      [2, false, 'theirs@x.org', null, 200],
      [1, true, undefined, START_SECONDS + 3600, 400],
    ],
  );
  world.clock.advance(3600 * 1000);
  t.strictSame(
    (await list(admin)).map((one) => one.email),
    ['theirs@x.org'],
  );
  await world.accept('theirs@x.org');
  t.strictSame(await list(admin), []);
  t.strictSame(await list(guest), [], 'guests are kept out by the access rule');
});

void t.test('revoking: the creator, admins, and owners for owners', async (t) => {
  const world = new InviteWorld();
  const { hamlet, admin, owner } = world;
  const other = world.addUser('other@example.com');
  await world.invite(hamlet, 'a@x.org, b@x.org');
  await world.invite(owner, 'c@x.org', { invite_as: 100 });
  const revoke = (user = hamlet, invite_id = 1) => world.do('revoke-invite', { invite_id }, user);
  const mustBe = (who: string) =>
    refused(`Must be an organization ${who}`, 'UNAUTHORIZED_PRINCIPAL');
  await t.rejects(revoke(other), mustBe('administrator'));
  await t.rejects(revoke(admin, 3), mustBe('owner'));
  await t.rejects(revoke(admin, 99), refused('No such invitation'));
  const key = world.mailedKey('a@x.org');
  const since = world.position;
  t.strictSame(await revoke(), {});
  t.strictSame(world.received(admin, since), [{ type: 'invites_changed' }]);
  t.strictSame(await revoke(admin, 2), {});
  t.strictSame(await revoke(owner, 3), {});
  await t.rejects(revoke(), refused('No such invitation'));
  await t.rejects(world.register(key), {
    status: 404,
    message: 'Whoops. The confirmation link has expired or been deactivated.',
  });
});

void t.test('an administrator revokes a link once; a second time it is refused', async (t) => {
  const world = new InviteWorld();
  const { hamlet, admin } = world;
  await world.do('create-invite-link', {}, admin);
  const revoke = (user = admin, invite_id = 1) =>
    world.do('revoke-invite-link', { invite_id }, user);
  await t.rejects(revoke(hamlet), { message: 'Must be an organization administrator' });
  await t.rejects(revoke(admin, 2), refused('No such invitation'));
  t.strictSame(await revoke(), {});
  await t.rejects(revoke(), refused('Invitation has already been revoked'));
  t.strictSame((await world.do('get-invites', {}, admin)).invites, []);
});

void t.test('resending mails the same link, valid as long as at first', async (t) => {
  const world = new InviteWorld();
  const { hamlet, admin } = world;
  await world.invite(hamlet, 'a@x.org', { invite_expires_in_minutes: 60 });
  const key = world.mailedKey('a@x.org');
  world.clock.advance(2 * 3600 * 1000);
  const since = world.position;
  t.strictSame(await world.do('resend-invite', { invite_id: 1 }, admin), {});
  t.equal(world.org.mails.size, 2);
  t.equal(world.mailedKey('a@x.org'), key);
  const [one] = (await world.do('get-invites', {}, hamlet)).invites as Body[];
  t.match(one, { invited: START_SECONDS + 7200, expiry_date: START_SECONDS + 10_800 });
  t.strictSame(world.received(hamlet, since), [{ type: 'invites_changed' }]);
  await t.rejects(world.do('resend-invite', { invite_id: 1 }, world.addUser('o@x.org')), {
    code: 'UNAUTHORIZED_PRINCIPAL',
  });
  await t.rejects(world.do('resend-invite', { invite_id: 9 }, admin), {
    message: 'No such invitation',
  });
});

void t.test('an address that got an account otherwise is not invited again', async (t) => {
  const world = new InviteWorld();
  await world.invite(world.hamlet, 'a@x.org');
  const account = { email: 'a@x.org', full_name: 'Al', role: ROLE.member, password_hash: null };
  world.transact((tx) => createUser(tx, account));
  await t.rejects(world.do('resend-invite', { invite_id: 1 }, world.hamlet), {
    message: "We weren't able to invite anyone.",
  });
});

void t.test('whoever is deactivated invites nobody any more', async (t) => {
  const world = new InviteWorld();
  const { hamlet, admin } = world;
  await world.invite(hamlet, 'a@x.org');
  await world.invite(admin, 'b@x.org');
  await world.do('create-invite-link', {}, admin);
  const since = world.position;
  world.transact((tx) => revokeInvitationsOf(tx, admin.user_id));
  t.strictSame(
    open(world).map((one) => one.email),
    ['a@x.org'],
  );
  t.ok(world.org.multiuseInvitations.get(1)!.revoked);
  t.strictSame(world.received(world.owner, since), [{ type: 'invites_changed' }]);
  world.transact((tx) => revokeInvitationsOf(tx, admin.user_id));
  t.equal(world.events(since).length, 1, 'said once');
});

void t.test('what expired long ago is let go when somebody invites again', async (t) => {
  const world = new InviteWorld();
  await world.invite(world.hamlet, 'a@x.org');
  await world.do('create-invite-link', {}, world.admin);
  world.clock.advance(39 * DAY_MS);
  await world.invite(world.hamlet, 'b@x.org');
  t.equal(world.org.invitations.size, 2, 'still there to be sent again');
  world.clock.advance(2 * DAY_MS);
  await world.invite(world.hamlet, 'c@x.org');
  t.strictSame(
    open(world).map((one) => one.email),
    ['b@x.org', 'c@x.org'],
  );
  t.equal(world.org.multiuseInvitations.size, 0);
});

void t.test('everything is there after a restart', async (t) => {
  const world = new InviteWorld();
  await world.invite(world.hamlet, 'a@x.org');
  const { invite_link } = await world.do('create-invite-link', {}, world.admin);
  const again = world.reloaded();
  t.equal(again.invitations.byKeyHash(linkKeyHash(world.mailedKey('a@x.org')))?.email, 'a@x.org');
  const key = /join\/(\w+)/.exec(String(invite_link))![1]!;
  t.equal(again.multiuseInvitations.byKeyHash(linkKeyHash(key))?.id, 1);
  t.equal(again.mails.size, 1);
  t.equal(again.invitationTally.sentOn(START_MS), 1);
});
