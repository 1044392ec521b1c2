import { ALL_ENDPOINTS } from '../../../schemas/endpoints.js';
import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
import type { Body } from './client.js';

/**
 * A new key, or no organization, would end the credentials everything else is tried with; an export is told of when it
 * is made, long after its request.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'regenerate-own-api-key',
  'deactivate-realm',
  'export-realm',
]);

/** Every endpoint of the API served over plain HTTP, in a fixed order. */
export const SERVED: readonly EndpointDescriptor[] = ALL_ENDPOINTS.filter(
  ({ operation, atRoot }) => !operation.startsWith('open-event-') && !atRoot,
);

/** Of these, those that may be tried at will. */
export const ENDPOINTS: readonly EndpointDescriptor[] = SERVED.filter(
  ({ operation }) => !LEFT_OUT.has(operation),
);

/** Parameters with which each endpoint succeeds, at least once; absent means none are needed. */
export function validParameters(ids: {
  readonly userId: number;
  readonly streamId: number;
  readonly messageId: number;
  readonly queueId: string;
}): Readonly<Record<string, Body>> {
  const { userId, streamId, messageId, queueId } = ids;
  // The first group after the system groups: the one that `create-user-group` makes.
  const groupId = 9;
  return {
    'delete-realm-export': { export_id: 1 },
    'receive-webhook': { integration: 'json' },
    'create-video-call': { provider: 'zoom' },
    'get-video-call': { provider: 'webex' },
    'test-welcome-bot-custom-message': { welcome_message_custom_text: 'hello' },
    zcommand: { command: '/ping' },
    'get-thumbnail-status': { realm_id: 1, file_path: '00/nothing/absent.txt' },
    'check-subdomain': { subdomain: 'other' },
    'create-drafts': { drafts: [{ type: 'stream', to: [streamId], topic: 't', content: 'c' }] },
    'edit-draft': { draft_id: 1, draft: { type: '', to: [], topic: '', content: 'c' } },
    'delete-draft': { draft_id: 1 },
    'create-saved-snippet': { title: 'greeting', content: 'hello' },
    'edit-saved-snippet': { saved_snippet_id: 1, content: 'hello all' },
    'delete-saved-snippet': { saved_snippet_id: 1 },
    'add-alert-words': { alert_words: ['fire'] },
    'remove-alert-words': { alert_words: ['fire'] },
    'get-channel': { stream_id: streamId },
    'get-channel-id': { stream: 'general' },
    'get-subscribers': { stream_id: streamId },
    'get-channel-topics': { stream_id: streamId },
    'get-channel-email-address': { stream_id: streamId },
    'update-channel': { stream_id: streamId, description: 'fuzzed' },
    // The one that `create-channel` makes: the others post to the first.
    'archive-channel': { stream_id: streamId + 1 },
    'create-channel': { name: 'fuzzed', subscribers: [userId] },
    'add-default-channel': { stream_id: streamId },
    'remove-default-channel': { stream_id: streamId },
    'update-subscriptions': { add: [{ name: 'general' }] },
    'create-channel-folder': { name: 'fuzzed' },
    'update-channel-folder': { channel_folder_id: 1, description: 'fuzzed' },
    'reorder-channel-folders': { order: [1] },
    'add-reaction': { message_id: messageId, emoji_name: 'tada' },
    'remove-reaction': { message_id: messageId, emoji_name: 'tada' },
    'add-submessage': {
      message_id: messageId,
      msg_type: 'widget',
      content: '{"type":"vote","key":"canned,0","vote":1}',
    },
    'deactivate-custom-emoji': { emoji_name: 'absent' },
    'get-file-temporary-url': { realm_id: 1, path: '00/nothing/absent.txt' },
    'remove-attachment': { attachment_id: 1 },
    'upload-custom-emoji': { emoji_name: 'fuzz' },
    'add-code-playground': {
      name: 'Try',
      pygments_language: 'Python',
      url_template: 'https://play.example/{code}',
    },
    'remove-code-playground': { playground_id: 1 },
    'add-apns-token': { token: 'c0ffee', appid: 'org.example.Chat' },
    'add-fcm-token': { token: 'token' },
    'add-realm-domain': { domain: 'fuzz.example.org', allow_subdomains: true },
    'remove-realm-domain': { domain: 'fuzz.example.org' },
    'update-realm-domain': { domain: 'fuzz.example.org', allow_subdomains: false },
    'send-invites': { invitee_emails: 'fuzz@example.org', stream_ids: [streamId] },
    'resend-invite': { invite_id: 1 },
    'revoke-invite': { invite_id: 2 },
    'revoke-invite-link': { invite_id: 1 },
    'add-linkifier': { pattern: '#(?P<id>[0-9]+)', url_template: 'https://x.example/{id}' },
    'update-linkifier': {
      filter_id: 1,
      pattern: '#(?P<id>[0-9]+)',
      url_template: 'https://y.example/{id}',
    },
    'remove-linkifier': { filter_id: 1 },
    'reorder-linkifiers': { ordered_linkifier_ids: [1] },
    'add-navigation-view': { fragment: 'narrow/is/dm', is_pinned: true, name: 'Mine' },
    'update-navigation-view': { fragment: 'narrow/is/dm', is_pinned: false },
    'remove-navigation-view': { fragment: 'narrow/is/dm' },
    'remove-apns-token': { token: 'c0ffee' },
    'remove-fcm-token': { token: 'token' },
    'remove-client-device': { device_id: 1 },
    'register-push-device': { device_id: 1, push_key_id: 1, push_key: 'x' },
    'create-bot': { full_name: 'Fuzz Bot', short_name: 'fuzz' },
    'create-custom-profile-field': { field_type: 1, name: 'Fuzz' },
    'deactivate-bot': { bot_id: 1 },
    'deactivate-user': { user_id: userId },
    'delete-custom-profile-field': { field_id: 1 },
    'get-bot-api-key': { bot_id: 1 },
    'get-subscription-status': { user_id: userId, stream_id: streamId },
    'get-user-channels': { user_id: userId },
    'get-user-status': { user_id: userId },
    'reactivate-user': { user_id: userId },
    'regenerate-bot-api-key': { bot_id: 1 },
    'remove-own-profile-data': { data: [] },
    'reorder-custom-profile-fields': { order: [] },
    'update-bot': { bot_id: 1, full_name: 'Fuzzed Bot' },
    'update-bot-storage': { storage: { a: 'b' } },
    'update-custom-profile-field': { field_id: 1, hint: 'fuzzed' },
    'update-own-profile-data': { data: [] },
    'update-own-status': { status_text: 'fuzzing' },
    'update-user': { user_id: userId, full_name: 'Fuzzed Owner' },
    'update-user-by-email': { email: 'owner@example.org', full_name: 'Owner' },
    'update-user-status': { user_id: userId, status_text: 'fuzzing' },
    'create-reminder': { message_id: messageId, scheduled_delivery_timestamp: 4_000_000_000 },
    'create-scheduled-message': {
      type: 'direct',
      to: [userId],
      content: 'later',
      scheduled_delivery_timestamp: 4_000_000_000,
    },
    'create-user': { email: 'new@example.org', full_name: 'New', password: 'cedar-window-31-map' },
    'create-user-group': { name: 'fuzzers', description: '', members: [userId] },
    'deactivate-user-group': { user_group_id: groupId },
    'delete-reminder': { reminder_id: 1 },
    'delete-scheduled-message': { scheduled_message_id: 1 },
    // The next one sent: the one that others aim at stays.
    'delete-message': { message_id: messageId + 1 },
    'delete-topic': { stream_id: streamId, topic_name: 'fuzz' },
    'delete-queue': { queue_id: queueId },
    'drop-queue': { queue_id: 'no queue' },
    'fetch-api-key': { username: 'owner@example.org', password: 'iris-lamp-harbor-92' },
    'begin-two-factor': { password: 'iris-lamp-harbor-92' },
    'confirm-two-factor': { code: '000000' },
    'remove-two-factor': { password: 'iris-lamp-harbor-92', code: '000000' },
    'fetch-api-key-by-token': { token: 'no token', include_profile: true },
    'acknowledge-events': { queue_id: queueId, last_event_id: -1 },
    'get-events': { queue_id: queueId, dont_block: true },
    'get-is-user-group-member': { user_group_id: groupId, user_id: userId },
    'update-message': { message_id: messageId, content: 'edited' },
    'get-message-history': { message_id: messageId },
    'set-typing-status-for-message-edit': { message_id: messageId, op: 'start' },
    'render-message': { content: '**bold**' },
    'check-messages-match-narrow': { msg_ids: [messageId], narrow: [] },
    'get-read-receipts': { message_id: messageId },
    'report-message': { message_id: messageId, report_type: 'spam' },
    'get-message': { message_id: messageId },
    'update-user-topic': { stream_id: streamId, topic: 'fuzz', visibility_policy: 1 },
    'mute-topic': { stream_id: streamId, topic: 'fuzz', op: 'add' },
    'mute-user': { muted_user_id: 1 },
    'unmute-user': { muted_user_id: 1 },
    'mark-onboarding-step-as-read': { onboarding_step: 'intro_resolve_topic' },
    'update-message-flags-for-narrow': {
      anchor: 'newest',
      num_before: 5,
      num_after: 0,
      narrow: [],
      op: 'add',
      flag: 'starred',
    },
    'mark-stream-as-read': { stream_id: streamId },
    'mark-topic-as-read': { stream_id: streamId, topic_name: 'fuzz' },
    'get-messages': { anchor: 'newest', num_before: 5, num_after: 5 },
    'get-user': { user_id: userId },
    'get-user-by-email': { email: 'owner@example.org' },
    'get-user-group-members': { user_group_id: groupId },
    'get-user-group-subgroups': { user_group_id: groupId },
    'get-user-presence': { user_id_or_email: userId },
    'register-queue': { fetch_event_types: [], event_types: [] },
    'send-message': { type: 'channel', to: 'general', topic: 'fuzz', content: 'hello' },
    'set-typing-status': { op: 'start', to: [userId] },
    subscribe: { subscriptions: [{ name: 'general' }] },
    unsubscribe: { subscriptions: ['absent'] },
    'update-message-flags': { messages: [messageId], op: 'add', flag: 'starred' },
    'update-presence': { status: 'active' },
    'update-realm': { digest_weekday: 2 },
    'update-realm-user-settings-defaults': { enter_sends: true },
    'update-scheduled-message': { scheduled_message_id: 1, content: 'else' },
    'update-subscription-properties': {
      subscription_data: [{ stream_id: streamId, property: 'pin_to_top', value: false }],
    },
    'update-subscription-property': { stream_id: streamId, property: 'pin_to_top', value: false },
    'update-user-group': { user_group_id: groupId, description: 'changed' },
    'update-user-group-members': { user_group_id: groupId, add: [userId] },
    'update-user-group-subgroups': { user_group_id: groupId, add: [groupId] },
  };
}
