/** What Zulip exported, seen by clients of the server that it was imported into. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { clientOf, imported } from '../../../fixtures/archives/imported.js';
import { tarGz } from '../../../fixtures/archives/tar.js';
import { zulipExport } from '../../../fixtures/archives/zulip-export.js';
import type { ApiClient, Body } from '../../../system/harness/client.js';
import { thumbnailMade } from '../../../system/harness/thumbnail.js';
import { RunningServer, storeFolder } from '../../../system/harness/server.js';

const messagesOf = async (client: ApiClient, narrow: unknown[]): Promise<Body[]> => {
  const parameters = { anchor: 'oldest', num_before: 0, num_after: 100, narrow };
  return (await client.ok('GET', '/messages', parameters)).messages as Body[];
};

void t.test('an organization of Zulip goes on here', async (t) => {
  const folder = storeFolder(t);
  const archive = join(storeFolder(t), 'realm.tar.gz');
  writeFileSync(archive, tarGz(zulipExport()));
  const told = await imported(t, ['import-zulip', archive], folder);
  t.match(told, [
    /^Unpacking /,
    '2 of 2 files of messages',
    /^Imported 6 accounts, 3 channels, 6 subscriptions, 10 messages, 2 reactions, 3 files, 2 custom emoji, 1 pictures of people into /,
    'Not imported, or imported differently:',
  ]);
  for (const line of [
    '  6 personal settings with a value that is unknown here (such as color_scheme: no such scheme)',
    '  2 uploaded files that are missing, too large, or have no owner (such as 3/cd/gone_gone/gone.txt)',
    '  1 pictures of people that are missing, above 5 MiB, or no pictures (such as avatars of Cleo)',
    '  1 custom emoji that are missing, above 5 MiB, or no pictures (such as emoji/3/emoji/images/9.png)',
    '  1 custom emoji that are refused here (such as Not a name: Emoji names must contain only lowercase English letters, digits, spaces, dashes, and underscores.)',
    '  1 custom profile fields of unknown type, of the same name, or too many (such as Unknown)',
    "  1 values of custom profile fields that do not fit here (such as Ben: 'no such choice' is not a valid choice for 'Editor'.)",
    '  1 channels that were open to visitors without an account, and are public (such as old)',
    '  1 messages whose sender or recipient is missing (such as 1010)',
    '  1 reactions by emoji, or by people, that are missing (such as lost)',
    '  2 rows of zerver_realmauditlog (who changed what in the former server)',
    '  1 rows of zerver_scheduledmessage that were sent already (such as 7)',
    '  1 rows of zerver_onboardingstep of hints that are not here (such as 2)',
    '  1 rows of zerver_realmauthenticationmethod such as GitHub: this server has no such way to log in (such as 2)',
    '  1 settings of the organization with a value that is unknown here (such as digest_weekday)',
    '  1 permissions that have no such form here, for administrators alone (such as can_create_groups of the organization)',
    '  1 channels for announcements that are missing (such as signup_announcements_stream_id)',
    '  1 files about the export itself (such as stats.json)',
    '  1 files of statistics of the former server (such as analytics.json)',
  ]) {
    t.ok(told.includes(line), line);
  }
  t.ok(told.some((line) => /^ {2}1 linkifiers that are refused here \(such as \(: /.test(line)));
  t.notOk(existsSync(join(folder, 'import-unpacked')), 'nothing is left beside the store');

  const server = await RunningServer.serve(t, folder);
  const [ada, ben, dora] = [
    await clientOf(server, 11),
    await clientOf(server, 12),
    await clientOf(server, 16),
  ];
  const snapshot = await ada.register({
    fetch_event_types: [
      'realm',
      'realm_user',
      'stream',
      'subscription',
      'realm_user_groups',
      'user_topic',
      'update_message_flags',
      'muted_users',
      'alert_words',
      'message',
      'realm_emoji',
      'realm_playgrounds',
      'realm_domains',
      'custom_profile_fields',
      'saved_snippets',
      'channel_folders',
      'user_status',
      'scheduled_messages',
      'drafts',
      'navigation_views',
      'onboarding_steps',
      'realm_user_settings_defaults',
      'realm_bot',
    ],
  });
  t.match(snapshot, {
    realm_name: 'Analytical "Society"',
    realm_description: 'Engines, [of all] {kinds}\\',
    realm_org_type: 20,
    is_owner: true,
    alert_words: ['steam'],
    max_message_id: 1013,
    realm_icon_source: 'U',
    realm_logo_source: 'D',
    realm_emoji: {
      7: { name: 'ours', deactivated: false, author_id: 11, still_url: null },
      8: { name: 'ours', deactivated: true, author_id: null },
      9: undefined,
    },
    realm_playgrounds: [{ name: 'Rust playground', pygments_language: 'Rust' }],
    realm_domains: [{ domain: 'example.org', allow_subdomains: true }],
    custom_profile_fields: [
      { id: 1, name: 'Editor', type: 3, order: 1, display_in_profile_summary: true },
      { id: 3, name: 'Mentor', type: 6, order: 2 },
      { id: 4, name: 'Castle', type: 1, order: 3 },
    ],
    saved_snippets: [{ title: 'Hi', content: 'Good day', date_created: 1_600_000_000 }],
  });
  t.match((await ada.ok('GET', '/realm/linkifiers')).linkifiers, [
    { pattern: '#(?P<id>[0-9]+)', url_template: 'https://example.org/{id}' },
    { pattern: 'T(?P<id>[0-9]+)', url_template: 'https://t.example.org/{id}' },
  ]);
  const shown = snapshot.realm_users as Body[];
  const profileOf = (name: string) =>
    shown.find((one) => one.full_name === name)!.profile_data as Body;
  t.strictSame(profileOf('Ada'), { 1: { value: '1' }, 3: { value: '[12]' } });
  t.strictSame(
    profileOf('Ben'),
    { 4: { value: '*Elsinore*', rendered_value: '<p><em>Elsinore</em></p>' } },
    'a value that does not fit is left out',
  );
  const emoji = snapshot.realm_emoji as Record<string, { source_url: string }>;
  const [pictured] = shown.filter((one) => one.full_name === 'Ben');
  for (const path of [
    snapshot.realm_icon_url,
    emoji[7]!.source_url,
    emoji[8]!.source_url,
    pictured!.avatar_url,
  ]) {
    const reply = await fetch(server.url + String(path));
    t.equal(reply.headers.get('content-type'), 'image/png', String(path));
    await reply.arrayBuffer();
  }
  t.match(
    shown.find((one) => one.full_name === 'Dora'),
    { avatar_url: /\/identicon\/16.png/ },
    'a picture is made of her as there',
  );
  const muted = await dora.register({ fetch_event_types: ['user_topic'] });
  t.match(muted.user_topics, [{ stream_id: 21, topic_name: 'noise', visibility_policy: 1 }]);
  const people = (snapshot.realm_users as Body[]).map((one) => [
    one.user_id,
    one.full_name,
    one.role,
  ]);
  t.strictSame(people.sort(), [
    [11, 'Ada', 100],
    [12, 'Ben', 400],
    [15, 'Echo', 400],
    [16, 'Dora', 400],
    [17, 'Teller', 400],
  ]);
  t.match(snapshot.realm_non_active_users, [{ user_id: 14, full_name: 'Cleo' }]);
  const groups = snapshot.realm_user_groups as Body[];
  const named = (name: string) => groups.find((one) => one.name === name)!;
  const moderators = named('role:moderators').id as number;
  const onlyAda = { direct_members: [11], direct_subgroups: [] };
  const benAndModerators = { direct_members: [12], direct_subgroups: [moderators] };
  t.match(named('builders'), { id: 41, members: [12], can_manage_group: onlyAda });
  t.match(named('leads'), { id: 46, direct_subgroup_ids: [41], can_mention_group: 41 });
  t.match(named('leads'), { can_join_group: moderators });
  t.equal(moderators, 42, 'system groups keep their numbers');
  t.match(
    snapshot,
    {
      realm_uuid: '6c0f28a4-6c55-4a4e-8a02-000000000003',
      realm_default_language: 'de',
      realm_waiting_period_threshold: 7,
      realm_invite_required: true,
      realm_emails_restricted_to_domains: true,
      realm_message_content_edit_limit_seconds: 60,
      realm_message_content_delete_limit_seconds: null,
      realm_message_edit_history_visibility_policy: 'all',
      realm_topics_policy: 'disable_empty_topic',
      realm_message_retention_days: 36_500,
      realm_default_code_block_language: 'rust',
      realm_video_chat_provider: 1,
      realm_jitsi_server_url: 'https://meet.example.org',
      realm_upload_quota_mib: 5120,
      realm_new_stream_announcements_stream_id: 21,
      realm_signup_announcements_stream_id: -1,
      realm_moderation_request_channel_id: 22,
      realm_can_invite_users_group: onlyAda,
      realm_can_create_public_channel_group: moderators,
      realm_can_create_private_channel_group: 44,
      realm_can_add_custom_emoji_group: 41,
      realm_create_multiuse_invite_group: benAndModerators,
      realm_can_create_groups: named('role:administrators').id,
      realm_direct_message_permission_group: 44,
      realm_can_mention_many_users_group: 44,
      realm_authentication_methods: {
        Email: { enabled: true },
        'OpenID Connect': { enabled: false },
      },
      realm_user_settings_defaults: {
        enter_sends: true,
        resolved_topic_notice_auto_read_policy: 'never',
      },
    },
    'an organization that had locked itself does not come up open',
  );
  t.match(snapshot, {
    channel_folders: [
      { id: 62, name: 'Past', order: 0, is_archived: true, creator_id: null },
      {
        ...{ id: 61, name: 'Works', order: 1, is_archived: false, creator_id: 11 },
        rendered_description: '<p>What we <em>build</em></p>',
      },
    ],
    user_status: { 11: { status_text: 'at the engine', emoji_code: '1f419' }, 12: undefined },
    scheduled_messages: [
      {
        ...{ scheduled_message_id: 5, type: 'stream', to: 21, topic: 'plans', failed: false },
        rendered_content: '<p>Tomorrow <em>then</em></p>',
      },
      {
        ...{ scheduled_message_id: 1014, type: 'private', to: [12], failed: true },
        content: 'psst',
      },
    ],
    drafts: [
      {
        id: 3,
        type: 'stream',
        to: [21],
        topic: 'plans',
        content: 'half a',
        timestamp: 1_600_002_000,
      },
      { id: 4, type: '', to: [], content: 'to whom?' },
    ],
    navigation_views: [
      { fragment: 'narrow/is/starred', is_pinned: true, name: null },
      { fragment: 'narrow/has/link', is_pinned: false, name: 'Links' },
    ],
  });
  t.notOk(
    (snapshot.onboarding_steps as Body[]).some((one) => one.name === 'intro_inbox_view_modal'),
  );
  t.match(await ben.register({ fetch_event_types: ['reminders', 'drafts'] }), {
    reminders: [{ reminder_target_message_id: 1001, content: 'Think of it' }],
    drafts: [{ id: 6, type: 'private', to: [11, 12, 16] }],
  });
  const bots = snapshot.realm_bots as Body[];
  t.match(
    bots.find((one) => one.user_id === 15),
    { default_sending_stream: 'engine', default_all_public_streams: true },
  );
  t.strictSame(bots.find((one) => one.user_id === 17)!.services, [
    { base_url: 'https://hooks.example.org/in', interface: 2, token: 'abc123' },
  ]);
  const echo = await clientOf(server, 15);
  t.match(await echo.ok('GET', '/bot_storage'), { storage: { count: '41', ключ: '{"a":1}' } });
  const subscriptions = snapshot.subscriptions as Body[];
  t.match(
    subscriptions.map((one) => [one.stream_id, one.name, one.is_muted, one.can_send_message_group]),
    [
      [21, 'engine', true, named('role:administrators').id],
      [22, 'secret', false, named('role:moderators').id],
    ],
  );

  t.match(subscriptions[0], {
    ...{ folder_id: 61, topics_policy: 'allow_empty_topic', message_retention_days: 30_000 },
    can_administer_channel_group: benAndModerators,
  });

  const engine = await messagesOf(ada, [{ operator: 'channel', operand: 21 }]);
  t.match(engine, [
    {
      id: 1001,
      sender_full_name: 'Ada',
      client: 'website',
      timestamp: 1_600_001_001,
      flags: ['read'],
      reactions: [
        { emoji_code: '1f419', user_id: 12 },
        { emoji_code: '7', emoji_name: 'ours', reaction_type: 'realm_emoji', user_id: 11 },
      ],
      content:
        '<p>Hello <span class="user-mention" data-user-id="12">@Ben</span>, see <a href="/user_uploads/3/ab/c0ffee_c0ffee/plan.txt">plan</a></p>',
    },
    { id: 1002, flags: ['starred'], last_edit_timestamp: 1_600_001_500 },
    { id: 1009, sender_full_name: 'Notification Bot' },
    { id: 1011, content: /href="\/user_uploads\/3\/00\/AbCdEfGhIjKl\/notes.txt"/ },
    {
      id: 1013,
      submessages: [
        { id: 301, sender_id: 11, content: /Steam/ },
        { id: 302, sender_id: 12, content: /vote/ },
      ],
    },
  ]);
  t.match(engine[3]!.content, /<a href="https:\/\/example.org\/12">#12<\/a> <img [^>]*:ours:/);
  const { message_history: history } = await ada.ok('GET', '/messages/1002/history');
  t.match(history, [
    { rendered_content: '<p>first &lt;b&gt;thoughts&lt;/b&gt;</p>' },
    { prev_content: 'first <b>thoughts</b>', user_id: 12 },
  ]);
  t.match(await messagesOf(ben, [{ operator: 'channel', operand: 21 }]), [
    { id: 1001, flags: ['read', 'mentioned'] },
    { id: 1002, flags: ['read'] },
    { id: 1009, flags: [] },
    { id: 1011, flags: [] },
    { id: 1013, flags: [] },
  ]);
  t.strictSame(
    (await messagesOf(ben, [{ operator: 'channel', operand: 22 }])).map(({ id }) => id),
    [1007, 1012],
    'what came before he did stays hidden',
  );
  t.match(await messagesOf(ben, [{ operator: 'dm', operand: [11] }]), [{ id: 1004, flags: [] }]);
  t.match(await messagesOf(dora, [{ operator: 'dm', operand: [11, 12] }]), [
    { id: 1008, flags: ['read'] },
  ]);
  const unread = (await ben.register({ fetch_event_types: ['message', 'update_message_flags'] }))
    .unread_msgs as Body;
  t.match(unread, { count: 5, pms: [{ unread_message_ids: [1004] }] });

  // The server makes thumbnails of pictures once it runs.
  await thumbnailMade(ada, '3/ef/beef_beef/view.png');
  const [view] = await messagesOf(ada, [{ operator: 'id', operand: 1012 }]);
  t.match(view!.content, /\/user_uploads\/thumbnail\/3\/ef\/beef_beef\/view.png/);
  for (const [path, text] of [
    ['/user_uploads/3/ab/c0ffee_c0ffee/plan.txt', 'the plan'],
    ['/user_uploads/3/00/AbCdEfGhIjKl/notes.txt', 'the notes'],
  ] as const) {
    const reply = await fetch(server.url + path, { headers: { Authorization: ada.authorization } });
    t.equal(await reply.text(), text);
  }
  const sent = await ada.say('and on it goes', 'engine', 'plans');
  t.ok(sent > 1014, 'later messages have later numbers');
  t.strictSame(
    (await messagesOf(ben, [{ operator: 'search', operand: 'thoughts' }])).map(({ id }) => id),
    [1002],
  );
});
