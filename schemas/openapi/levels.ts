/**
 * Changes by feature level since 248 that the specification's table (`changes.ts`) does not have, or of which it does
 * not name the fields, one a line: level, operations or a set of them, what changed (empty where that table says it),
 * and the parameters and fields of replies that came with it. docs/contract/levels.md says what this server does about
 * each level.
 */
const TABLE = String.raw`
248 | send-message set-typing-status update-scheduled-message | channel accepted as type.
249 | narrows | Filter has:reaction.
250 | narrows | Filters channel and channels.
251 | register-queue | realm_upload_quota_mib is in MiB.
252 | update-custom-profile-field | All parameters but the id are optional.
253 | settings | Setting added. | receives_typing_notifications
257 | register-queue get-server-settings | Replaces realm_uri, which stays. | realm_url
258 | groups | May be any set of people and groups. | can_mention_group
259 | register-queue mark-onboarding-step-as-read | Steps are one-time notices only.
260 | update-user-group | can_mention_group is {new, old}.
261 | invitations | | include_realm_default_subscriptions
262 | get-user-status | Introduced.
263 | update-presence | | last_update_id presence_last_update_id
263 | register-queue | Cursor of presences added. | presence_last_update_id
264 | realm | Replaces create_public_stream_policy. | can_create_public_channel_group
265 | narrows | Filter is:followed.
266 | realm | Replaces create_private_stream_policy. | can_create_private_channel_group
267 | send-invites | | notify_referrer_on_join
268 | settings | Setting added. | web_navigate_to_sent_message
269 | settings | Setting added. | web_channel_default_view
270 | realm | Replace private_message_policy. | direct_message_initiator_group direct_message_permission_group
271 | narrows | Filter with.
272 | upload-file | Replaces uri, which stays. | url
273 | register-queue | Sizes of thumbnails added. | server_thumbnail_formats
275 | settings | Setting added. | web_animate_image_previews
280 | realm | Replaces create_web_public_stream_policy. | can_create_web_public_channel_group
281 | realm | Permission added. | can_delete_any_message_group
283 | groups | Permission added. | can_manage_group
284 | get-messages get-message | No prev_rendered_content_version in edit_history.
285 | update-message | Files that lost their last link are told. | detached_uploads
286 | upload-file | Name of the file as it was given. | filename
288 | update-presence | | history_limit_days
288 | register-queue get-events | Limit of the presences added. | presence_history_limit_days
289 | subscribe | The reply names people by id, not by address.
290 | deactivate-user-group | Introduced.
291 | realm | Replaces delete_own_message_policy. | can_delete_own_message_group
292 | get-user-groups | creator_id and date_created added to groups.
293 | update-settings | Setting added. | allow_private_data_export
294 | get-user-groups | Name of allow_deactivated from then on. | include_deactivated_groups
295 | get-realm-export-consents | Introduced.
296 | profile-fields | Whether people may change their own value. | editable_by_user
297 | get-saved-snippets create-saved-snippet delete-saved-snippet | Introduced.
297 | register-queue | Saved snippets added. | saved_snippets
298 | deactivate-user-group | A group in use is refused with CANNOT_DEACTIVATE_GROUP_IN_USE.
299 | realm | Replace user_group_edit_policy. | can_create_groups can_manage_all_groups
300 | get-messages | Messages may be named by their ids. | message_ids
301 | groups | Permission added. | can_join_group
302 | get-user-by-email | Addresses are looked up as far as the caller may see them.
303 | update-user-group-members get-user-group-members | Deactivated people are no members.
305 | groups | Permission added. | can_add_members_group
307 | realm | Replaces add_custom_emoji_policy. | can_add_custom_emoji_group
308 | groups | Permission added. | can_leave_group
310 | realm | Replaces move_messages_between_streams_policy. | can_move_messages_between_channels_group
311 | update-user-group-members create-user-group | Subgroups change with members. | add_subgroups delete_subgroups subgroups
313 | update-user | The address may be changed. | new_email
313 | update-user-by-email | Introduced.
314 | update-realm | create_multiuse_invite_group may be any set of people and groups.
315 | get-channels | Archived channels are left out by default. | exclude_archived
316 | realm | Replaces edit_topic_policy. | can_move_messages_between_topics_group
317 | create-user-group | Id of the new group added. | group_id
320 | channels | can_remove_subscribers_group may be any set of people and groups.
321 | realm | Replaces invite_to_realm_policy. | can_invite_users_group
322 | invitations | | group_ids
324 | groups | Permission added. | can_remove_members_group
325 | channels | Permission added. | can_administer_channel_group
327 | get-messages get-message | Both directions of a direct conversation have one recipient_id.
329 | settings | Setting added. | web_suggest_update_timezone
330 | register-queue | Default channels are ids only. | realm_default_streams
331 | realm | Channel of reports added. | moderation_request_channel_id
332 | register-queue | Times of a deactivated organization added. | server_min_deactivated_realm_deletion_days server_max_deactivated_realm_deletion_days
333 | channels | Replaces stream_post_policy and is_announcement_only. | can_send_message_group
334 | get-messages get-message get-channel-topics | The empty topic may be shown as it is. | allow_empty_topic_name
334 | get-message-history | | allow_empty_topic_name
334 | register-queue | Name of the empty topic added. | realm_empty_topic_display_name
335 | get-channel-email-address | Messages may come from the caller or a bot of theirs. | sender_id
338 | register-queue | Longest password added. | password_max_length
341 | realm | Replaces invite_to_stream_policy; register has no can_subscribe_other_users. | can_add_subscribers_group
342 | channels | Permission added. | can_add_subscribers_group
344 | realm | Replace bot_creation_policy. | can_create_bots_group can_create_write_only_bots_group
348 | realm | Warning before messages to guests added. | enable_guest_user_dm_warning
349 | subscribe unsubscribe update-channel | Channel administrators need no subscription, but for privacy and subscribers.
350 | realm | Summaries of topics added. | can_summarize_topics_group
350 | register-queue | Summaries of topics added. | server_can_summarize_topics
350 | settings | Setting added. | hide_ai_features
352 | realm | Replaces wildcard_mention_policy. | can_mention_many_users_group
354 | get-messages get-message add-reaction remove-reaction get-read-receipts update-message send-message add-submessage | Private channels are open to people with content access who do not subscribe.
355 | update-message-flags update-message-flags-for-narrow | Channels whose messages cannot become unread are told. | ignored_because_not_subscribed_channels
356 | get-channels | Channels with content access; include_all_active is include_all, for everybody. | include_can_access_content include_all
357 | channels | Permission added. | can_subscribe_group
358 | realm | Replaces allow_edit_history. | message_edit_history_visibility_policy
359 | update-bot | A new owner takes no subscription away.
360 | get-message get-read-receipts | Messages of archived channels can be read.
362 | subscribe unsubscribe update-channel | Archived channels change as others do.
363 | realm | Billing added; is_billing_admin ended. | can_manage_billing_group
363 | register-queue | Billing added; is_billing_admin ended. | realm_billing
365 | get-messages get-message | last_moved_timestamp added; last_edit_timestamp is of the content only.
366 | narrows | Filter is:muted.
367 | realm | Permission added. | can_resolve_topics_group
368 | edit-saved-snippet | Introduced.
369 | register-queue | Film of a tour added. | navigation_tour_video_url
370 | update-scheduled-message | (no topic) is read as the empty text.
372 | set-typing-status | (no topic) is read as the empty text.
379 | update-message | Edits that cross another one are refused. | prev_content_sha256
380 | register-queue | True for administrators too. | is_moderator
381 | create-reminder | Introduced.
382 | report-message | Introduced.
383 | settings | web_channel_default_view may be 3.
384 | get-users | People may be named by their ids. | user_ids
385 | settings | Setting added. | resolved_topic_notice_auto_read_policy
386 | update-user-group | | deactivated
388 | update-channel | Archived channels come back by false. | is_archived
389 | get-channel-folders create-channel-folder update-channel-folder | Introduced.
389 | channels | Folder added. | folder_id
389 | register-queue | Folders added. | channel_folders
390 | get-navigation-views update-navigation-view remove-navigation-view | Introduced.
390 | register-queue | Navigation views added. | navigation_views
391 | update-user-group-members update-user-group-subgroups | Deactivated groups may change.
392 | realm | Replace mandatory_topics. | topics_policy can_set_topics_policy_group
392 | channels | Policy for the empty topic added. | topics_policy
394 | get-channels get-channel | subscriber_count added.
396 | channels | Permissions added. | can_move_messages_within_channel_group can_move_messages_out_of_channel_group
397 | subscribe | Whether new subscribers are told. | send_new_subscription_messages new_subscription_messages_sent
397 | register-queue | Bound of such messages added. | max_bulk_new_subscription_messages
398 | settings | Setting added. | web_left_sidebar_unreads_count_summary
399 | get-reminders delete-reminder | Introduced.
399 | register-queue | Reminders added. | reminders
401 | settings | web_channel_default_view may be 4.
402 | channels | Permission added. | can_resolve_topics_group
404 | channels | topics_policy may be empty_topic_only.
407 | channels | Permissions added. | can_delete_any_message_group can_delete_own_message_group
407 | realm | Permission added. | can_set_delete_message_policy_group
407 | update-user-status | Introduced.
409 | realm | Setting added. | require_e2ee_push_notifications
410 | register-queue | Lengths of folders added. | max_channel_folder_name_length max_channel_folder_description_length
411 | settings | Setting added. | web_left_sidebar_show_channel_folders
412 | register-queue get-subscriptions | include_subscribers may be partial.
414 | reorder-channel-folders | Introduced.
415 | create-reminder | Notes added. | note
415 | register-queue | Longest note added. | max_reminder_note_length
416 | invitations | | welcome_message_custom_text
416 | realm | Greeting added. | welcome_message_custom_text
416 | test-welcome-bot-custom-message | Introduced.
417 | create-channel | Introduced.
420 | send-encrypted-test-notification | Introduced.
426 | register-queue | realm_is_zephyr_mirror_realm ended.
430 | get-realm-export-consents | email_address_visibility added.
431 | settings | Setting added. | web_inbox_show_channel_folders
432 | register-push-device | Replaces push_public_key. | push_key
433 | get-users get-user get-user-by-email get-own-user | is_imported_stub added.
434 | realm | Setting added. | send_channel_events_messages
435 | register-queue | Reasons for reports added. | server_report_message_types
435 | report-message | Reasons are the keys of a list of the server.
438 | register-queue | Access of owners added. | realm_owner_full_content_access
440 | get-user-channels | Introduced.
441 | channels | Permission added. | can_create_topic_group
442 | register-queue | Key of Tenor added. | tenor_api_key
443 | get-attachments update-message | Times are in seconds.
444 | update-settings | | target_users
445 | get-messages | Anchor date added. | anchor_date
446 | narrows | Filter mentions.
447 | update-bot | The address may be changed. | short_name
453 | realm | New names of the ratings of GIFs. | gif_rating_policy
453 | register-queue | New names of the ratings of GIFs. | gif_rating_policy_options
455 | profile-fields | Whether people are found by the field. | use_for_user_matching
456 | realm | Setting added. | default_avatar_source
458 | get-user-channels get-subscription-status | Bots can be asked about.
459 | deactivate-user | Deletions added; here any true is refused. | actions
463 | get-bot-api-key | Introduced.
466 | register-queue | Identity of the organization added; avatar_source may be J. | realm_uuid
468 | register-client-device | Introduced.
468 | register-push-device send-encrypted-test-notification | Made anew for devices. | device_id
468 | register-queue | Replaces push_devices. | devices
469 | realm | Setting added. | media_preview_size
470 | remove-client-device | Introduced.
471 | linkifiers | | example_input reverse_template
472 | get-attachments | message_ids replaces messages.
473 | update-user-status | For bots with the rights of administrators too.
474 | register-queue | Bots without key and without what is in the account. | realm_bots
475 | get-users get-user get-user-by-email get-own-user | date_joined becomes the time of the first login.
476 | profile-fields | display_in_profile_summary may be true for paragraphs.
477 | realm | Setting added. | workplace_users_group
478 | linkifiers | Further templates for links that become short again. | alternative_url_templates
479 | get-thumbnail-status | Introduced.
480 | get-channel get-subscribers get-channel-topics | Archived channels can be asked about.
481 | register-queue get-events | Life of a queue without requests. | idle_queue_timeout idle_queue_timeout_secs
486 | register-queue | Key of KLIPY added. | klipy_api_key
487 | get-user-presence | In the modern form. | presence
488 | get-server-settings | discord added to authentication_methods.
489 | narrows | Filter channels:archived.
492 | regenerate-own-api-key | Devices are logged out.
493 | register-queue | Webex added. | has_webex_token
496 | create-user-group | Bots may call it.
497 | get-user-presence | In the legacy form too; time of the server added. | server_timestamp
499 | get-realm-exports | Exports of another server are marked. | exports
500 | realm | Notices that are not encrypted are no longer sent. | require_e2ee_push_notifications
`;

