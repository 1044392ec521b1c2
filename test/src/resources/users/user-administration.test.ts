import t from 'tap';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { addDevice, addPushToken } from '../../../../src/organization/personal/push.js';
import { handlerOf } from '../../../fixtures/handler-of.js';
import { MODERN, type Body } from '../../../fixtures/living-organization.js';
import { PeopleWorld as World } from '../../../fixtures/people-world.js';
import { passwords } from '../../../fixtures/settings-world.js';

const NOT_ADMIN = {
  status: 400,
  code: 'UNAUTHORIZED_PRINCIPAL',
  message: 'Must be an organization administrator',
};
const NOT_OWNER = {
  status: 400,
  code: 'UNAUTHORIZED_PRINCIPAL',
  message: 'Must be an organization owner',
};

function refused(message: string) {
  return { status: 400, code: 'BAD_REQUEST', message };
}

/** Shape of an event: its type, op, and what its person or data is about. */
function kinds(events: readonly Body[]): string[] {
  return events.map(({ type, op, person }) => {
    const about = person ? Object.keys(person).filter((key) => key !== 'user_id') : [];
    return [type, op, ...about].join(' ');
  });
}

// [c:user-renamed]
void t.test('an administrator renames somebody, by id or by address', async (t) => {
  const world = new World();
  const { admin, hamlet, guest } = world;
  let since = world.position;
  t.strictSame(
    await world.do('update-user', { user_id: hamlet.user_id, full_name: ' Prince ' }, admin),
    {},
  );
  t.strictSame(world.received(guest, since), [
    { type: 'realm_user', op: 'update', person: { user_id: hamlet.user_id, full_name: 'Prince' } },
  ]);
  since = world.position;
  const byAddress = { email: 'HAMLET@example.com', full_name: 'King' };
  await world.do('update-user-by-email', byAddress, admin);
  t.equal(world.user(hamlet.user_id).full_name, 'King');
  await world.do('update-user-by-email', byAddress, admin);
  t.equal(world.received(guest, since).length, 1, 'the same again says nothing');
});

void t.test('changing accounts is refused in the words of the contract', async (t) => {
  const world = new World();
  const { admin, hamlet, iago, owner, guest } = world;
  const of = ({ user_id }: UserDocument, change: Body) => ({ user_id, ...change });
  const since = world.position;
  const ask = (caller: UserDocument, params: Body) => world.do('update-user', params, caller);
  await t.rejects(ask(hamlet, of(iago, { full_name: 'Honest' })), NOT_ADMIN);
  await t.rejects(ask(guest, of(guest, { role: 100 })), NOT_ADMIN);
  await t.rejects(ask(admin, of(hamlet, { role: 100 })), NOT_OWNER, 'making owners');
  await t.rejects(ask(admin, of(owner, { role: 400 })), NOT_OWNER, 'unmaking owners');
  await t.rejects(
    ask(owner, of(owner, { role: 200 })),
    refused('The owner permission cannot be removed from the only organization owner.'),
  );
  await t.rejects(
    ask(admin, of(hamlet, { new_email: 'prince@example.com' })),
    refused('User not authorized to change user emails'),
  );
  await t.rejects(ask(admin, { user_id: 999, full_name: 'Nobody' }), refused('No such user'));
  await t.rejects(ask(admin, { user_id: 1, role: 400 }), refused('No such user'), 'a system bot');
  await t.rejects(ask(admin, of(hamlet, { full_name: 'x' })), refused('Name too short!'));
  const twice = of(hamlet, { role: 300, profile_data: [{ id: 9, value: 'x' }] });
  await t.rejects(ask(admin, twice), refused('Field id 9 not found.'));
  t.equal(world.position, since, 'and then nothing changes');
});

void t.test('an owner leaves ownership to another one', async (t) => {
  const world = new World();
  const { owner, hamlet } = world;
  await world.do('update-user', { user_id: hamlet.user_id, role: 100 }, owner);
  await world.do('update-user', { user_id: owner.user_id, role: 400 }, owner);
  t.equal(world.user(owner.user_id).role, 400);
  await t.rejects(
    world.do('update-user', { user_id: hamlet.user_id, role: 400 }, hamlet),
    refused('The owner permission cannot be removed from the only organization owner.'),
  );
});

