import t from 'tap';
import { Value } from 'typebox/value';
import { ROLE, type UserDocument } from '../../../../schemas/users/user-document.js';
import { realmEvents } from '../../../../schemas/realm/realm-events.js';
import { OWNERS_REALM_SETTINGS } from '../../../../schemas/realm/realm.js';
import { presenceReply } from '../../../../src/organization/views/presence-view.js';
import { realmHandlers } from '../../../../src/resources/realm/realm.js';
import { createMarkdown } from '../../../../src/services/markdown/markdown.js';
import { LivingOrganization, type Body } from '../../../fixtures/living-organization.js';

const markdown = createMarkdown({
  onError: (error) => {
    throw error;
  },
});

class World extends LivingOrganization {
  readonly admin = this.addWithRole('admin@example.com', ROLE.administrator);
  readonly hamlet = this.addUser('hamlet@example.com');
  readonly guest = this.addWithRole('guest@example.com', ROLE.guest);
  override readonly handlers = realmHandlers({
    markdown,
    waitingPeriodChanged: () => undefined,
    endQueues: () => undefined,
  });

  patch(params: Body, user: UserDocument = this.owner) {
    return this.do('update-realm', params, user);
  }

  defaults(params: Body, user: UserDocument = this.admin) {
    return this.do('update-realm-user-settings-defaults', params, user);
  }

  seen(user: UserDocument = this.guest): Body[] {
    return this.newEvents(user);
  }
}

const update = (property: string, value: unknown) => ({
  type: 'realm',
  op: 'update',
  property,
  value,
});
const dict = (data: Body) => ({ type: 'realm', op: 'update_dict', property: 'default', data });

// [c:realm-setting-events]
void t.test('one event for each plain setting, to everybody', async (t) => {
  const world = new World();
  const change = { name: ' Elsinore ', org_type: 10, digest_weekday: 4, default_language: 'de' };
  t.strictSame(await world.patch(change, world.admin), {});
  const events = world.seen();
  t.strictSame(
    new Set(events.map((event) => JSON.stringify(event))),
    new Set(
      [
        update('org_type', 10),
        update('digest_weekday', 4),
        update('name', 'Elsinore'),
        update('default_language', 'de'),
      ].map((event) => JSON.stringify(event)),
    ),
  );
  await world.patch(change);
  t.strictSame(world.seen(), [], 'what is so already is not told');
});

// [c:realm-shared-events]
void t.test('some settings share one event', async (t) => {
  const world = new World();
  const { hamlet } = world;
  const administrators = world.system('role:administrators');
  await world.patch({
    message_content_edit_limit_seconds: 'unlimited',
    description: 'A **castle**',
    topics_policy: 'disable_empty_topic',
    can_create_groups: { new: administrators },
    can_manage_all_groups: { new: { direct_members: [hamlet.user_id], direct_subgroups: [] } },
    inline_image_preview: false,
  });
  const events = world.seen();
  t.strictSame(events, [
    update('inline_image_preview', false),
    dict({ allow_message_editing: true, message_content_edit_limit_seconds: null }),
    dict({
      description: 'A **castle**',
      rendered_description: '<p>A <strong>castle</strong></p>',
    }),
    dict({ topics_policy: 'disable_empty_topic', mandatory_topics: true }),
    dict({
      can_create_groups: administrators,
      can_manage_all_groups: { direct_members: [hamlet.user_id], direct_subgroups: [] },
    }),
  ]);
  for (const event of events) {
    t.ok(
      realmEvents.some((schema) => Value.Check(schema, event)),
      JSON.stringify(event),
    );
  }
});

void t.test('limits: seconds above 0, or unlimited', async (t) => {
  const world = new World();
  await world.patch({
    message_content_delete_limit_seconds: 1,
    move_messages_within_stream_limit_seconds: 'unlimited',
    message_retention_days: 30,
  });
  t.match(world.org.realm.current, {
    message_content_delete_limit_seconds: 1,
    move_messages_within_stream_limit_seconds: null,
    message_retention_days: 30,
  });
  await world.patch({ message_retention_days: 'unlimited' });
  t.equal(world.org.realm.current.message_retention_days, -1);
  for (const [name, value] of [
    ['message_content_edit_limit_seconds', 0],
    ['message_content_delete_limit_seconds', -5],
    ['move_messages_between_streams_limit_seconds', 'for ever'],
    ['message_retention_days', 0],
  ] as const) {
    await t.rejects(world.patch({ [name]: value }), {
      status: 400,
      code: 'REQUEST_VARIABLE_INVALID',
      message: `Bad value for '${name}': ${value}`,
      fields: { var_name: name, bad_value: value },
    });
  }
});