const SETS: Readonly<Record<string, string>> = {
  narrows: 'get-messages check-messages-match-narrow update-message-flags-for-narrow',
  settings:
    'update-settings update-display-settings update-notification-settings update-realm-user-settings-defaults',
  channels: 'subscribe create-channel update-channel',
  groups: 'create-user-group update-user-group',
  invitations: 'send-invites create-invite-link',
  linkifiers: 'add-linkifier update-linkifier',
  'profile-fields': 'create-custom-profile-field update-custom-profile-field',
  // A setting of the organization: the parameter that sets it, and the field `realm_{name}` of register.
  realm: 'update-realm register-queue',
};

/** A change of one operation. */
export interface LevelChange {
  readonly level: number;
  readonly operation: string;
  /** Empty where the specification's table says it. */
  readonly text: string;
  /** Parameters and fields of replies that came with it. */
  readonly fields: readonly string[];
}

export const LEVEL_CHANGES: readonly LevelChange[] = TABLE.trim()
  .split('\n')
  .flatMap(changesOfLine);

function changesOfLine(line: string): LevelChange[] {
  const [level = '', set = '', text = '', names = ''] = line.split('|').map((cell) => cell.trim());
  const fields = names === '' ? [] : names.split(' ');
  return (SETS[set] ?? set).split(' ').map((operation) => ({
    level: Number(level),
    operation,
    text,
    fields:
      set === 'realm' && operation === 'register-queue'
        ? fields.map((field) => `realm_${field}`)
        : fields,
  }));
}

