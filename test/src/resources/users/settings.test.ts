import t from 'tap';
import { ROLE, type Role, type UserDocument } from '../../../../schemas/users/user-document.js';
import { MODERN, START_SECONDS, type Body } from '../../../fixtures/living-organization.js';
import { passwords, SettingsWorld as World } from '../../../fixtures/settings-world.js';
import { beginSession } from '../../../../src/organization/accounts/sessions.js';
import { handlerOf } from '../../../fixtures/handler-of.js';
import { ownViewText, userView } from '../../../../src/organization/views/user-view.js';
import { foldPeople, peopleSnapshot } from '../../../fixtures/people-client.js';

// [c:setting-told-to-owner]
void t.test('a changed setting is told to its owner only, once, and kept', async (t) => {
  const world = new World();
  const { hamlet, admin } = world;
  const since = world.position;
  t.strictSame(await world.patch(hamlet, { enter_sends: true, color_scheme: 2 }), {});
  const own = [
    { type: 'user_settings', op: 'update', property: 'color_scheme', value: 2 },
    { type: 'user_settings', op: 'update', property: 'enter_sends', value: true },
  ];
  t.strictSame(world.received(hamlet, since), own);
  t.strictSame(world.received(admin, since), []);
  await world.patch(hamlet, { enter_sends: true });
  t.equal(world.received(hamlet, since).length, 2, 'the same value again says nothing');
  t.equal(world.reloaded().settings.value(hamlet.user_id, 'enter_sends'), true);
  t.equal(world.reloaded().settings.value(admin.user_id, 'enter_sends'), false);
});

void t.test('all three names of the endpoint do the same', async (t) => {
  const world = new World();
  t.strictSame(
    world.handlers.map((handler) => handler.endpoint.path),
    ['/settings', '/settings/display', '/settings/notifications'],
  );
  await world.do('update-notification-settings', { enter_sends: true });
  t.ok(world.org.settings.value(world.hamlet.user_id, 'enter_sends'));
});

// [c:settings-refusals]
void t.test(
  'values are refused in the words of the contract, and then nothing changes',
  async (t) => {
    const world = new World();
    const since = world.position;
    const refusals: [Body, string][] = [
      [{ default_language: 'tlh' }, 'Invalid default_language'],
      [{ timezone: 'Mars/Olympus' }, 'timezone is not a recognized time zone'],
      [{ notification_sound: 'gong' }, "Invalid notification sound 'gong'"],
      [
        { email_notifications_batching_period_seconds: -1 },
        'Invalid email batching period: -1 seconds',
      ],
      [{ full_name: 'x' }, 'Name too short!'],
      [{ new_password: 'correct horse' }, 'Please fill out all fields.'],
      [{ old_password: 'correct horse', new_password: '' }, 'Please fill out all fields.'],
      [{ email: 'nothing' }, 'Invalid address.'],
      [{ email: 'owner@EXAMPLE.com' }, 'Already has an account.'],
    ];
    for (const [params, message] of refusals) {
      await t.rejects(world.patch(world.hamlet, { enter_sends: true, ...params }), {
        status: 400,
        code: 'BAD_REQUEST',
        message,
      });
    }
    t.equal(world.position, since);
    t.notOk(world.org.settings.value(world.hamlet.user_id, 'enter_sends'));
  },
);

void t.test('addresses may be locked; naming the present one is no change', async (t) => {
  const world = new World();
  world.setRealm({ email_changes_disabled: true });
  await t.rejects(world.patch(world.hamlet, { email: 'new@example.com' }), {
    message: 'Email address changes are disabled in this organization.',
  });
  t.strictSame(await world.patch(world.hamlet, { email: 'Hamlet@example.com' }), {});
});

