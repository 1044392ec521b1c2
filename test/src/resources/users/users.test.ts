import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import t from 'tap';
import { rightChange } from '../../../../src/organization/access/permissions.js';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { userHandlers } from '../../../../src/resources/users/users.js';
import { Passwords } from '../../../../src/services/auth/passwords.js';
import { organizationOf, type Body } from '../../../fixtures/living-organization.js';

const passwords = Passwords.create({
  memoryKiB: 1024,
  passes: 2,
  concurrency: 2,
  maxWaiting: 10,
});

function usersWorld() {
  return organizationOf({ hamlet: ROLE.member, guest: ROLE.guest }, () =>
    userHandlers({ passwords, markdown: createMarkdown() }),
  );
}

const NO_SUCH_USER = { status: 400, code: 'BAD_REQUEST', message: 'No such user' };

void t.test(
  'the list has everybody but system bots, deactivated ones too, or those asked for',
  async (t) => {
    const world = usersWorld();
    const { hamlet, guest, owner } = world;
    world.alter(guest.user_id, { is_active: false });
    const ids = async (params: Body) =>
      ((await world.do('get-users', params, hamlet)).members as { user_id: number }[]).map(
        (user) => user.user_id,
      );
    t.strictSame(await ids({}), [owner.user_id, hamlet.user_id, guest.user_id]);
    t.strictSame(await ids({ user_ids: [guest.user_id, 999, hamlet.user_id, guest.user_id] }), [
      hamlet.user_id,
      guest.user_id,
    ]);
    t.strictSame(await ids({ user_ids: [] }), []);
  },
);

void t.test('the list computes pictures and profiles only where asked', async (t) => {
  const world = usersWorld();
  const params = { user_ids: [world.hamlet.user_id] };
  const [plain] = (await world.do('get-users', params, world.guest)).members as Body[];
  t.equal(plain!.avatar_url, null);
  t.notOk('profile_data' in plain!);
  const [full] = (
    await world.do(
      'get-users',
      {
        ...params,
        client_gravatar: false,
        include_custom_profile_fields: true,
      },
      world.guest,
    )
  ).members as Body[];
  t.match(full, { avatar_url: /^https:/, profile_data: {} });
});

void t.test('a user is found by id, an unknown id is refused', async (t) => {
  const world = usersWorld();
  const { hamlet, guest } = world;
  const { user } = await world.do('get-user', { user_id: hamlet.user_id }, guest);
  t.match(user, { user_id: hamlet.user_id, email: 'hamlet@example.com', is_guest: false });
  await t.rejects(world.do('get-user', { user_id: 999 }, guest), NO_SUCH_USER);
});

void t.test('one user by address, as far as the caller may know it', async (t) => {
  const world = usersWorld();
  const { hamlet, guest, owner } = world;
  const by = (caller: typeof hamlet, email: string) =>
    world.do('get-user-by-email', { email }, caller);
  t.match((await by(guest, 'HAMLET@example.com')).user, { user_id: hamlet.user_id });
  world.presetSettings(hamlet, { email_address_visibility: 3 });
  await t.rejects(by(guest, 'hamlet@example.com'), NO_SUCH_USER);
  const placeholder = `user${hamlet.user_id}@chat.example.com`;
  t.match((await by(guest, placeholder)).user, { delivery_email: null, email: placeholder });
  t.match((await by(owner, 'hamlet@example.com')).user, { delivery_email: 'hamlet@example.com' });
  await t.rejects(by(guest, 'nobody@example.com'), NO_SUCH_USER);
});

void t.test('oneself, at the top level', async (t) => {
  const world = usersWorld();
  t.match(await world.do('get-own-user'), {
    user_id: world.hamlet.user_id,
    delivery_email: 'hamlet@example.com',
    avatar_url: /^https:/,
    profile_data: {},
    max_message_id: -1,
  });
});

void t.test('who may create users creates one with a password that works', async (t) => {
  const world = usersWorld();
  const params = { email: 'new@example.com', full_name: 'New One', password: 'xK7#qPz4w' };
  const since = world.position;
  const { user_id } = await world.do('create-user', params, world.owner);
  const created = world.user(user_id as number);
  t.match(created, { role: ROLE.member, email: 'new@example.com', full_name: 'New One' });
  t.ok(await passwords.verify(created.password_hash, 'xK7#qPz4w'));
  t.match(created.key_version, /^[\w-]{16}$/);
  t.ok(world.org.subscriptions.isSubscribed(created.user_id, 1), 'in the default channel');
  t.equal(world.received(world.hamlet, since)[0]!.type, 'realm_user');
});

void t.test('creating users is refused in the words of the contract', async (t) => {
  const world = usersWorld();
  const params = { email: 'new@example.com', full_name: 'New One', password: 'xK7#qPz4w' };
  await t.rejects(world.do('create-user', params, world.hamlet), {
    message: 'User not authorized to create users',
  });
  const refusals: [Body, string][] = [
    [{ email: 'hamlet@example.com' }, "Email 'hamlet@example.com' already in use"],
    [{ email: 'nonsense' }, 'Bad name or username'],
    [{ full_name: 'x' }, 'Name too short!'],
    [{ password: 'password' }, 'The password is too weak.'],
  ];
  for (const [wrong, message] of refusals) {
    await t.rejects(world.do('create-user', { ...params, ...wrong }, world.owner), { message });
  }
});

void t.test('roles decide who creates users, unless a command said otherwise', async (t) => {
  const world = usersWorld();
  const bot = world.alter(world.addUser('bot@example.com').user_id, { is_bot: true, bot_type: 1 });
  const admin = world.addWithRole('admin@example.com', ROLE.administrator);
  const moderator = world.addWithRole('moderator@example.com', ROLE.moderator);
  let count = 0;
  const create = (caller: UserDocument) => {
    const email = `new${++count}@example.com`;
    return world.do('create-user', { email, full_name: 'New One', password: 'xK7#qPz4w' }, caller);
  };
  const refusal = { message: 'User not authorized to create users' };
  for (const caller of [world.owner, admin]) t.type((await create(caller)).user_id, 'number');
  for (const caller of [world.hamlet, moderator, bot]) await t.rejects(create(caller), refusal);
  for (const caller of [world.hamlet, bot]) {
    world.alter(caller.user_id, rightChange('can_create_users', true));
    t.type((await create(caller)).user_id, 'number');
  }
  for (const caller of [world.owner, admin, bot]) {
    world.alter(caller.user_id, rightChange('can_create_users', false));
    await t.rejects(create(caller), refusal);
  }
  world.alter(moderator.user_id, { can_create_users: true });
  await t.rejects(create(moderator), refusal, 'what the first owner had before is no grant');
});

void t.test('of two who take one address at once, one is refused', async (t) => {
  const world = usersWorld();
  const params = { email: 'new@example.com', full_name: 'New One', password: 'xK7#qPz4w' };
  const both = await Promise.allSettled([
    world.do('create-user', params, world.owner),
    world.do('create-user', params, world.owner),
  ]);
  t.strictSame(both.map((one) => one.status).sort(), ['fulfilled', 'rejected']);
});