void t.test('what only owners may change', async (t) => {
  const world = new World();
  const owners = world.system('role:owners');
  const values: Record<string, unknown> = {
    invite_required: false,
    emails_restricted_to_domains: true,
    waiting_period_threshold: 3,
    message_retention_days: 30,
    authentication_methods: { Email: true },
  };
  for (const name of OWNERS_REALM_SETTINGS) {
    const params = { name: 'X', [name]: values[name] ?? { new: owners } };
    await t.rejects(
      world.patch(params, world.admin),
      { code: 'UNAUTHORIZED_PRINCIPAL', message: 'Must be an organization owner' },
      name,
    );
    t.strictSame(world.seen(), [], 'nothing changed');
    t.strictSame(await world.patch(params, world.owner), {}, name);
    world.mark = world.position;
  }
});

void t.test('refusals, each before anything changes', async (t) => {
  const world = new World();
  const everyone = world.system('role:everyone');
  const { general } = world;
  const refusals: [Body, Body][] = [
    [{ name: ' ' }, { message: 'Organization name cannot be blank' }],
    [{ name: 'x'.repeat(41) }, { message: 'name is too long (limit: 40 characters)' }],
    [{ default_language: 'xx' }, { message: "Invalid language 'xx'" }],
    [{ string_id: 'new' }, { message: 'Must be a demo organization.' }],
    [{ video_chat_provider: 3 }, { message: 'Invalid video_chat_provider 3' }],
    [{ jitsi_server_url: 'javascript:x' }, { message: 'jitsi_server_url is not a URL' }],
    [{ jitsi_server_url: 'https://a\n.org' }, { message: 'jitsi_server_url is not a URL' }],
    [{ jitsi_server_url: 'https://a\u200b.org' }, { message: 'jitsi_server_url is not a URL' }],
    [{ signup_announcements_stream_id: 99 }, { message: 'Invalid channel ID' }],
    [
      { moderation_request_channel_id: general.stream_id },
      { message: 'Moderation request channel must be private.' },
    ],
    [
      { authentication_methods: { Email: false } },
      { message: 'At least one authentication method must be enabled.' },
    ],
    [
      { authentication_methods: { SAML: true } },
      { message: 'Invalid authentication method: SAML. Valid methods are: Email' },
    ],
    [
      { can_create_groups: { new: everyone } },
      { message: "'can_create_groups' setting cannot be set to 'role:everyone' group." },
    ],
    [
      { can_manage_all_groups: { new: world.system('role:nobody') } },
      { message: "'can_manage_all_groups' setting cannot be set to 'role:nobody' group." },
    ],
    [
      {
        can_create_web_public_channel_group: {
          new: { direct_members: [world.hamlet.user_id], direct_subgroups: [] },
        },
      },
      {
        code: 'SYSTEM_GROUP_REQUIRED',
        message: "'can_create_web_public_channel_group' must be a system user group.",
      },
    ],
    [
      { can_create_groups: { new: world.system('role:owners'), old: everyone } },
      { code: 'EXPECTATION_MISMATCH' },
    ],
    [
      { digest_emails_enabled: true },
      { message: 'Digest e-mails are not supported by this server.' },
    ],
    [
      { can_access_all_users_group: { new: world.system('role:moderators') } },
      {
        message: "'can_access_all_users_group' setting cannot be set to 'role:moderators' group.",
      },
    ],
  ];
  for (const [params, error] of refusals) {
    await t.rejects(world.patch({ ...params, digest_weekday: 3 }), {
      status: 400,
      code: 'BAD_REQUEST',
      ...error,
    });
  }
  t.strictSame(world.seen(), []);
  t.strictSame(await world.patch({ can_access_all_users_group: { new: everyone } }), {});
});

void t.test('a channel for a purpose is set and removed with an event each', async (t) => {
  const world = new World();
  const { general } = world;
  await world.patch({ new_stream_announcements_stream_id: general.stream_id }, world.admin);
  await world.patch({ new_stream_announcements_stream_id: -1 }, world.admin);
  t.strictSame(world.seen(), [
    update('new_stream_announcements_stream_id', general.stream_id),
    update('new_stream_announcements_stream_id', -1),
  ]);
  world.transact((tx) => tx.org.channels.update(general.stream_id, { invite_only: true }));
  await world.patch({ moderation_request_channel_id: general.stream_id }, world.admin);
  t.strictSame(world.seen(), [update('moderation_request_channel_id', general.stream_id)]);
  world.transact((tx) => tx.org.channels.update(general.stream_id, { is_archived: true }));
  await t.rejects(world.patch({ signup_announcements_stream_id: general.stream_id }), {
    message: 'Invalid channel ID',
  });
});

void t.test('login methods are told as the snapshot shows them', async (t) => {
  const world = new World();
  (world.org.site as { logins?: readonly string[] }).logins = ['LDAP'];
  await world.patch({ authentication_methods: { LDAP: false } });
  t.strictSame(world.seen(), [
    dict({
      authentication_methods: {
        Email: { enabled: true, available: true },
        LDAP: { enabled: false, available: true },
      },
    }),
  ]);
  await t.rejects(world.patch({ authentication_methods: { Email: false } }), {
    message: 'At least one authentication method must be enabled.',
  });
});