void t.test('another address needs the password, or a login of a moment ago', async (t) => {
  const world = new World();
  const { hamlet } = world;
  world.alter(hamlet.user_id, { password_hash: await passwords.hash('the password') });
  const email = 'prince@example.com';
  const ask = (params: Body, sessionId?: number) => {
    const handler = handlerOf(world.handlers, 'update-settings');
    return world.call(handler, hamlet, { email, ...params }, 'test', [], sessionId);
  };
  const needed = 'To change your address, log in again, or give your password as old_password.';
  const since = world.position;
  await t.rejects(ask({}), { status: 400, message: needed });
  await t.rejects(ask({ old_password: 'another' }), { status: 400, message: 'Wrong password!' });
  t.equal(world.position, since, 'and no mail goes to the address');
  const session = world.transact((tx) => beginSession(tx, hamlet.user_id, 'Firefox'));
  const wrong = { status: 400, message: 'Wrong password!' };
  await t.rejects(ask({ old_password: 'another' }, session.id), wrong, 'asked for or not');
  await ask({}, session.id);
  t.equal(world.addressChanges.length, 1);
  await t.rejects(world.patch(hamlet, { full_name: 'Prince', old_password: 'another' }), wrong);
  t.not(world.org.users.get(hamlet.user_id)!.full_name, 'Prince');
  world.clock.advance(10 * 60_000);
  await t.rejects(ask({}, session.id), { status: 400, message: needed }, 'ten minutes later');
  await ask({ old_password: 'the password' }, session.id);
  t.equal(world.addressChanges.length, 2);
});

// [c:full-name-changed]
void t.test('a name is told to everybody; where names are locked it is ignored', async (t) => {
  const world = new World();
  const { hamlet, guest, admin } = world;
  let since = world.position;
  await world.patch(hamlet, { full_name: ' Prince Hamlet ' });
  t.strictSame(world.received(guest, since), [
    {
      type: 'realm_user',
      op: 'update',
      person: { user_id: hamlet.user_id, full_name: 'Prince Hamlet' },
    },
  ]);
  world.setRealm({ name_changes_disabled: true });
  since = world.position;
  t.strictSame(await world.patch(hamlet, { full_name: 'x' }), {});
  t.strictSame(world.received(guest, since), []);
  await world.patch(admin, { full_name: 'The Admin' });
  t.equal(world.received(guest, since).length, 1, 'not for administrators');
});

// [c:settings-older-spellings]
void t.test(
  'older spellings are stored as the present ones; languages come with their name',
  async (t) => {
    const world = new World();
    const since = world.position;
    await world.patch(world.hamlet, { web_home_view: 'recent_topics', default_language: 'de' });
    t.strictSame(world.received(world.hamlet, since), [
      {
        type: 'user_settings',
        op: 'update',
        property: 'default_language',
        value: 'de',
        language_name: 'German',
      },
      { type: 'user_settings', op: 'update', property: 'web_home_view', value: 'recent' },
    ]);
  },
);

// [c:timezone-changed]
void t.test('a time zone is a setting and a part of the profile', async (t) => {
  const world = new World();
  const { hamlet, guest } = world;
  const since = world.position;
  await world.patch(hamlet, { timezone: 'Europe/Copenhagen' });
  const update = {
    type: 'realm_user',
    op: 'update',
    person: { user_id: hamlet.user_id, email: 'hamlet@example.com', timezone: 'Europe/Copenhagen' },
  };
  t.strictSame(world.received(guest, since), [update]);
  t.strictSame(world.received(hamlet, since), [
    { type: 'user_settings', op: 'update', property: 'timezone', value: 'Europe/Copenhagen' },
    update,
  ]);
});

// [c:address-hidden]
void t.test('hiding the address: each viewer hears what changed for them', async (t) => {
  const world = new World();
  const { hamlet, guest, admin } = world;
  const ophelia = world.addUser('ophelia@example.com');
  const since = world.position;
  await world.patch(hamlet, { email_address_visibility: 3 });
  const { user_id } = hamlet;
  const placeholder = `user${user_id}@chat.example.com`;
  const forms = (viewer: UserDocument) =>
    world
      .received(viewer, since)
      .filter((event) => event.type === 'realm_user')
      .map((event) =>
        Object.keys(event.person as object)
          .sort()
          .join(),
      );
  const avatar = 'avatar_source,avatar_url,avatar_url_medium,avatar_version,user_id';
  t.strictSame(forms(guest), ['delivery_email,user_id', avatar, 'new_email,user_id']);
  t.strictSame(forms(admin), [avatar, 'new_email,user_id']);
  t.strictSame(forms(hamlet), [avatar, 'new_email,user_id']);
  t.match(world.received(guest, since)[0], { person: { user_id, delivery_email: null } });
  t.match(world.received(guest, since)[2], { person: { user_id, new_email: placeholder } });
  const later = world.position;
  await world.patch(hamlet, { email_address_visibility: 2 });
  t.strictSame(world.received(guest, later), [], 'still hidden, and the API address stays');
  t.strictSame(world.received(ophelia, later), [
    {
      type: 'realm_user',
      op: 'update',
      person: { user_id, delivery_email: 'hamlet@example.com' },
    },
  ]);
});

