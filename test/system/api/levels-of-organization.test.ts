import t from 'tap';
import type { Body } from '../harness/client.js';
import { askOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';

/**
 * What feature levels changed about the organization, people and settings (levels.md), asked of a running server. Facts
 * that need more than a request have tests of their own, which levels.md names.
 */

/** Parameters of `PATCH /realm` that levels ended. */
const ENDED_REALM: readonly (readonly [number, string])[] = [
  [264, 'create_public_stream_policy'],
  [266, 'create_private_stream_policy'],
  [270, 'private_message_policy'],
  [280, 'create_web_public_stream_policy'],
  [291, 'delete_own_message_policy'],
  [299, 'user_group_edit_policy'],
  [307, 'add_custom_emoji_policy'],
  [310, 'move_messages_between_streams_policy'],
  [316, 'edit_topic_policy'],
  [321, 'invite_to_realm_policy'],
  [341, 'invite_to_stream_policy'],
  [344, 'bot_creation_policy'],
  [352, 'wildcard_mention_policy'],
  [358, 'allow_edit_history'],
  [392, 'mandatory_topics'],
  [453, 'giphy_rating'],
];

/** Fields of the register reply that levels ended. */
const ENDED_FIELDS: readonly (readonly [number, string])[] = [
  [233, 'hotspots'],
  [299, 'realm_user_group_edit_policy'],
  [341, 'can_subscribe_other_users'],
  [344, 'realm_bot_creation_policy'],
  [426, 'realm_is_zephyr_mirror_realm'],
  [442, 'giphy_rating_options'],
  [453, 'gif_rating_options'],
  [453, 'realm_giphy_rating'],
  [468, 'push_devices'],
];

/** Fields of the register reply that levels brought, and their values in a fresh organization. */
const FIELDS: readonly (readonly [number, string, unknown])[] = [
  [251, 'realm_upload_quota_mib', 10_240],
  [264, 'realm_create_public_stream_policy', 1],
  [266, 'realm_create_private_stream_policy', 1],
  [
    273,
    'server_thumbnail_formats',
    [
      { name: '840x560.webp', max_width: 840, max_height: 560, format: 'webp', animated: false },
      {
        name: '840x560-anim.webp',
        max_width: 840,
        max_height: 560,
        format: 'webp',
        animated: true,
      },
    ],
  ],
  [280, 'realm_create_web_public_stream_policy', 7],
  [297, 'saved_snippets', []],
  [331, 'realm_moderation_request_channel_id', -1],
  [332, 'server_min_deactivated_realm_deletion_days', 14],
  [332, 'server_max_deactivated_realm_deletion_days', null],
  [334, 'realm_empty_topic_display_name', 'general chat'],
  [338, 'password_max_length', 100],
  [348, 'realm_enable_guest_user_dm_warning', true],
  [350, 'server_can_summarize_topics', false],
  [352, 'realm_wildcard_mention_policy', 5],
  [358, 'realm_message_edit_history_visibility_policy', 'all'],
  [358, 'realm_allow_edit_history', true],
  [363, 'realm_billing', { has_pending_sponsorship_request: false }],
  [369, 'navigation_tour_video_url', null],
  [389, 'channel_folders', []],
  [390, 'navigation_views', []],
  [392, 'realm_topics_policy', 'allow_empty_topic'],
  [392, 'realm_mandatory_topics', false],
  [397, 'max_bulk_new_subscription_messages', 100],
  [399, 'reminders', []],
  [409, 'realm_require_e2ee_push_notifications', false],
  [410, 'max_channel_folder_name_length', 60],
  [410, 'max_channel_folder_description_length', 1024],
  [415, 'max_reminder_note_length', 1000],
  [416, 'realm_welcome_message_custom_text', ''],
  [434, 'realm_send_channel_events_messages', true],
  [438, 'realm_owner_full_content_access', false],
  [442, 'tenor_api_key', ''],
  [453, 'realm_gif_rating_policy', 2],
  [456, 'realm_default_avatar_source', 'G'],
  [468, 'devices', {}],
  [469, 'realm_media_preview_size', 100],
  [481, 'idle_queue_timeout_secs', 600],
  [486, 'klipy_api_key', ''],
  [493, 'has_webex_token', false],
];

/** Permissions of the organization that levels brought. */
const PERMISSIONS: readonly (readonly [number, string, string])[] = [
  [264, 'can_create_public_channel_group', 'role:members'],
  [266, 'can_create_private_channel_group', 'role:members'],
  [270, 'direct_message_initiator_group', 'role:everyone'],
  [270, 'direct_message_permission_group', 'role:everyone'],
  [281, 'can_delete_any_message_group', 'role:administrators'],
  [291, 'can_delete_own_message_group', 'role:everyone'],
  [299, 'can_create_groups', 'role:members'],
  [299, 'can_manage_all_groups', 'role:owners'],
  [307, 'can_add_custom_emoji_group', 'role:members'],
  [310, 'can_move_messages_between_channels_group', 'role:members'],
  [314, 'create_multiuse_invite_group', 'role:administrators'],
  [316, 'can_move_messages_between_topics_group', 'role:everyone'],
  [321, 'can_invite_users_group', 'role:members'],
  [341, 'can_add_subscribers_group', 'role:members'],
  [344, 'can_create_bots_group', 'role:members'],
  [344, 'can_create_write_only_bots_group', 'role:members'],
  [350, 'can_summarize_topics_group', 'role:everyone'],
  [352, 'can_mention_many_users_group', 'role:administrators'],
  [363, 'can_manage_billing_group', 'role:administrators'],
  [367, 'can_resolve_topics_group', 'role:everyone'],
  [392, 'can_set_topics_policy_group', 'role:members'],
  [407, 'can_set_delete_message_policy_group', 'role:moderators'],
  [477, 'workplace_users_group', 'role:everyone'],
];

/** Settings of a person that levels brought: a default, another value, and one that is none. */
const SETTINGS: readonly (readonly [number, string, unknown, unknown, unknown])[] = [
  [253, 'receives_typing_notifications', true, false, 'x'],
  [268, 'web_navigate_to_sent_message', true, false, 'x'],
  [269, 'web_channel_default_view', 1, 2, 5],
  [275, 'web_animate_image_previews', 'on_hover', 'never', 'x'],
  [293, 'allow_private_data_export', false, true, 'x'],
  [329, 'web_suggest_update_timezone', true, false, 'x'],
  [350, 'hide_ai_features', false, true, 'x'],
  [383, 'web_channel_default_view', 2, 3, 0],
  [385, 'resolved_topic_notice_auto_read_policy', 'except_followed', 'always', 'x'],
  [398, 'web_left_sidebar_unreads_count_summary', true, false, 'x'],
  [401, 'web_channel_default_view', 3, 4, 5],
  [411, 'web_left_sidebar_show_channel_folders', true, false, 'x'],
  [431, 'web_inbox_show_channel_folders', true, false, 'x'],
  [454, 'web_home_view', 'inbox', 'recent', 'x'],
];

void t.test('what the feature levels promise of the organization holds', async (t) => {
  const { owner, hamlet } = await askOrganization(t);
  const snapshot = await hamlet.register();
  const groups = new Map(
    (snapshot.realm_user_groups as { id: number; name: string }[]).map(({ id, name }) => [
      id,
      name,
    ]),
  );

  await t.test('register has what levels brought, with its default', async (t) => {
    for (const [level, name, value] of FIELDS)
      t.strictSame(snapshot[name], value, `${level} ${name}`);
    t.equal(snapshot.realm_url, snapshot.realm_uri, '257: both names');
    t.match(snapshot.realm_uuid, /^[0-9a-f-]{36}$/, '466');
    t.strictSame(
      (snapshot.server_report_message_types as { key: string }[]).map(({ key }) => key),
      ['spam', 'harassment', 'inappropriate', 'norms', 'other'],
      '435',
    );
    for (const one of snapshot.realm_users as Body[]) {
      t.equal(one.is_imported_stub, false, '433');
      t.notOk('is_billing_admin' in one, '363');
    }
    for (const one of snapshot.onboarding_steps as Body[])
      t.equal(one.type, 'one_time_notice', '259');
    t.ok((snapshot.realm_default_streams as unknown[]).every(Number.isInteger), '330: ids only');
  });

  await t.test('register has nothing that levels ended', async (t) => {
    for (const [level, name] of ENDED_FIELDS) t.notOk(name in snapshot, `${level} ${name}`);
  });

  await t.test('PATCH /realm takes nothing that levels ended', async (t) => {
    const given = Object.fromEntries(ENDED_REALM.map(([, name]) => [name, 1]));
    const { ignored_parameters_unsupported: ignored } = await owner.ok('PATCH', '/realm', given);
    for (const [level, name] of ENDED_REALM) {
      t.ok((ignored as string[]).includes(name), `${level} ${name}`);
    }
  });

  await t.test(
    'permissions: the default, any set of people and groups, told as one value',
    async (t) => {
      const events = await QueueReader.open(hamlet, { event_types: ['realm'] });
      const everybody = { direct_members: [owner.userId, hamlet.userId], direct_subgroups: [] };
      for (const [level, name, byDefault] of PERMISSIONS) {
        const former = snapshot[`realm_${name}`];
        t.equal(groups.get(former as number), byDefault, `${level} ${name}`);
        await owner.ok('PATCH', '/realm', { [name]: { new: everybody, old: former } });
        t.match(
          await events.now(),
          [{ op: 'update_dict', property: 'default', data: { [name]: everybody } }],
          name,
        );
        await owner.ok('PATCH', '/realm', { [name]: { new: former } });
        await events.now();
      }
      const { status } = await owner.call('PATCH', '/realm', {
        can_create_groups: { new: snapshot.realm_can_create_groups, old: everybody },
      });
      t.equal(status, 400, 'another old value than the present one');
    },
  );

  await t.test('settings of a person: the default, another value, none other', async (t) => {
    const events = await QueueReader.open(hamlet, { event_types: ['user_settings'] });
    const { user_settings: settings } = snapshot as unknown as { user_settings: Body };
    for (const [level, name, byDefault, other, none] of SETTINGS) {
      t.strictSame(settings[name], byDefault, `${level} ${name}`);
      const refused = await hamlet.call('PATCH', '/settings', { [name]: none });
      t.match(refused.body, { result: 'error', code: 'BAD_REQUEST' }, `${level} ${name}`);
      await hamlet.ok('PATCH', '/settings', { [name]: other });
      t.match(await events.now(), [{ op: 'update', property: name, value: other }], name);
      settings[name] = other;
    }
    const { user_settings } = await hamlet.register({ fetch_event_types: ['user_settings'] });
    t.match(user_settings, settings);
    const ended = await hamlet.ok('PATCH', '/settings', { dense_mode: true });
    t.strictSame(ended.ignored_parameters_unsupported, ['dense_mode'], '364');
  });

  await t.test('own roles, sizes of previews, metadata of permissions', async (t) => {
    const own = async (client: typeof owner) => {
      const { is_owner, is_admin, is_moderator, is_guest } = await client.register({
        fetch_event_types: ['realm_user'],
      });
      return { is_owner, is_admin, is_moderator, is_guest };
    };
    const none = { is_owner: false, is_admin: false, is_moderator: false, is_guest: false };
    t.strictSame(await own(hamlet), none);
    await owner.ok('PATCH', `/users/${hamlet.userId}`, { role: 300 });
    t.strictSame(await own(hamlet), { ...none, is_moderator: true });
    t.strictSame(
      await own(owner),
      { is_owner: true, is_admin: true, is_moderator: true, is_guest: false },
      '380: of those above moderators too',
    );
    const { body } = await owner.call('PATCH', '/realm', { media_preview_size: 120 });
    t.match(body, { msg: 'Invalid media_preview_size' }, '469: 100, 150 or 200');
    await owner.ok('PATCH', '/realm', { media_preview_size: 150 });
    const { realm, stream } = snapshot.server_supported_permission_settings as Record<
      string,
      Record<string, Body>
    >;
    t.equal(stream!.can_administer_channel_group!.default_group_name, 'channel_creator', '427');
    for (const one of Object.values({ ...realm, ...stream })) {
      t.notOk('allow_owners_group' in one || 'id_field_name' in one, '326');
    }
  });

  await t.test('464: a description is told with its rendered form', async (t) => {
    const events = await QueueReader.open(hamlet, { event_types: ['realm'] });
    await owner.ok('PATCH', '/realm', { description: '*plays*' });
    t.match(await events.now(), [
      {
        op: 'update_dict',
        property: 'default',
        data: { description: '*plays*', rendered_description: '<p><em>plays</em></p>' },
      },
    ]);
  });

  await t.test('server settings: login methods, and both names of the address', async (t) => {
    const settings = await hamlet.ok('GET', '/server_settings');
    t.equal((settings.authentication_methods as Body).discord, false, '488');
    t.equal(settings.realm_url, settings.realm_uri, '257');
    t.equal(settings.zulip_feature_level, 500);
    t.equal(settings.zulip_version, '12.2', 'the release of that level');
  });
});