void t.test('a waiting period makes and unmakes full members', async (t) => {
  const world = new World();
  const { hamlet } = world;
  const full = world.system('role:fullmembers');
  await world.patch({ waiting_period_threshold: 3 });
  const groups = (op: string) => ({
    type: 'user_group',
    op,
    group_id: full,
    user_ids: [hamlet.user_id],
  });
  t.strictSame(world.seen(), [update('waiting_period_threshold', 3), groups('remove_members')]);
  t.notOk(world.org.isFullMember(hamlet));
  await world.patch({ waiting_period_threshold: 0 });
  t.strictSame(world.seen(), [update('waiting_period_threshold', 0), groups('add_members')]);
});

// [c:realm-default-settings-events]
void t.test('changed settings of new accounts emit an event each', async (t) => {
  const world = new World();
  t.strictSame(
    await world.defaults({ enter_sends: true, web_home_view: 'recent_topics', color_scheme: 1 }),
    {},
  );
  const event = (property: string, value: unknown) => ({
    type: 'realm_user_settings_defaults',
    op: 'update',
    property,
    value,
  });
  const events = world.seen();
  t.strictSame(events, [event('web_home_view', 'recent'), event('enter_sends', true)]);
  for (const one of events) t.ok(realmEvents.some((schema) => Value.Check(schema, one)));
  await world.defaults({ enter_sends: true });
  t.strictSame(world.seen(), [], 'the same value: no event');
  const later = world.addUser('later@example.com');
  t.match(world.org.settings.effective(later.user_id), {
    enter_sends: true,
    web_home_view: 'recent',
  });
  t.match(world.org.settings.effective(world.hamlet.user_id), {
    enter_sends: false,
    web_home_view: 'inbox',
  });
  await world.defaults({ enter_sends: false });
  t.equal(world.org.settings.value(later.user_id, 'enter_sends'), true, 'accounts keep theirs');
  await world.patch({ default_language: 'de' });
  const german = world.addUser('german@example.com');
  t.equal(world.org.settings.value(german.user_id, 'default_language'), 'de');
  t.match(world.reloaded().settingsDefaults.effective, { web_home_view: 'recent' });
});

void t.test('a default visibility of addresses holds from the first event on', async (t) => {
  const world = new World();
  await world.defaults({ email_address_visibility: 3 });
  const since = world.position;
  const later = world.addUser('later@example.com');
  const person = { email: `user${later.user_id}@chat.example.com`, delivery_email: null };
  t.match(world.received(world.hamlet, since)[0], { type: 'realm_user', op: 'add', person });
});

void t.test('settings of new accounts: refusals', async (t) => {
  const world = new World();
  const refusals: [Body, string][] = [
    [{ notification_sound: 'gong' }, "Invalid notification sound 'gong'"],
    [
      { email_notifications_batching_period_seconds: -1 },
      'Invalid email batching period: -1 seconds',
    ],
  ];
  for (const [params, message] of refusals) {
    await t.rejects(world.defaults({ enter_sends: true, ...params }), { message });
  }
  t.strictSame(world.seen(), []);
});

void t.test('flags of web-public access, which nothing here serves, are refused', async (t) => {
  const world = new World();
  const refusal = { status: 400, message: 'Web-public channels are not enabled.' };
  await t.rejects(world.patch({ enable_spectator_access: true }), refusal);
  const administrators = { new: world.system('role:administrators') };
  await t.rejects(world.patch({ can_create_web_public_channel_group: administrators }), refusal);
  const owners = { new: world.system('role:owners') };
  await world.patch({
    enable_spectator_access: false,
    can_create_web_public_channel_group: owners,
  });
  t.strictSame(world.seen(), [], 'as it is');
});

void t.test('presence_disabled is told, and then nobody is seen', async (t) => {
  const world = new World();
  const { hamlet, guest, org, presence } = world;
  const report = () =>
    world.transact((tx) => presence.report(tx, world.user(hamlet.user_id), 'website', 'active'));
  const shown = () => Object.keys(presenceReply(org, { slim: true, historyDays: 14 }).presences);
  report();
  t.strictSame(shown(), [String(hamlet.user_id)]);
  world.seen(guest);
  await world.patch({ presence_disabled: true });
  t.strictSame(world.seen(guest), [
    { type: 'realm', op: 'update', property: 'presence_disabled', value: true },
  ]);
  world.clock.advance(600_000);
  report();
  t.strictSame(world.seen(guest), [], 'no event');
  t.strictSame(shown(), []);
  await world.patch({ presence_disabled: false });
  report();
  t.strictSame(shown(), [String(hamlet.user_id)]);
});