for (const role of [ROLE.administrator, ROLE.member, ROLE.guest] satisfies Role[]) {
  void t.test(
    `a viewer of role ${role} who folds the events knows what a new snapshot says`,
    async (t) => {
      const world = new World();
      const viewer = world.addWithRole('viewer@example.com', role);
      const state = peopleSnapshot(world.org, viewer);
      let since = world.position;
      const changes: Body[] = [
        { full_name: 'Prince', timezone: 'Asia/Tokyo', enter_sends: true },
        ...[2, 3, 5, 4, 1, 3, 1].map((value) => ({ email_address_visibility: value })),
        { presence_enabled: false },
        { presence_enabled: true },
      ];
      for (const user of [world.hamlet, viewer]) {
        for (const change of changes) {
          await world.patch(user, change);
          foldPeople(state, world.received(viewer, since));
          t.strictSame(state, peopleSnapshot(world.org, viewer), JSON.stringify(change));
          since = world.position;
        }
      }
    },
  );
}

void t.test(
  'hiding presence pushes a time long enough ago, whatever the size; showing it, now',
  async (t) => {
    const world = new World();
    for (let i = 0; world.org.users.active.size <= 100; i++) world.addUser(`u${i}@example.com`);
    const { hamlet, guest } = world;
    const pushed = (since: number) =>
      world.received(guest, since, { ...MODERN, event_types: ['presence'] });
    let since = world.position;
    await world.patch(hamlet, { presence_enabled: false });
    // Not their join date, which would show somebody who just joined as active.
    const gone = { active_timestamp: START_SECONDS - 320, idle_timestamp: START_SECONDS - 320 };
    t.strictSame(pushed(since), [{ type: 'presence', presences: { [hamlet.user_id]: gone } }]);
    world.transact((tx) => world.presence.report(tx, hamlet, 'website', 'active'));
    t.equal(world.presence.statusOf(hamlet.user_id), 'offline', 'reports are not taken');
    since = world.position;
    await world.patch(hamlet, { presence_enabled: true });
    const now = { active_timestamp: START_SECONDS, idle_timestamp: START_SECONDS };
    t.strictSame(pushed(since), [{ type: 'presence', presences: { [hamlet.user_id]: now } }]);
    t.equal(world.presence.statusOf(hamlet.user_id), 'active');
  },
);

// [c:presence-enabled-shown]
void t.test('everybody who sees the user learns whether they share their presence', async (t) => {
  const world = new World();
  const { hamlet, guest, owner } = world;
  const shown = (user: UserDocument) =>
    userView(world.org, owner, user, { clientGravatar: false, withProfile: false });
  t.equal(shown(hamlet).presence_enabled, true);
  for (const presence_enabled of [false, true]) {
    const since = world.position;
    await world.patch(hamlet, { presence_enabled });
    await world.patch(hamlet, { presence_enabled });
    const told = world.received(guest, since, {
      ...MODERN,
      event_types: ['realm_user', 'user_status'],
    });
    t.strictSame(told, [
      { type: 'realm_user', op: 'update', person: { user_id: hamlet.user_id, presence_enabled } },
      { type: 'user_status', user_id: hamlet.user_id, away: !presence_enabled },
    ]);
    t.equal(shown(hamlet).presence_enabled, presence_enabled);
    t.match(ownViewText(world.org, hamlet), `"presence_enabled":${presence_enabled}`);
  }
  world.alter(guest.user_id, { is_bot: true, bot_type: 1 });
  world.presetSettings(guest, { presence_enabled: false });
  t.equal(shown(world.user(guest.user_id)).presence_enabled, true, 'bots have no presence');
});