const BY_OPERATION = new Map<string, LevelChange[]>();
for (const one of LEVEL_CHANGES) {
  const known = BY_OPERATION.get(one.operation);
  if (known) known.push(one);
  else BY_OPERATION.set(one.operation, [one]);
}

/** What levels changed about an operation, in words; `changes.ts` has the rest. */
export function levelTexts(operation: string): { readonly level: number; readonly text: string }[] {
  return (BY_OPERATION.get(operation) ?? [])
    .filter(({ text }) => text !== '')
    .map(({ level, text, fields }) => ({
      level,
      text: fields.length === 0 ? text : `\`${fields.join('`, `')}\`: ${text}`,
    }));
}

/** Level with which a parameter or a field of the reply came; undefined for what is older. */
export function levelOfField(operation: string, name: string): number | undefined {
  return BY_OPERATION.get(operation)?.find(({ fields }) => fields.includes(name))?.level;
}

/** Newest level that changed an operation. */
export function levelOfOperation(operation: string): number | undefined {
  const levels = (BY_OPERATION.get(operation) ?? []).map(({ level }) => level);
  return levels.length === 0 ? undefined : Math.max(...levels);
}

/** Levels of event types, or of single forms of them, by type and op. */
const EVENT_LEVELS: Readonly<Record<string, number>> = {
  saved_snippets: 297,
  'saved_snippets update': 368,
  realm_export_consent: 312,
  realm_export: 304,
  typing_edit_message: 351,
  channel_folder: 389,
  'channel_folder reorder': 418,
  navigation_view: 390,
  reminders: 399,
  device: 468,
  'realm_emoji add': 491,
  'realm_emoji update_one': 491,
  has_webex_token: 493,
};

/** Level with which a form of an event came; undefined for what is older than 248. */
export function levelOfEvent(type: string, op: string | undefined): number | undefined {
  return EVENT_LEVELS[`${type} ${op}`] ?? EVENT_LEVELS[type];
}