// [c:role-changed]
void t.test('a change of role is told with the role groups, in order', async (t) => {
  const world = new World();
  const { admin, hamlet, guest, org } = world;
  const id = (name: 'role:members' | 'role:fullmembers' | 'role:moderators') =>
    org.groups.system(name).id;
  const since = world.position;
  await world.do('update-user', { user_id: hamlet.user_id, role: 300 }, admin);
  const members = (op: string, group_id: number) => ({
    type: 'user_group',
    op,
    group_id,
    user_ids: [hamlet.user_id],
  });
  t.strictSame(world.received(guest, since), [
    { type: 'realm_user', op: 'update', person: { user_id: hamlet.user_id, role: 300 } },
    members('remove_members', id('role:members')),
    members('add_members', id('role:moderators')),
    members('remove_members', id('role:fullmembers')),
  ]);
});

void t.test('channels with the same subscribers share an event to who gains them', async (t) => {
  const world = new World();
  const { admin, hamlet, iago } = world;
  const of = (name: string, users: (typeof iago)[]) => world.channel(name, {}, users).stream_id;
  const [one, two, three, four] = [of('1', [iago]), of('2', [admin]), of('3', [iago]), of('4', [])];
  const crowd = Array.from({ length: 101 }, (_, i) => world.addUser(`crowd${i}@example.com`));
  const [large, larger] = [of('5', crowd), of('6', crowd)];
  await world.do('update-user', { user_id: hamlet.user_id, role: 600 }, admin);
  const since = world.position;
  await world.do('update-user', { user_id: hamlet.user_id, role: 400 }, admin);
  const wanted = { ...MODERN, event_types: ['stream', 'subscription'] };
  const [created, ...told] = world.received(hamlet, since, wanted);
  t.same(
    (created!.streams as { stream_id: number }[]).map(({ stream_id }) => stream_id),
    [one, two, three, four, large, larger],
  );
  const ids = crowd.map(({ user_id }) => user_id);
  t.strictSame(told, [
    { type: 'subscription', op: 'peer_add', stream_ids: [one, three], user_ids: [iago.user_id] },
    { type: 'subscription', op: 'peer_add', stream_ids: [two], user_ids: [admin.user_id] },
    { type: 'subscription', op: 'peer_add', stream_ids: [large], user_ids: ids },
    { type: 'subscription', op: 'peer_add', stream_ids: [larger], user_ids: ids },
  ]);
});

void t.test('a new guest loses sight of channels, an ex-guest gains it', async (t) => {
  const world = new World();
  const { admin, hamlet, iago } = world;
  const general = world.general.stream_id;
  const { stream_id: open } = world.channel('open', {}, [iago]);
  const { stream_id: closed } = world.channel('closed', { invite_only: true }, [iago]);
  let since = world.position;
  const only = (types: string[]) => ({ ...MODERN, event_types: types });
  await world.do('update-user', { user_id: hamlet.user_id, role: 600 }, admin);
  t.strictSame(world.received(hamlet, since, only(['stream', 'default_streams'])), [
    { type: 'stream', op: 'delete', streams: [{ stream_id: open }], stream_ids: [open] },
    { type: 'default_streams', default_streams: [] },
  ]);
  since = world.position;
  await world.do('update-user', { user_id: hamlet.user_id, role: 400 }, admin);
  const told = world.received(hamlet, since, only(['stream', 'subscription', 'default_streams']));
  t.match(told, [
    { type: 'stream', op: 'create', streams: [{ stream_id: open, subscriber_count: 0 }] },
    { type: 'subscription', op: 'peer_add', stream_ids: [open], user_ids: [iago.user_id] },
    { type: 'default_streams', default_streams: [general] },
  ]);
  t.equal(told.length, 3);
  since = world.position;
  await world.do('update-user', { user_id: hamlet.user_id, role: 200 }, admin);
  t.match(world.received(hamlet, since, only(['stream'])), [
    { op: 'create', streams: [{ stream_id: closed }] },
  ]);
  t.strictSame(
    world.received(iago, since, only(['stream', 'subscription'])),
    [],
    'others: nothing',
  );
});