void t.test('who hides where no presence is shown is not shown as active once it is', async (t) => {
  const world = new World();
  const { hamlet, guest } = world;
  world.transact((tx) => world.presence.report(tx, hamlet, 'website', 'active'));
  world.setRealm({ presence_disabled: true });
  const since = world.position;
  await world.patch(hamlet, { presence_enabled: false });
  const gone = { active_timestamp: START_SECONDS - 320, idle_timestamp: START_SECONDS - 320 };
  t.strictSame(world.received(guest, since, { ...MODERN, event_types: ['presence'] }), [
    { type: 'presence', presences: { [hamlet.user_id]: gone } },
  ]);
});

void t.test('consent to export is told to administrators', async (t) => {
  const world = new World();
  const { hamlet, admin, guest } = world;
  const since = world.position;
  await world.patch(hamlet, { allow_private_data_export: true });
  t.strictSame(world.received(admin, since), [
    { type: 'realm_export_consent', user_id: hamlet.user_id, consented: true },
  ]);
  t.strictSame(world.received(guest, since), []);
});

// [c:password-changed]
void t.test('a password changes for who knows the old one', async (t) => {
  const world = new World();
  const { hamlet } = world;
  world.alter(hamlet.user_id, { password_hash: await passwords.hash('old password') });
  await t.rejects(world.patch(hamlet, { old_password: 'wrong', new_password: 'xK7#qPz4w' }), {
    message: 'Wrong password!',
  });
  await t.rejects(world.patch(hamlet, { old_password: 'old password', new_password: 'short' }), {
    message: 'New password is too weak!',
  });
  const since = world.position;
  await world.patch(hamlet, { old_password: 'old password', new_password: 'xK7#qPz4w' });
  t.ok(await passwords.verify(world.user(hamlet.user_id).password_hash, 'xK7#qPz4w'));
  t.strictSame(world.received(hamlet, since), [], 'no event');
  const account = `account ${world.hamlet.user_id}`;
  t.strictSame(world.attempts, [account, account, `-${account}`, account, `-${account}`]);
  world.refused = true;
  await t.rejects(world.patch(hamlet, { old_password: 'a', new_password: 'b' }), {
    status: 400,
    message: "You're making too many attempts! Try again in 13 seconds.",
  });
});

void t.test('with a new password a new key is made, where that is asked for', async (t) => {
  const world = new World();
  const { hamlet, admin } = world;
  world.alter(hamlet.user_id, { password_hash: await passwords.hash('old password') });
  const { key_version } = world.user(hamlet.user_id);
  const params = { old_password: 'old password', new_password: 'xK7#qPz4w' };
  t.strictSame(await world.patch(hamlet, params), {}, 'clients keep their key');
  t.equal(world.user(hamlet.user_id).key_version, key_version);
  t.strictSame(world.closed, []);

  const again = {
    old_password: 'xK7#qPz4w',
    new_password: 'cedar-window-31',
    regenerate_api_key: true,
  };
  await t.rejects(world.patch(hamlet, { ...again, old_password: 'wrong' }), {
    message: 'Wrong password!',
  });
  t.equal(world.user(hamlet.user_id).key_version, key_version, 'whole or not at all');
  const { api_key } = await world.patch(hamlet, again);
  const now = world.user(hamlet.user_id);
  t.equal(api_key, world.keys.derive(hamlet.user_id, now.key_version));
  t.not(now.key_version, key_version);
  t.ok(await passwords.verify(now.password_hash, 'cedar-window-31'));
  t.strictSame(world.closed, [hamlet.user_id]);
  t.strictSame(await world.patch(hamlet, { regenerate_api_key: false }), {});

  const others = { target_users: { user_ids: [hamlet.user_id] }, regenerate_api_key: true };
  await t.rejects(world.patch(admin, others), {
    message: 'Cannot change this setting for other users.',
  });
});

void t.test('a password that was changed meanwhile is not replaced', async (t) => {
  const world = new World();
  const { hamlet } = world;
  world.alter(hamlet.user_id, { password_hash: await passwords.hash('old password') });
  const params = { old_password: 'old password', new_password: 'xK7#qPz4w' };
  const both = await Promise.allSettled([world.patch(hamlet, params), world.patch(hamlet, params)]);
  t.strictSame(both.map((one) => one.status).sort(), ['fulfilled', 'rejected']);
});
