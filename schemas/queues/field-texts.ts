import { fieldTexts } from '../field-texts.js';
import { FEATURE_LEVEL, ZULIP_VERSION } from '../limits.js';

/** Fields of event queues and of the server’s own events. */
export const queueFields = fieldTexts({
  ticket: [
    'Text to be sent as `ticket` when the WebSocket is opened; it works once.',
    'dGlja2V0LTE',
  ],
  expires_in: ['Seconds until the ticket works no more.', 30],
  queue_id: ['Id of the queue.', 'fb67bf8a-c031-47cc-84cf-ed80accacda8'],
  last_event_id: ['Id of an event; the cursor of the queue.', 2047],
  zulip_version: ['Version of the protocol this server speaks.', ZULIP_VERSION],
  zulip_merge_base: ['The same as `zulip_version`.', ZULIP_VERSION],
  zulip_feature_level: [
    'Newest feature level this server has; changes of the interface are numbered by it.',
    FEATURE_LEVEL,
  ],
  server_generation: ['When the serving process began, UNIX seconds.', 1_750_000_000],
  notification_settings_null:
    'Understands null for notification settings of a channel; otherwise the user’s own value stands there.',
  bulk_message_deletion:
    'Understands `delete_message` with `message_ids`; otherwise each message has an event of its own.',
  user_avatar_url_field_optional: 'Does without `avatar_url` of people who have not come for long.',
  stream_typing_notifications:
    'Wants to know who types in channels; otherwise only in direct conversations.',
  user_settings_object:
    'Understands `user_settings`. No effect since level 439: older forms are gone.',
  linkifier_url_template: 'Understands linkifiers with URL templates; otherwise gets none.',
  user_list_incomplete:
    'Understands that users are missing whom the caller may not see; otherwise placeholders stand for them.',
  include_deactivated_groups: 'Understands deactivated groups; otherwise they seem to be removed.',
  archived_channels: 'Understands archived channels; otherwise they seem to be deleted.',
  empty_topic_name:
    'Understands the empty topic; otherwise the organization’s name for it stands there. Since level 334.',
  simplified_presence_events:
    'Understands presences in the modern form; otherwise gets the older one.',
  individual_emoji_changes:
    'Understands changes of single custom emoji; otherwise gets all of them each time. Since level 491.',
  consented: 'Whether the user allows the export of their private data.',
  'get-realm-export-consents.export_consents': 'Active people, each with what they allow.',
  'export_consents.email_address_visibility': [
    'Who sees the user’s real e-mail address: 1 everybody, 2 members, 3 administrators, 4 nobody, 5 moderators.',
    1,
  ],
  'get-realm-exports.exports': ['Exports that were made over the API; always empty.', []],
  'exports.id': ['Id of the export.', 1],
  'get-thumbnail-status.has_thumbnail': 'Whether the file has a thumbnail; always false.',
});