void t.test('addresses come in sight and go out of it with the role of the viewer', async (t) => {
  const world = new World();
  const { admin, hamlet, iago } = world;
  world.presetSettings(iago, { email_address_visibility: 3 });
  const addresses = (since: number) =>
    world
      .received(hamlet, since, { ...MODERN, event_types: ['realm_user'] })
      .map((event) => event.person as Body)
      .filter((person) => 'delivery_email' in person);
  let since = world.position;
  await world.do('update-user', { user_id: hamlet.user_id, role: 200 }, admin);
  const shown = { user_id: iago.user_id, delivery_email: 'iago@example.com' };
  t.strictSame(addresses(since), [shown]);
  since = world.position;
  await world.do('update-user', { user_id: hamlet.user_id, role: 300 }, admin);
  t.strictSame(addresses(since), [{ ...shown, delivery_email: null }]);
});

// [c:user-address-changed]
void t.test(
  'with the flag, an address changes at once, in the order of the contract',
  async (t) => {
    const world = new World();
    const { owner, hamlet, guest } = world;
    world.alter(owner.user_id, { can_change_user_emails: true });
    const since = world.position;
    const change = (new_email: string) =>
      world.do('update-user', { user_id: hamlet.user_id, new_email }, owner);
    await change(' prince@example.com ');
    t.strictSame(kinds(world.received(guest, since)), [
      'realm_user update delivery_email',
      'realm_user update avatar_source avatar_url avatar_url_medium avatar_version',
      'realm_user update new_email',
    ]);
    await t.rejects(change('IAGO@example.com'), refused("Email 'IAGO@example.com' already in use"));
    await t.rejects(change('nonsense'), refused('Bad name or username'));
    world.alter(world.admin.user_id, { can_change_user_emails: true });
    await t.rejects(
      world.do('update-user', { user_id: owner.user_id, new_email: 'x@example.com' }, world.admin),
      NOT_OWNER,
      'whoever has the address could become the owner',
    );
    await change('Prince@example.com');
    t.equal(world.user(hamlet.user_id).email, 'Prince@example.com', 'another spelling is fine');
  },
);

void t.test('with the flag, the own address needs the password as in the settings', async (t) => {
  const world = new World();
  const { owner, hamlet } = world;
  const password_hash = await passwords.hash('the password');
  world.alter(owner.user_id, { can_change_user_emails: true, password_hash });
  const needed = 'To change your address, log in again, or give your password as old_password.';
  const own = { user_id: owner.user_id, new_email: 'taken@example.com' };
  const byAddress = { email: owner.email, new_email: 'taken@example.com' };
  await t.rejects(world.do('update-user', own, owner), refused(needed));
  await t.rejects(world.do('update-user-by-email', byAddress, owner), refused(needed));
  const wrong = { old_password: 'another' };
  await t.rejects(world.do('update-user', { ...own, ...wrong }, owner), refused('Wrong password!'));
  const other = { user_id: hamlet.user_id, new_email: 'prince@example.com' };
  await t.rejects(
    world.do('update-user', { ...other, ...wrong }, owner),
    refused('Wrong password!'),
    'it is no password of anybody else',
  );
  await world.do('update-user', other, owner);
  t.equal(world.user(owner.user_id).email, owner.email);
  await world.do('update-user', { ...own, old_password: 'the password' }, owner);
  t.equal(world.user(owner.user_id).email, 'taken@example.com');
});

void t.test('a hidden address that changes is told to who may see it', async (t) => {
  const world = new World();
  const { owner, hamlet, guest, admin } = world;
  world.alter(owner.user_id, { can_change_user_emails: true });
  world.presetSettings(hamlet, { email_address_visibility: 3 });
  const since = world.position;
  const new_email = 'prince@example.com';
  await world.do('update-user', { user_id: hamlet.user_id, new_email }, owner);
  t.strictSame(world.received(guest, since), []);
  t.strictSame(kinds(world.received(admin, since)), ['realm_user update delivery_email']);
});

