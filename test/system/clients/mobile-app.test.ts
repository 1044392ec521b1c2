import sharp from 'sharp';
import t from 'tap';
import { exchange, type Snapshot, type Body, type WireEvent } from '../harness/client.js';
import { askOrganization } from '../harness/organization.js';
import { has, mentions } from '../harness/required-fields.js';

const FLUTTER_CAPABILITIES = {
  notification_settings_null: true,
  bulk_message_deletion: true,
  user_avatar_url_field_optional: true,
  stream_typing_notifications: true,
  user_settings_object: true,
  include_deactivated_groups: true,
  empty_topic_name: true,
  individual_emoji_changes: true,
};

void t.test('what the mobile app does', async (t) => {
  const { server, owner, hamlet } = await askOrganization(t);
  await hamlet.ok('POST', '/users/me/presence', { status: 'active', new_user_input: true });

  await t.test('its login finds all fields that it reads', async (t) => {
    const { body } = await exchange(server.url, 'GET', '/api/v1/server_settings');
    has(
      t,
      body,
      'authentication_methods external_authentication_methods zulip_feature_level zulip_version ' +
        'zulip_merge_base push_notifications_enabled is_incompatible email_auth_enabled ' +
        'require_email_format_usernames realm_uri realm_name realm_icon realm_description ' +
        'realm_web_public_access_enabled',
      'server_settings',
    );
    t.type((body.authentication_methods as Body).ldap, 'boolean');
    t.equal(body.zulip_feature_level, 500);
    t.ok(URL.canParse(String(body.realm_uri)));
  });

  let snapshot: Snapshot;
  await t.test('its registration, with everything it requires', async (t) => {
    snapshot = await owner.register({
      idle_queue_timeout: '"mobile"',
      apply_markdown: true,
      client_gravatar: false,
      slim_presence: true,
      client_capabilities: FLUTTER_CAPABILITIES,
    });
    t.equal(snapshot.idle_queue_timeout_secs, 43_200);
    has(
      t,
      snapshot,
      'queue_id last_event_id zulip_feature_level zulip_version zulip_merge_base alert_words ' +
        'custom_profile_fields max_stream_name_length max_topic_length ' +
        'server_presence_ping_interval_seconds server_presence_offline_threshold_seconds ' +
        'server_typing_started_expiry_period_milliseconds ' +
        'server_typing_stopped_wait_period_milliseconds ' +
        'server_typing_started_wait_period_milliseconds muted_users presences realm_emoji ' +
        'realm_user_groups recent_private_conversations subscriptions unread_msgs ' +
        'starred_messages streams user_status user_settings user_topics ' +
        'realm_wildcard_mention_policy realm_name realm_waiting_period_threshold ' +
        'realm_allow_message_editing realm_enable_read_receipts realm_icon_url ' +
        'realm_presence_disabled realm_default_external_accounts max_file_upload_size_mib ' +
        'server_thumbnail_formats server_emoji_data_url event_queue_longpoll_timeout_seconds ' +
        'realm_users realm_non_active_users cross_realm_bots',
      'register',
    );
    mentions(
      t,
      snapshot,
      'saved_snippets channel_folders devices realm_topics_policy realm_mandatory_topics ' +
        'realm_can_delete_any_message_group realm_can_delete_own_message_group ' +
        'realm_message_content_edit_limit_seconds realm_message_content_delete_limit_seconds ' +
        'realm_moderation_request_channel_id realm_empty_topic_display_name ' +
        'server_report_message_types',
      'register',
    );
    has(
      t,
      snapshot.user_settings as Body,
      'twenty_four_hour_time starred_message_counts display_emoji_reaction_users emojiset ' +
        'web_inbox_show_channel_folders presence_enabled',
      'user_settings',
    );
    const user =
      'user_id email full_name date_joined is_active is_bot role timezone avatar_version';
    for (const one of snapshot.realm_users as Body[]) {
      has(t, one, user.replace('timezone ', ''), 'user');
      mentions(t, one, 'timezone delivery_email avatar_url profile_data', 'user');
    }
    const channel =
      'stream_id name description rendered_description date_created invite_only is_web_public ' +
      'history_public_to_subscribers topics_policy';
    for (const one of snapshot.streams as Body[]) has(t, one, channel, 'channel');
    for (const one of snapshot.subscriptions as Body[]) {
      has(t, one, `${channel} pin_to_top is_muted color`, 'subscription');
      t.match(one.color, /^#[0-9a-f]{6}$/);
    }
    for (const one of snapshot.realm_user_groups as Body[]) {
      const keys = 'id name members direct_subgroup_ids is_system_group deactivated';
      has(t, one, keys, 'group');
      mentions(t, one, 'description', 'group');
    }
    const presences = snapshot.presences as Record<string, Body>;
    has(t, presences[hamlet.userId]!, 'active_timestamp idle_timestamp', 'presence by id');
  });

  await t.test('the emoji that it draws are served with their names', async (t) => {
    const url = new URL(String(snapshot.server_emoji_data_url), server.url);
    const { status, body } = await exchange(server.url, 'GET', url.pathname);
    t.equal(status, 200);
    t.match((body.code_to_names as Record<string, string[]>)['1f44d'], ['+1']);
  });

  await t.test('the icon of an organization that has none of its own is no drawing', async (t) => {
    const icon = await fetch(new URL(String(snapshot.realm_icon_url), server.url));
    t.same([icon.status, icon.headers.get('content-type')], [200, 'image/png']);
    const { width, height, format } = await sharp(await icon.arrayBuffer()).metadata();
    t.same({ width, height, format }, { width: 100, height: 100, format: 'png' });
  });

  await t.test('its presence keep-alive gets the presences of others', async (t) => {
    const reply = await owner.ok('POST', '/users/me/presence', {
      status: 'active',
      new_user_input: true,
      ping_only: false,
      slim_presence: true,
    });
    has(t, reply, 'presences server_timestamp presence_last_update_id', 'presence');
    t.match(reply.presences, { [hamlet.userId]: { active_timestamp: Number } });
  });

  await t.test('its pages have every field, its narrows have numbers', async (t) => {
    const id = await hamlet.say('numbers', 'general', 'n');
    const streamId = (snapshot.streams as Body[])[0]!.stream_id;
    const narrow = [
      { operator: 'channel', operand: streamId },
      { operator: 'topic', operand: 'n' },
    ];
    const page = await owner.ok('GET', '/messages', {
      anchor: 'first_unread',
      num_before: 10,
      num_after: 10,
      narrow,
      allow_empty_topic_name: true,
    });
    t.type(page.anchor, 'number');
    for (const key of ['found_newest', 'found_oldest', 'found_anchor', 'history_limited']) {
      t.type(page[key], 'boolean', key);
    }
    const [message] = page.messages as Body[];
    const keys =
      'id sender_id sender_email sender_full_name type content content_type client timestamp ' +
      'is_me_message reactions flags recipient_id subject display_recipient stream_id';
    has(t, message!, keys, 'message');
    mentions(t, message!, 'sender_realm_str avatar_url', 'message');
    t.equal(message!.id, id);
  });

  await t.test('its report of a message, once there is a channel for it', async (t) => {
    const message = await owner.say('rude', 'general', 'n');
    const report = { report_type: 'other', description: 'It is rude.' };
    const refused = await hamlet.call('POST', `/messages/${message}/report`, report);
    t.match(refused, { status: 400, body: { msg: /^Moderation request channel must be/ } });
    await owner.ok('POST', '/users/me/subscriptions', {
      subscriptions: [{ name: 'moderation' }],
      invite_only: true,
    });
    const { stream_id } = await owner.ok('GET', '/get_stream_id', { stream: 'moderation' });
    await owner.ok('PATCH', '/realm', { moderation_request_channel_id: stream_id });
    t.same(snapshot.server_report_message_types, [
      { key: 'spam', name: 'Spam' },
      { key: 'harassment', name: 'Harassment' },
      { key: 'inappropriate', name: 'Inappropriate content' },
      { key: 'norms', name: 'Violates community norms' },
      { key: 'other', name: 'Other reason' },
    ]);
    await hamlet.ok('POST', `/messages/${message}/report`, report);
    const page = await owner.ok('GET', '/messages', {
      anchor: 'newest',
      num_before: 1,
      num_after: 0,
      narrow: [{ operator: 'channel', operand: stream_id }],
    });
    t.match(page.messages, [
      { subject: "Owner's moderation requests", content: /Reason: <strong>Other reason<.*rude/s },
    ]);
  });

  await t.test('its own message comes back with its local id', async (t) => {
    const { queue_id } = snapshot;
    const elsewhere = await owner.register({ event_types: ['message'] });
    const { id } = await owner.ok('POST', '/messages', {
      type: 'channel',
      to: '1',
      topic: 'n',
      content: 'mine',
      queue_id,
      local_id: '17',
      read_by_sender: true,
    });
    const events = await owner.poll(queue_id, snapshot.last_event_id, { dontBlock: true });
    const found = events.find(
      (event: WireEvent) => event.type === 'message' && (event.message as Body).id === id,
    );
    t.match(found, { local_message_id: '17', flags: ['read'] });
    const [same] = await owner.poll(elsewhere.queue_id, elsewhere.last_event_id);
    t.notOk('local_message_id' in same!, 'in that queue only');
  });
});
