import t from 'tap';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { userView } from '../../../../src/organization/views/user-view.js';
import { LivingOrganization } from '../../../fixtures/living-organization.js';

/** The "User profile object" of the contract, in the cases that a token login does not show. */

function view(
  world: LivingOrganization,
  viewer: UserDocument,
  user: UserDocument,
  clientGravatar = false,
): Record<string, unknown> {
  const present = (one: UserDocument) => world.user(one.user_id);
  return userView(world.org, present(viewer), present(user), {
    clientGravatar,
    withProfile: false,
  });
}

// [c:profile-roles]
void t.test('User profile object: a role sets is_owner, is_admin and is_guest', (t) => {
  const world = new LivingOrganization();
  for (const [role, is_owner, is_admin, is_guest] of [
    [ROLE.owner, true, true, false],
    [ROLE.administrator, false, true, false],
    [ROLE.moderator, false, false, false],
    [ROLE.member, false, false, false],
    [ROLE.guest, false, false, true],
  ] as const) {
    const user = world.addWithRole(`role${role}@example.com`, role);
    t.match(view(world, world.owner, user), { role, is_owner, is_admin, is_guest });
  }
  t.strictSame(Object.values(ROLE), [100, 200, 300, 400, 600]);
  t.end();
});

// [c:profile-deactivated]
void t.test('User profile object: deactivated and imported people', (t) => {
  const world = new LivingOrganization();
  const user = world.addUser('hamlet@example.com');
  t.match(view(world, world.owner, user), { is_active: true, is_imported_stub: false });
  world.alter(user.user_id, { is_imported_stub: true });
  t.match(view(world, world.owner, user), { is_imported_stub: true });
  world.alter(user.user_id, { is_active: false });
  t.match(view(world, world.owner, user), { is_active: false });
  t.notOk('is_deleted' in view(world, world.owner, user), 'left out where it is not so');
  world.alter(user.user_id, { is_deleted: true });
  t.match(view(world, world.owner, user), { is_active: false, is_deleted: true });
  t.end();
});

// [c:profile-of-bot]
void t.test('User profile object: a bot shows its type and owner', (t) => {
  const world = new LivingOrganization();
  const owner = world.addUser('hamlet@example.com');
  const guest = world.addWithRole('guest@example.com', ROLE.guest);
  const bot = world.addUser('echo-bot@example.com');
  world.alter(bot.user_id, { is_bot: true, bot_type: 2, bot_owner_id: owner.user_id });
  world.presetSettings(bot, { email_address_visibility: 4 });
  t.match(view(world, guest, bot), {
    is_bot: true,
    bot_type: 2,
    bot_owner_id: owner.user_id,
    delivery_email: 'echo-bot@example.com',
  });
  t.match(view(world, guest, owner), { is_bot: false, bot_type: null, bot_owner_id: null });
  t.end();
});

// [c:profile-hidden-addresses]
void t.test('User profile object: addresses that are not visible', (t) => {
  const world = new LivingOrganization();
  const user = world.addUser('hamlet@example.com');
  const other = world.addUser('iago@example.com');
  t.match(view(world, other, user), {
    delivery_email: 'hamlet@example.com',
    email: 'hamlet@example.com',
  });
  world.presetSettings(user, { email_address_visibility: 3 });
  const fake = `user${user.user_id}@chat.example.com`;
  t.match(view(world, other, user), { delivery_email: null, email: fake });
  t.match(view(world, world.owner, user), { delivery_email: 'hamlet@example.com', email: fake });
  t.end();
});

// [c:profile-pictures]
void t.test('User profile object: pictures that clients compute', (t) => {
  const world = new LivingOrganization();
  const user = world.addUser('hamlet@example.com');
  const other = world.addUser('iago@example.com');
  t.equal(view(world, other, user, true).avatar_url, null);
  t.type(view(world, other, user, false).avatar_url, 'string');
  world.presetSettings(user, { email_address_visibility: 3 });
  t.type(view(world, other, user, true).avatar_url, 'string', 'who does not know the address');
  world.alter(user.user_id, { avatar_source: 'U' });
  t.type(view(world, world.owner, user, true).avatar_url, 'string', 'an uploaded picture');
  t.end();
});
