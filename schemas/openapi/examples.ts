import type { Json } from './json-schema.js';

/*
 * Examples of requests that succeed, sent by the owner of an organization that was just made, those that
 * make something before those that need it. Numbers are those of such an organization.
 */

/** The owner. */
const OWNER = 4;
/** Whom `create-user` makes, and the bot of `create-bot`. */
const [OPHELIA, BOT] = [5, 6];
/** The first channel, and that of `create-channel`. */
const [GENERAL, VERONA] = [1, 2];
/** The first message, the number `create-scheduled-message` takes, and what `send-message` sends then. */
const [MESSAGE, SCHEDULED, SENT] = [1, 2, 3];
/** The first group that is not the system's: that of `create-user-group`. */
const GROUP = 9;
/** 2030-01-01T09:00:00Z. */
const LATER = 1_893_488_400;

const LINKIFIER = {
  pattern: '#(?P<id>[0-9]+)',
  url_template: 'https://tracker.example.com/{id}',
};
const DRAFT = {
  type: 'stream',
  to: [GENERAL],
  topic: 'castle',
  content: 'Who’s',
  timestamp: 1_750_000_000,
};
const FILE = { realm_id: 1, file_path: '4e/m2QxNGNlYTktMzU4NS00/ghost.txt' };

/** By operation; a parameter that is not named is left out. */
export const EXAMPLES: Readonly<Record<string, Json>> = {
  'fetch-api-key': { username: 'owner@example.com', password: 'abcd1234' },
  'fetch-api-key-by-token': { token: 'eyJhbGciOiJIUzI1NiJ9.eyJlbWFpbCI6Im8ifQ.signature' },

  'register-queue': { event_types: ['message'], fetch_event_types: ['realm'] },
  'get-events': { event_types: ['message'], dont_block: true },
  'delete-queue': { queue_id: 'fb67bf8a-c031-47cc-84cf-ed80accacda8' },

  'send-message': { type: 'channel', to: 'general', topic: 'castle', content: 'Who’s there?' },
  'get-messages': { anchor: 'newest', num_before: 20, num_after: 0 },
  'get-message': { message_id: MESSAGE },
  'update-message': { message_id: SENT, content: 'Nay, answer me' },
  'delete-message': { message_id: MESSAGE },
  'get-message-history': { message_id: MESSAGE },
  'get-read-receipts': { message_id: MESSAGE },
  'report-message': { message_id: MESSAGE, report_type: 'spam' },
  'check-messages-match-narrow': { msg_ids: [MESSAGE], narrow: [['is', 'starred']] },
  'render-message': { content: 'To be or **not** to be' },
  'add-reaction': { message_id: MESSAGE, emoji_name: 'tada' },
  'remove-reaction': { message_id: MESSAGE, emoji_name: 'tada' },
  'update-message-flags': { messages: [MESSAGE], op: 'add', flag: 'starred' },
  'update-message-flags-for-narrow': {
    anchor: 'newest',
    num_before: 20,
    num_after: 0,
    narrow: [{ operator: 'channel', operand: GENERAL }],
    op: 'add',
    flag: 'read',
  },
  'mark-stream-as-read': { stream_id: GENERAL },
  'mark-topic-as-read': { stream_id: GENERAL, topic_name: 'greetings' },
  'set-typing-status': { op: 'start', type: 'channel', stream_id: GENERAL, topic: 'castle' },
  'set-typing-status-for-message-edit': { message_id: SENT, op: 'start' },
  'create-scheduled-message': {
    type: 'channel',
    to: GENERAL,
    topic: 'castle',
    content: 'Good morning',
    scheduled_delivery_timestamp: LATER,
  },
  'update-scheduled-message': { scheduled_message_id: SCHEDULED, content: 'Good evening' },
  'delete-scheduled-message': { scheduled_message_id: SCHEDULED },
  'create-reminder': { message_id: MESSAGE, scheduled_delivery_timestamp: LATER },
  'delete-reminder': { reminder_id: 1 },
  'get-file-temporary-url': { realm_id: FILE.realm_id, path: FILE.file_path },
  'get-uploaded-file': FILE,
  'download-uploaded-file': FILE,
  'get-thumbnail-status': FILE,
  'get-temporary-file': { token: '4-1750000060-9d5ed678fe57bcca', filename: 'ghost.txt' },
  'remove-attachment': { attachment_id: 1 },

  'create-channel': { name: 'verona', subscribers: [OWNER] },
  'get-channel': { stream_id: GENERAL },
  'get-channel-id': { stream: 'general' },
  'get-subscribers': { stream_id: GENERAL },
  'get-channel-topics': { stream_id: GENERAL },
  'get-channel-email-address': { stream_id: GENERAL },
  'update-channel': { stream_id: GENERAL, description: 'For **everything** else' },
  'archive-channel': { stream_id: VERONA },
  'delete-topic': { stream_id: GENERAL, topic_name: 'castle' },
  'add-default-channel': { stream_id: GENERAL },
  'remove-default-channel': { stream_id: GENERAL },
  'create-channel-folder': { name: 'Theater' },
  'update-channel-folder': { channel_folder_id: 1, description: 'On and off the stage' },
  'reorder-channel-folders': { order: [1] },
  subscribe: { subscriptions: [{ name: 'denmark', description: 'A rotten state' }] },
  unsubscribe: { subscriptions: ['denmark'] },
  'update-subscriptions': { add: [{ name: 'general' }] },
  'get-subscription-status': { user_id: OWNER, stream_id: GENERAL },
  'update-subscription-property': { stream_id: GENERAL, property: 'pin_to_top', value: true },
  'update-subscription-properties': {
    subscription_data: [{ stream_id: GENERAL, property: 'color', value: '#76ce90' }],
  },
  'update-user-topic': { stream_id: GENERAL, topic: 'castle', visibility_policy: 3 },
  'mute-topic': { stream_id: GENERAL, topic: 'greetings', op: 'add' },

  'create-user': {
    email: 'ophelia@example.com',
    full_name: 'Ophelia',
    password: 'willow-aslant-a-brook',
  },
  'get-user': { user_id: OWNER },
  'update-user': { user_id: OPHELIA, full_name: 'Ophelia of Elsinore' },
  'deactivate-user': { user_id: OPHELIA },
  'reactivate-user': { user_id: OPHELIA },
  'get-user-channels': { user_id: OWNER },
  'get-user-presence': { user_id_or_email: String(OWNER) },
  'get-user-status': { user_id: OWNER },
  'update-user-status': { user_id: OPHELIA, status_text: 'picking flowers' },
  'update-own-status': { status_text: 'on the ramparts' },
  'update-presence': { status: 'active', last_update_id: -1 },
  'mute-user': { muted_user_id: OPHELIA },
  'unmute-user': { muted_user_id: OPHELIA },
  'update-own-profile-data': { data: [{ id: 1, value: 'Elsinore' }] },
  'remove-own-profile-data': { data: [1] },

  'create-bot': { full_name: 'Yorick', short_name: 'yorick' },
  'update-bot': { bot_id: BOT, full_name: 'Alas Yorick' },
  'get-bot-api-key': { bot_id: BOT },
  'regenerate-bot-api-key': { bot_id: BOT },
  'deactivate-bot': { bot_id: BOT },
  'update-bot-storage': { storage: { act: 'five' } },

  'create-user-group': { name: 'players', description: 'The tragedians', members: [OWNER] },
  'update-user-group': { user_group_id: GROUP, description: 'The tragedians of the city' },
  'update-user-group-members': { user_group_id: GROUP, add: [OPHELIA] },
  // Group 4 are the moderators.
  'update-user-group-subgroups': { user_group_id: GROUP, add: [4] },
  'get-user-group-members': { user_group_id: GROUP },
  'get-user-group-subgroups': { user_group_id: GROUP },
  'get-is-user-group-member': { user_group_id: GROUP, user_id: OWNER },
  'deactivate-user-group': { user_group_id: GROUP },

  'send-invites': {
    invitee_emails: 'horatio@example.com, laertes@example.com',
    stream_ids: [GENERAL],
  },
  'create-invite-link': { invite_expires_in_minutes: 1440, stream_ids: [GENERAL] },
  'resend-invite': { invite_id: 1 },
  'revoke-invite': { invite_id: 1 },
  'revoke-invite-link': { invite_id: 1 },

  'create-drafts': { drafts: [DRAFT] },
  'edit-draft': { draft_id: 1, draft: { ...DRAFT, content: 'Who’s there?' } },
  'delete-draft': { draft_id: 1 },
  'create-saved-snippet': { title: 'Oath', content: 'Swear by my sword' },
  'edit-saved-snippet': { saved_snippet_id: 1, title: 'The oath' },
  'delete-saved-snippet': { saved_snippet_id: 1 },
  'add-navigation-view': { fragment: 'narrow/is/dm', is_pinned: true, name: 'Direct messages' },
  'update-navigation-view': { fragment: 'narrow/is/dm', is_pinned: false },
  'remove-navigation-view': { fragment: 'narrow/is/dm' },
  'add-alert-words': { alert_words: ['ghost'] },
  'remove-alert-words': { alert_words: ['ghost'] },
  'mark-onboarding-step-as-read': { onboarding_step: 'intro_resolve_topic' },
  'update-settings': { twenty_four_hour_time: true },
  'update-display-settings': { color_scheme: 2 },
  'update-notification-settings': { enable_sounds: false },

  'add-apns-token': {
    token: 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00',
    appid: 'org.example.Chat',
  },
  'remove-apns-token': {
    token: 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00',
  },
  'add-fcm-token': { token: 'dGhlIHJlc3QgaXMgc2lsZW5jZQ' },
  'remove-fcm-token': { token: 'dGhlIHJlc3QgaXMgc2lsZW5jZQ' },
  'register-push-device': { device_id: 1 },
  'remove-client-device': { device_id: 1 },

  'update-realm': { description: 'The *court* at Elsinore', enable_read_receipts: true },
  'update-realm-user-settings-defaults': { enter_sends: true },
  'test-welcome-bot-custom-message': { welcome_message_custom_text: 'Welcome to **Elsinore**' },
  'add-linkifier': { ...LINKIFIER, example_input: '#123', reverse_template: '#{id}' },
  'update-linkifier': { filter_id: 1, ...LINKIFIER },
  'remove-linkifier': { filter_id: 1 },
  'reorder-linkifiers': { ordered_linkifier_ids: [1] },
  'add-realm-domain': { domain: 'example.com', allow_subdomains: false },
  'update-realm-domain': { domain: 'example.com', allow_subdomains: true },
  'remove-realm-domain': { domain: 'example.com' },
  'add-code-playground': {
    name: 'Try it',
    pygments_language: 'Python',
    url_template: 'https://play.example.com/{code}',
  },
  'remove-code-playground': { playground_id: 1 },
  'create-custom-profile-field': { field_type: 1, name: 'Castle' },
  'update-custom-profile-field': { field_id: 1, hint: 'Where you live' },
  'reorder-custom-profile-fields': { order: [1] },
  'delete-custom-profile-field': { field_id: 1 },
  'deactivate-custom-emoji': { emoji_name: 'skull' },
  'delete-realm-export': { export_id: 1 },
  'create-video-call': { provider: 'zoom' },
  'get-video-call': { provider: 'bigbluebutton' },
  'check-subdomain': { subdomain: 'elsinore' },
  zcommand: { command: '/ping' },
};