void t.test('the owner of a bot may rename it, and no more', async (t) => {
  const world = new World();
  const { hamlet, iago } = world;
  const { user_id } = await world.bot(hamlet, 'Echo');
  await world.do('update-user', { user_id, full_name: 'Narcissus' }, hamlet);
  t.equal(world.user(user_id).full_name, 'Narcissus');
  await t.rejects(world.do('update-user', { user_id, role: 200 }, hamlet), NOT_ADMIN);
  await t.rejects(world.do('update-user', { user_id, full_name: 'Mine' }, iago), NOT_ADMIN);
});

void t.test('a new key is another one; the sockets of the old one close', async (t) => {
  const world = new World();
  const { hamlet } = world;
  const old = world.keys.derive(hamlet.user_id, hamlet.key_version);
  const devices = world.transact((tx) => {
    addPushToken(tx, hamlet.user_id, 'fcm', 'token', null);
    addPushToken(tx, world.iago.user_id, 'fcm', 'other', null);
    addDevice(tx, world.iago.user_id);
    return [addDevice(tx, hamlet.user_id).id, addDevice(tx, hamlet.user_id).id];
  });
  const since = world.position;
  const { api_key } = await world.do('regenerate-own-api-key', {}, hamlet);
  t.match(api_key, /^[A-Za-z0-9]{32}$/);
  t.not(api_key, old);
  const { key_version } = world.user(hamlet.user_id);
  t.ok(world.keys.verify(hamlet.user_id, key_version, String(api_key)));
  t.notOk(world.keys.verify(hamlet.user_id, key_version, old));
  t.strictSame(world.closedSockets, [hamlet.user_id]);
  t.strictSame(
    world.received(hamlet, since),
    devices.map((device_id) => ({ type: 'device', op: 'remove', device_id })),
    'devices are logged out',
  );
  const kept = (userId: number) => [
    world.org.devices.of(userId).length,
    world.org.pushTokens.of(userId).length,
  ];
  t.strictSame(kept(hamlet.user_id), [0, 0]);
  t.strictSame(kept(world.iago.user_id), [1, 1]);
});

void t.test('the channels of somebody, as far as the caller may know them', async (t) => {
  const world = new World();
  const { hamlet, iago, guest, owner } = world;
  const general = world.general.stream_id;
  const { stream_id: open } = world.channel('open', {}, [hamlet]);
  const { stream_id: closed } = world.channel('closed', { invite_only: true }, [hamlet]);
  const of = async (caller: UserDocument) =>
    (await world.do('get-user-channels', { user_id: hamlet.user_id }, caller))
      .subscribed_channel_ids;
  t.strictSame(await of(hamlet), [general, open, closed]);
  t.strictSame(await of(owner), [general, open, closed]);
  t.strictSame(await of(iago), [general, open]);
  t.strictSame(await of(guest), [general]);
  await t.rejects(world.do('get-user-channels', { user_id: 999 }, hamlet), refused('No such user'));
});

void t.test('a subscription is shown to those who see the channel', async (t) => {
  const world = new World();
  const { hamlet, iago, guest } = world;
  const { stream_id: open } = world.channel('open', {}, [hamlet]);
  const ask = (caller: UserDocument, user_id: number, stream_id: number) =>
    world.do('get-subscription-status', { user_id, stream_id }, caller);
  t.strictSame(await ask(iago, hamlet.user_id, open), { is_subscribed: true });
  t.strictSame(await ask(hamlet, iago.user_id, open), { is_subscribed: false });
  await t.rejects(ask(guest, hamlet.user_id, open), refused('Invalid channel ID'));
  await t.rejects(ask(hamlet, 999, open), refused('No such user'));
  world.alter(hamlet.user_id, { is_active: false });
  t.strictSame(await ask(iago, hamlet.user_id, open), { is_subscribed: false });
});

void t.test('only administrators deactivate others; bots may renew their key', async (t) => {
  const { handlers } = new World();
  const access = (operation: string) => handlerOf(handlers, operation).endpoint.access;
  t.equal(access('deactivate-user'), 'administrator');
  t.equal(access('reactivate-user'), 'administrator');
  t.equal(access('deactivate-own-user'), 'human');
  t.equal(access('regenerate-own-api-key'), 'user', 'bots too');
  t.equal(ROLE.owner, 100);
});
