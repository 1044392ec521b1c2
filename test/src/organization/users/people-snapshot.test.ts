import t from 'tap';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { NOTIFICATION_SOUNDS } from '../../../../schemas/users/user-settings.js';
import {
  nearUsers,
  ownFields,
  realmUserGroups,
  userSettingsObject,
} from '../../../../src/organization/users/people-snapshot.js';
import { LivingOrganization, START_SECONDS } from '../../../fixtures/living-organization.js';
import { MessagesWorld } from '../../../fixtures/messages-world.js';
import { presenceSnapshot, realmUsers } from '../../../fixtures/plain-snapshot.js';

function setUp() {
  const world = new LivingOrganization();
  const hamlet = world.addUser('hamlet@example.com');
  const guest = world.addWithRole('guest@example.com', ROLE.guest);
  const gone = world.addUser('gone@example.com');
  world.alter(gone.user_id, { is_active: false });
  return { world, org: world.org, owner: world.owner, hamlet, guest, gone };
}

void t.test('people come in three lists', async (t) => {
  const { org, owner, hamlet, guest, gone } = setUp();
  const lists = realmUsers(org, guest, { clientGravatar: true, withProfile: false });
  const ids = (users: Record<string, unknown>[]) => users.map((user) => user.user_id);
  t.strictSame(ids(lists.realm_users), [owner.user_id, hamlet.user_id, guest.user_id]);
  t.strictSame(ids(lists.realm_non_active_users), [gone.user_id]);
  t.match(lists.cross_realm_bots, [
    { full_name: 'Notification Bot', is_bot: true, is_system_bot: true, bot_owner_id: null },
    { full_name: 'Welcome Bot' },
    { full_name: 'Email Gateway' },
  ]);
});

// [c:near-users]
void t.test(
  'near are the caller, and those of direct conversations, the newest first',
  async (t) => {
    const world = new MessagesWorld();
    const { org, owner, hamlet, ophelia } = world;
    const ids = (user: UserDocument) => {
      const near = nearUsers(org, user, { clientGravatar: true, withProfile: false });
      t.match(near, { user_id: user.user_id, full_name: user.full_name });
      t.equal((near['cross_realm_bots'] as unknown[]).length, 3);
      return (near['realm_users'] as { user_id: number }[]).map(({ user_id }) => user_id);
    };
    t.strictSame(ids(hamlet), [hamlet.user_id]);
    const gone = world.addUser('gone@example.com');
    for (const one of [ophelia, gone, owner]) await world.tell('to be', one);
    world.alter(gone.user_id, { is_active: false });
    t.strictSame(ids(hamlet), [hamlet.user_id, owner.user_id, ophelia.user_id]);
    t.strictSame(ids(ophelia), [ophelia.user_id, hamlet.user_id]);
    for (let i = 0; i < 110; i++) await world.tell('or not', world.addUser(`u${i}@example.com`));
    t.equal(ids(hamlet).length, 100, 'at most');
    t.notOk(ids(hamlet).includes(owner.user_id));
  },
);

void t.test("the caller's own fields follow from their role", async (t) => {
  const { org, owner, guest } = setUp();
  // The digest is that of guest@example.com.
  const picture = 'https://secure.gravatar.com/avatar/c8c0e5b0754770c5e1f7419a0698ecff?d=identicon';
  t.strictSame(ownFields(org, guest), {
    user_id: guest.user_id,
    email: 'guest@example.com',
    delivery_email: 'guest@example.com',
    full_name: 'guest',
    is_owner: false,
    is_admin: false,
    is_moderator: false,
    is_guest: true,
    avatar_source: 'G',
    avatar_url: `${picture}&version=1`,
    avatar_url_medium: `${picture}&s=500&version=1`,
    can_create_public_streams: false,
    can_create_private_streams: false,
    can_create_web_public_streams: false,
    can_create_streams: false,
    can_invite_others_to_realm: false,
  });
  t.match(ownFields(org, owner), {
    is_owner: true,
    is_admin: true,
    is_moderator: true,
    avatar_url: /^https:/,
    avatar_url_medium: /s=500/,
    can_create_streams: true,
    can_create_web_public_streams: false,
    can_invite_others_to_realm: true,
  });
});

void t.test(
  'members of system groups follow from roles; deactivated people are none',
  async (t) => {
    const { world, org, owner, hamlet, guest } = setUp();
    const groups = realmUserGroups(org, { includeDeactivated: false });
    const members = Object.fromEntries(groups.map((group) => [group.name, group.members]));
    t.strictSame(members, {
      'role:nobody': [],
      'role:owners': [owner.user_id],
      'role:administrators': [],
      'role:moderators': [],
      'role:fullmembers': [hamlet.user_id],
      'role:members': [hamlet.user_id],
      'role:everyone': [guest.user_id],
      'role:internet': [],
    });
    const group = { ...org.groups.get(1)!, id: 9, name: 'actors', is_system_group: false };
    world.transact((tx) =>
      tx.org.groups.insert({ ...group, members: [hamlet.user_id], deactivated: true }),
    );
    t.equal(realmUserGroups(org, { includeDeactivated: false }).length, 8);
    t.match(realmUserGroups(org, { includeDeactivated: true })[8], { members: [hamlet.user_id] });
  },
);

void t.test('presence in both forms, with its cursor', async (t) => {
  const { world, org, hamlet } = setUp();
  t.strictSame(presenceSnapshot(org, { slim: true, historyDays: 14 }), {
    presences: {},
    presence_last_update_id: -1,
    server_timestamp: START_SECONDS,
  });
  world.transact((tx) => world.presence.report(tx, hamlet, 'website', 'active'));
  t.strictSame(presenceSnapshot(org, { slim: true, historyDays: 14 }), {
    presences: {
      [hamlet.user_id]: { active_timestamp: START_SECONDS, idle_timestamp: START_SECONDS },
    },
    presence_last_update_id: 1,
    server_timestamp: START_SECONDS,
  });
  t.strictSame(Object.keys(presenceSnapshot(org, { slim: false, historyDays: 14 }).presences), [
    'hamlet@example.com',
  ]);
  t.strictSame(presenceSnapshot(org, { slim: true, historyDays: 0 }).presences, {});
});

void t.test('settings: every key, with what the server offers', async (t) => {
  const { org, hamlet } = setUp();
  t.match(userSettingsObject(org, hamlet), {
    enter_sends: false,
    timezone: '',
    available_notification_sounds: NOTIFICATION_SOUNDS,
    emojiset_choices: [{ key: 'google', text: 'Google' }],
  });
});
