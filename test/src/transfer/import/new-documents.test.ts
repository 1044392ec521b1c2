/** What an import makes where its archive says nothing special: each field of a document, as of one that is new here. */
import t from 'tap';
import {
  made,
  mattermost,
  said,
  slack,
  wrote,
  zulip,
} from '../../../fixtures/archives/small-archives.js';

/** Who may do what in a channel whose creator nobody knows. */
const PERMISSIONS = {
  can_add_subscribers_group: 'role:nobody',
  can_administer_channel_group: 'role:nobody',
  can_create_topic_group: 'role:everyone',
  can_delete_any_message_group: 'role:nobody',
  can_delete_own_message_group: 'role:nobody',
  can_move_messages_out_of_channel_group: 'role:nobody',
  can_move_messages_within_channel_group: 'role:nobody',
  can_remove_subscribers_group: 'role:administrators',
  can_resolve_topics_group: 'role:nobody',
  can_send_message_group: 'role:everyone',
  can_subscribe_group: 'role:nobody',
};
const CHANNEL = {
  ...{ ...PERMISSIONS, is_web_public: false, is_default: false, message_retention_days: null },
  ...{ folder_id: null, topics_policy: 'inherit', description: '', rendered_description: '' },
  ...{ creator_id: null, invite_only: false, history_public_to_subscribers: true },
  is_archived: false,
};
const ACCOUNT = {
  ...{ role: 400, is_active: true, is_bot: false, bot_type: null, bot_owner_id: null },
  ...{ is_system_bot: false, avatar_source: 'G', avatar_version: 1 },
  ...{ password_hash: null, can_create_users: false, full_name: 'Ben', email: 'ben@example.org' },
};
const SUBSCRIPTION = {
  ...{ is_muted: false, pin_to_top: false, desktop_notifications: null },
  ...{ audible_notifications: null, push_notifications: null, email_notifications: null },
  ...{ wildcard_mentions_notify: null, user_id: 2, active: true, color: '#76ce90' },
};
const MESSAGE = {
  ...{ sender_id: 1, mentioned: [], topic_wildcard: [], alerted: [] },
  ...{ channel_wildcard: false, has_link: false, has_image: false, has_attachment: false },
  ...{ topic_links: [], reactions: [], last_edit_timestamp: null, last_moved_timestamp: null },
};

void t.test('an account, a channel, a subscription and a message', async (t) => {
  const [hi] = [said('U1', 'Hi') as { ts: string }];
  const made2020 = Math.floor(Number(hi.ts));
  const archives = [
    {
      from: 'slack' as const,
      files: slack({ 'general/2020-01-01.json': [hi] }),
      channel: { stream_id: 1, recipient_id: 1, name: 'general', date_created: 1.5e9 },
      spans: [[1, null]],
      message: {
        ...{ id: 1, seq: 1, topic: 'imported from Slack', client: 'Slack', timestamp: made2020 },
        ...{ content: 'Hi', rendered_content: '<p>Hi</p>' },
      },
    },
    {
      from: 'mattermost' as const,
      files: mattermost(wrote('ada', 1, 'Hi')),
      // When it was made, the export does not say.
      channel: { stream_id: 1, recipient_id: 1, name: 'Town' },
      spans: [[1, null]],
      message: {
        ...{ id: 1, seq: 1, topic: 'imported from Mattermost', client: 'Mattermost' },
        ...{ content: 'Hi', rendered_content: '<p>Hi</p>', timestamp: 1_553_166_000 },
      },
    },
    {
      from: 'zulip' as const,
      files: zulip({}, [{}]),
      channel: { stream_id: 11, recipient_id: 21, name: 'town', date_created: 1.6e9 },
      // Nobody had got the message there.
      spans: [[102, null]],
      message: {
        ...{ id: 101, seq: 101, topic: 'plans', client: 'website', timestamp: 1.6e9 },
        ...{ content: 'Hello', rendered_content: '<p>Hello</p>' },
      },
    },
  ];
  for (const { from, files, channel, spans, message } of archives) {
    const { org, messages } = await made(t, from, files);
    const { stream_id, recipient_id } = channel;
    const { user_id, key_version, date_joined, ...account } = org.users.get(2)!;
    // Of Zulip's people their server has said already when they joined.
    t.strictSame(account, { ...ACCOUNT, is_imported_stub: from !== 'zulip' }, from);
    t.match({ user_id, key_version, date_joined }, { user_id: 2, key_version: /^[\w-]{16}$/ });
    const { date_created, ...own } = org.channels.get(stream_id)!;
    const named = Object.entries(own).map(([name, value]) => {
      return [name, name in PERMISSIONS ? org.groups.get(value as number)!.name : value];
    });
    t.strictSame(
      { date_created, ...Object.fromEntries(named) },
      { date_created, ...CHANNEL, ...channel },
      from,
    );
    t.strictSame(org.subscriptions.of(2, stream_id), { ...SUBSCRIPTION, stream_id, spans }, from);
    t.strictSame(messages, [{ ...MESSAGE, recipient_id, stream_id, ...message }], from);
  }
});
