/* Made by scripts/client-types.js of the published contract: do not edit. */

export type Success = { result: "success"; msg: ""; ignored_parameters_unsupported?: string[] };

export type Event = AlertWordsEvent | AttachmentAddEvent | AttachmentUpdateEvent | AttachmentRemoveEvent | ChannelFolderAddEvent | ChannelFolderUpdateEvent | ChannelFolderReorderEvent | CustomProfileFieldsEvent | DefaultStreamsEvent | DeleteChannelMessagesEvent | DeleteChannelMessageEvent | DeleteDirectMessagesEvent | DeleteDirectMessageEvent | DeviceAddEvent | DeviceRemoveEvent | DeviceUpdateEvent | DraftsAddEvent | DraftsUpdateEvent | DraftsRemoveEvent | HeartbeatEvent | InvitesChangedEvent | MessageEvent | MutedTopicsEvent | MutedUsersEvent | NavigationViewAddEvent | NavigationViewUpdateEvent | NavigationViewRemoveEvent | OnboardingStepsEvent | PresenceEvent | PresenceEvent2 | ReactionAddEvent | ReactionRemoveEvent | RealmUpdateEvent | RealmUpdateEvent2 | RealmUpdateEvent3 | RealmUpdateEvent4 | RealmUpdateEvent5 | RealmUpdateEvent6 | RealmUpdateEvent7 | RealmUpdateEvent8 | RealmUpdateEvent9 | RealmUpdateEvent10 | RealmUpdateEvent11 | RealmUpdateEvent12 | RealmUpdateEvent13 | RealmUpdateEvent14 | RealmUpdateEvent15 | RealmUpdateEvent16 | RealmUpdateEvent17 | RealmUpdateEvent18 | RealmUpdateEvent19 | RealmUpdateEvent20 | RealmUpdateEvent21 | RealmUpdateEvent22 | RealmUpdateEvent23 | RealmUpdateEvent24 | RealmUpdateEvent25 | RealmUpdateEvent26 | RealmUpdateEvent27 | RealmUpdateEvent28 | RealmUpdateEvent29 | RealmUpdateEvent30 | RealmUpdateEvent31 | RealmUpdateEvent32 | RealmUpdateEvent33 | RealmUpdateEvent34 | RealmUpdateEvent35 | RealmUpdateEvent36 | RealmUpdateEvent37 | RealmUpdateEvent38 | RealmUpdateEvent39 | RealmUpdateEvent40 | RealmUpdateEvent41 | RealmUpdateEvent42 | RealmUpdateDictEvent | RealmUpdateDictEvent2 | RealmUpdateDictEvent3 | RealmUpdateDictEvent4 | RealmUpdateDictEvent5 | RealmDeactivatedEvent | RealmUpdateDictEvent6 | RealmUpdateDictEvent7 | RealmUpdateDictEvent8 | RealmBotAddEvent | RealmBotUpdateEvent | RealmBotDeleteEvent | RealmDomainsAddEvent | RealmDomainsChangeEvent | RealmDomainsRemoveEvent | RealmEmojiAddEvent | RealmEmojiUpdateOneEvent | RealmEmojiUpdateEvent | RealmExportEvent | RealmExportConsentEvent | RealmLinkifiersEvent | RealmPlaygroundsEvent | RealmUserAddEvent | RealmUserRemoveEvent | RealmUserUpdateEvent | RealmUserSettingsDefaultsUpdateEvent | RealmUserSettingsDefaultsUpdateEvent2 | RealmUserSettingsDefaultsUpdateEvent3 | RealmUserSettingsDefaultsUpdateEvent4 | RealmUserSettingsDefaultsUpdateEvent5 | RealmUserSettingsDefaultsUpdateEvent6 | RealmUserSettingsDefaultsUpdateEvent7 | RealmUserSettingsDefaultsUpdateEvent8 | RealmUserSettingsDefaultsUpdateEvent9 | RealmUserSettingsDefaultsUpdateEvent10 | RealmUserSettingsDefaultsUpdateEvent11 | RealmUserSettingsDefaultsUpdateEvent12 | RealmUserSettingsDefaultsUpdateEvent13 | RealmUserSettingsDefaultsUpdateEvent14 | RealmUserSettingsDefaultsUpdateEvent15 | RealmUserSettingsDefaultsUpdateEvent16 | RealmUserSettingsDefaultsUpdateEvent17 | RealmUserSettingsDefaultsUpdateEvent18 | RealmUserSettingsDefaultsUpdateEvent19 | RealmUserSettingsDefaultsUpdateEvent20 | RealmUserSettingsDefaultsUpdateEvent21 | RealmUserSettingsDefaultsUpdateEvent22 | RealmUserSettingsDefaultsUpdateEvent23 | RealmUserSettingsDefaultsUpdateEvent24 | RealmUserSettingsDefaultsUpdateEvent25 | RealmUserSettingsDefaultsUpdateEvent26 | RealmUserSettingsDefaultsUpdateEvent27 | RealmUserSettingsDefaultsUpdateEvent28 | RealmUserSettingsDefaultsUpdateEvent29 | RealmUserSettingsDefaultsUpdateEvent30 | RealmUserSettingsDefaultsUpdateEvent31 | RealmUserSettingsDefaultsUpdateEvent32 | RealmUserSettingsDefaultsUpdateEvent33 | RealmUserSettingsDefaultsUpdateEvent34 | RealmUserSettingsDefaultsUpdateEvent35 | RealmUserSettingsDefaultsUpdateEvent36 | RealmUserSettingsDefaultsUpdateEvent37 | RealmUserSettingsDefaultsUpdateEvent38 | RealmUserSettingsDefaultsUpdateEvent39 | RealmUserSettingsDefaultsUpdateEvent40 | RealmUserSettingsDefaultsUpdateEvent41 | RealmUserSettingsDefaultsUpdateEvent42 | RealmUserSettingsDefaultsUpdateEvent43 | RealmUserSettingsDefaultsUpdateEvent44 | RealmUserSettingsDefaultsUpdateEvent45 | RealmUserSettingsDefaultsUpdateEvent46 | RealmUserSettingsDefaultsUpdateEvent47 | RealmUserSettingsDefaultsUpdateEvent48 | RealmUserSettingsDefaultsUpdateEvent49 | RealmUserSettingsDefaultsUpdateEvent50 | RealmUserSettingsDefaultsUpdateEvent51 | RealmUserSettingsDefaultsUpdateEvent52 | RealmUserSettingsDefaultsUpdateEvent53 | RealmUserSettingsDefaultsUpdateEvent54 | RealmUserSettingsDefaultsUpdateEvent55 | RealmUserSettingsDefaultsUpdateEvent56 | RealmUserSettingsDefaultsUpdateEvent57 | RealmUserSettingsDefaultsUpdateEvent58 | RealmUserSettingsDefaultsUpdateEvent59 | RemindersAddEvent | RemindersRemoveEvent | RestartEvent | SavedSnippetsAddEvent | SavedSnippetsUpdateEvent | SavedSnippetsRemoveEvent | ScheduledMessagesAddEvent | ScheduledMessagesUpdateEvent | ScheduledMessagesRemoveEvent | StreamCreateEvent | StreamDeleteEvent | StreamUpdateEvent | StreamUpdateEvent2 | StreamUpdateEvent3 | StreamUpdateEvent4 | StreamUpdateEvent5 | StreamUpdateEvent6 | StreamUpdateEvent7 | StreamUpdateEvent8 | SubmessageEvent | SubscriptionAddEvent | SubscriptionRemoveEvent | SubscriptionUpdateEvent | SubscriptionEvent | TypingEvent | TypingEvent2 | TypingEditMessageEvent | UpdateDirectMessageEvent | UpdateMessageContentEvent | UpdateMessageTopicEvent | UpdateMessageContentAndTopicEvent | UpdateMessageChannelEvent | UpdateMessageChannelAndTopicEvent | UpdateMessageRenderingEvent | UpdateMessageFlagsEvent | UserGroupAddEvent | UserGroupUpdateEvent | UserGroupAddMembersEvent | UserGroupRemoveMembersEvent | UserGroupAddSubgroupsEvent | UserGroupRemoveSubgroupsEvent | UserGroupRemoveEvent | UserSettingsUpdateEvent | UserStatusEvent | UserTopicEvent;

export type AlertWordsEvent = { id: number; type: "alert_words"; alert_words: string[] };

export type AttachmentAddEvent = { id: number; type: "attachment"; op: "add"; attachment: Attachment; upload_space_used: number };

export type AttachmentUpdateEvent = { id: number; type: "attachment"; op: "update"; attachment: Attachment; upload_space_used: number };

export type AttachmentRemoveEvent = { id: number; type: "attachment"; op: "remove"; attachment: { id: number }; upload_space_used: number };

export type ChannelFolderAddEvent = { id: number; type: "channel_folder"; op: "add"; channel_folder: ChannelFolder };

export type ChannelFolderUpdateEvent = { id: number; type: "channel_folder"; op: "update"; channel_folder_id: number; data: { name?: string; description?: string; rendered_description?: string; is_archived?: boolean } };

export type ChannelFolderReorderEvent = { id: number; type: "channel_folder"; op: "reorder"; order: number[] };

export type CustomProfileFieldsEvent = { id: number; type: "custom_profile_fields"; fields: ({ id: number; type: number; order: number; name: string; hint: string; field_data: string; required: boolean; editable_by_user: boolean; display_in_profile_summary?: true; use_for_user_matching?: true })[] };

export type DefaultStreamsEvent = { id: number; type: "default_streams"; default_streams: number[] };

export type DeleteChannelMessagesEvent = { id: number; type: "delete_message"; message_type: "stream"; stream_id: number; topic: string; message_ids: number[]; message_id?: undefined };

export type DeleteChannelMessageEvent = { id: number; type: "delete_message"; message_type: "stream"; stream_id: number; topic: string; message_ids?: undefined; message_id: number };

export type DeleteDirectMessagesEvent = { id: number; type: "delete_message"; message_type: "private"; stream_id?: undefined; topic?: undefined; message_ids: number[]; message_id?: undefined };

export type DeleteDirectMessageEvent = { id: number; type: "delete_message"; message_type: "private"; stream_id?: undefined; topic?: undefined; message_ids?: undefined; message_id: number };

export type DeviceAddEvent = { id: number; type: "device"; op: "add"; device_id: number };

export type DeviceRemoveEvent = { id: number; type: "device"; op: "remove"; device_id: number };

export type DeviceUpdateEvent = { id: number; type: "device"; op: "update"; device_id: number; push_key_id?: number | null; push_token_id?: string | null; pending_push_token_id?: string | null; push_token_last_updated_timestamp?: number | null; push_registration_error_code?: string | null };

export type DraftsAddEvent = { id: number; type: "drafts"; op: "add"; drafts: Draft[] };

export type DraftsUpdateEvent = { id: number; type: "drafts"; op: "update"; draft: Draft };

export type DraftsRemoveEvent = { id: number; type: "drafts"; op: "remove"; draft_id: number };

export type HeartbeatEvent = { id: number; type: "heartbeat" };

export type InvitesChangedEvent = { id: number; type: "invites_changed" };

export type MessageEvent = { id: number; type: "message"; message: EventMessage; flags: string[]; local_message_id?: string; notice?: "direct_message" | "mention" | "followed_topic_wildcard" | "wildcard" | "alert_word" | "followed_topic" | "channel" };

export type MutedTopicsEvent = { id: number; type: "muted_topics"; muted_topics: ([string, string, number])[] };

export type MutedUsersEvent = { id: number; type: "muted_users"; muted_users: MutedUser[] };

export type NavigationViewAddEvent = { id: number; type: "navigation_view"; op: "add"; navigation_view: NavigationView };

export type NavigationViewUpdateEvent = { id: number; type: "navigation_view"; op: "update"; fragment: string; data: { is_pinned?: boolean; name?: string } };

export type NavigationViewRemoveEvent = { id: number; type: "navigation_view"; op: "remove"; fragment: string };

export type OnboardingStepsEvent = { id: number; type: "onboarding_steps"; onboarding_steps: OnboardingStep[] };

export type PresenceEvent = { id: number; type: "presence"; presences: Record<string, { active_timestamp: number; idle_timestamp: number }> };

export type PresenceEvent2 = { id: number; type: "presence"; user_id: number; email?: string; server_timestamp: number; presence: Record<string, { client: string; status: "active" | "idle"; timestamp: number; pushable: boolean }> };

export type ReactionAddEvent = { id: number; type: "reaction"; op: "add"; message_id: number; user_id: number; user: { user_id: number; email: string; full_name: string }; emoji_name: string; emoji_code: string; reaction_type: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji" };

export type ReactionRemoveEvent = { id: number; type: "reaction"; op: "remove"; message_id: number; user_id: number; user: { user_id: number; email: string; full_name: string }; emoji_name: string; emoji_code: string; reaction_type: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji" };

export type RealmUpdateEvent = { id: number; type: "realm"; op: "update"; property: "org_type"; value: 0 | 10 | 20 | 30 | 35 | 40 | 50 | 60 | 70 | 80 | 90 | 100 | 1000 };

export type RealmUpdateEvent2 = { id: number; type: "realm"; op: "update"; property: "want_advertise_in_communities_directory"; value: boolean };

export type RealmUpdateEvent3 = { id: number; type: "realm"; op: "update"; property: "enable_spectator_access"; value: boolean };

export type RealmUpdateEvent4 = { id: number; type: "realm"; op: "update"; property: "invite_required"; value: boolean };

export type RealmUpdateEvent5 = { id: number; type: "realm"; op: "update"; property: "emails_restricted_to_domains"; value: boolean };

export type RealmUpdateEvent6 = { id: number; type: "realm"; op: "update"; property: "disallow_disposable_email_addresses"; value: boolean };

export type RealmUpdateEvent7 = { id: number; type: "realm"; op: "update"; property: "require_unique_names"; value: boolean };

export type RealmUpdateEvent8 = { id: number; type: "realm"; op: "update"; property: "send_welcome_emails"; value: boolean };

export type RealmUpdateEvent9 = { id: number; type: "realm"; op: "update"; property: "welcome_message_custom_text"; value: string };

export type RealmUpdateEvent10 = { id: number; type: "realm"; op: "update"; property: "name_changes_disabled"; value: boolean };

export type RealmUpdateEvent11 = { id: number; type: "realm"; op: "update"; property: "email_changes_disabled"; value: boolean };

export type RealmUpdateEvent12 = { id: number; type: "realm"; op: "update"; property: "avatar_changes_disabled"; value: boolean };

export type RealmUpdateEvent13 = { id: number; type: "realm"; op: "update"; property: "default_avatar_source"; value: "G" | "J" };

export type RealmUpdateEvent14 = { id: number; type: "realm"; op: "update"; property: "message_edit_history_visibility_policy"; value: "all" | "moves" | "none" };

export type RealmUpdateEvent15 = { id: number; type: "realm"; op: "update"; property: "enable_read_receipts"; value: boolean };

export type RealmUpdateEvent16 = { id: number; type: "realm"; op: "update"; property: "inline_image_preview"; value: boolean };

export type RealmUpdateEvent17 = { id: number; type: "realm"; op: "update"; property: "inline_url_embed_preview"; value: boolean };

export type RealmUpdateEvent18 = { id: number; type: "realm"; op: "update"; property: "message_content_allowed_in_email_notifications"; value: boolean };

export type RealmUpdateEvent19 = { id: number; type: "realm"; op: "update"; property: "digest_emails_enabled"; value: boolean };

export type RealmUpdateEvent20 = { id: number; type: "realm"; op: "update"; property: "digest_weekday"; value: 0 | 1 | 2 | 3 | 4 | 5 | 6 };

export type RealmUpdateEvent21 = { id: number; type: "realm"; op: "update"; property: "send_channel_events_messages"; value: boolean };

export type RealmUpdateEvent22 = { id: number; type: "realm"; op: "update"; property: "enable_guest_user_indicator"; value: boolean };

export type RealmUpdateEvent23 = { id: number; type: "realm"; op: "update"; property: "enable_guest_user_dm_warning"; value: boolean };

export type RealmUpdateEvent24 = { id: number; type: "realm"; op: "update"; property: "gif_rating_policy"; value: 0 | 1 | 2 | 3 | 4 | 5 };

export type RealmUpdateEvent25 = { id: number; type: "realm"; op: "update"; property: "require_e2ee_push_notifications"; value: boolean };

export type RealmUpdateEvent26 = { id: number; type: "realm"; op: "update"; property: "presence_disabled"; value: boolean };

export type RealmUpdateEvent27 = { id: number; type: "realm"; op: "update"; property: "new_stream_announcements_stream_id"; value: number };

export type RealmUpdateEvent28 = { id: number; type: "realm"; op: "update"; property: "signup_announcements_stream_id"; value: number };

export type RealmUpdateEvent29 = { id: number; type: "realm"; op: "update"; property: "zulip_update_announcements_stream_id"; value: number };

export type RealmUpdateEvent30 = { id: number; type: "realm"; op: "update"; property: "moderation_request_channel_id"; value: number };

export type RealmUpdateEvent31 = { id: number; type: "realm"; op: "update"; property: "name"; value: string };

export type RealmUpdateEvent32 = { id: number; type: "realm"; op: "update"; property: "default_language"; value: string };

export type RealmUpdateEvent33 = { id: number; type: "realm"; op: "update"; property: "waiting_period_threshold"; value: number };

export type RealmUpdateEvent34 = { id: number; type: "realm"; op: "update"; property: "message_content_delete_limit_seconds"; value: number | null };

export type RealmUpdateEvent35 = { id: number; type: "realm"; op: "update"; property: "move_messages_within_stream_limit_seconds"; value: number | null };

export type RealmUpdateEvent36 = { id: number; type: "realm"; op: "update"; property: "move_messages_between_streams_limit_seconds"; value: number | null };

export type RealmUpdateEvent37 = { id: number; type: "realm"; op: "update"; property: "message_retention_days"; value: number };

export type RealmUpdateEvent38 = { id: number; type: "realm"; op: "update"; property: "default_code_block_language"; value: string };

export type RealmUpdateEvent39 = { id: number; type: "realm"; op: "update"; property: "media_preview_size"; value: number };

export type RealmUpdateEvent40 = { id: number; type: "realm"; op: "update"; property: "video_chat_provider"; value: 0 | 1 | 3 | 4 | 5 };

export type RealmUpdateEvent41 = { id: number; type: "realm"; op: "update"; property: "jitsi_server_url"; value: string | null };

export type RealmUpdateEvent42 = { id: number; type: "realm"; op: "update"; property: "require_two_factor"; value: "nobody" | "administrators" | "everyone" };

export type RealmUpdateDictEvent = { id: number; type: "realm"; op: "update_dict"; property: "default"; data: { allow_message_editing: boolean; message_content_edit_limit_seconds: number | null } };

export type RealmUpdateDictEvent2 = { id: number; type: "realm"; op: "update_dict"; property: "default"; data: { description: string; rendered_description: string } };

export type RealmUpdateDictEvent3 = { id: number; type: "realm"; op: "update_dict"; property: "default"; data: { topics_policy: "allow_empty_topic" | "disable_empty_topic"; mandatory_topics: boolean } };

export type RealmUpdateDictEvent4 = { id: number; type: "realm"; op: "update_dict"; property: "default"; data: { authentication_methods: Record<string, { enabled: boolean; available: boolean }> } };

export type RealmUpdateDictEvent5 = { id: number; type: "realm"; op: "update_dict"; property: "default"; data: { create_multiuse_invite_group?: GroupSettingValue; can_access_all_users_group?: GroupSettingValue; can_add_subscribers_group?: GroupSettingValue; can_add_custom_emoji_group?: GroupSettingValue; can_create_bots_group?: GroupSettingValue; can_create_write_only_bots_group?: GroupSettingValue; can_create_groups?: GroupSettingValue; can_create_public_channel_group?: GroupSettingValue; can_create_private_channel_group?: GroupSettingValue; can_create_web_public_channel_group?: GroupSettingValue; can_delete_any_message_group?: GroupSettingValue; can_delete_own_message_group?: GroupSettingValue; can_invite_users_group?: GroupSettingValue; can_manage_all_groups?: GroupSettingValue; can_manage_billing_group?: GroupSettingValue; can_mention_many_users_group?: GroupSettingValue; can_move_messages_between_channels_group?: GroupSettingValue; can_move_messages_between_topics_group?: GroupSettingValue; can_resolve_topics_group?: GroupSettingValue; can_set_delete_message_policy_group?: GroupSettingValue; can_set_topics_policy_group?: GroupSettingValue; can_summarize_topics_group?: GroupSettingValue; direct_message_initiator_group?: GroupSettingValue; direct_message_permission_group?: GroupSettingValue; workplace_users_group?: GroupSettingValue } };

export type RealmDeactivatedEvent = { id: number; type: "realm"; op: "deactivated"; realm_id: number };

export type RealmUpdateDictEvent6 = { id: number; type: "realm"; op: "update_dict"; property: "icon"; data: { icon_url: string; icon_source: "G" | "U" } };

export type RealmUpdateDictEvent7 = { id: number; type: "realm"; op: "update_dict"; property: "logo"; data: { logo_url: string; logo_source: "D" | "U" } };

export type RealmUpdateDictEvent8 = { id: number; type: "realm"; op: "update_dict"; property: "night_logo"; data: { night_logo_url: string; night_logo_source: "D" | "U" } };

export type RealmBotAddEvent = { id: number; type: "realm_bot"; op: "add"; bot: { user_id: number; default_all_public_streams: boolean; default_events_register_stream: string | null; default_sending_stream: string | null; services: BotService[] } };

export type RealmBotUpdateEvent = { id: number; type: "realm_bot"; op: "update"; bot: { user_id: number; default_all_public_streams?: boolean; default_events_register_stream?: string | null; default_sending_stream?: string | null; services?: BotService[] } };

export type RealmBotDeleteEvent = { id: number; type: "realm_bot"; op: "delete"; bot: { user_id: number } };

export type RealmDomainsAddEvent = { id: number; type: "realm_domains"; op: "add"; realm_domain: AllowedDomain };

export type RealmDomainsChangeEvent = { id: number; type: "realm_domains"; op: "change"; realm_domain: AllowedDomain };

export type RealmDomainsRemoveEvent = { id: number; type: "realm_domains"; op: "remove"; domain: string };

export type RealmEmojiAddEvent = { id: number; type: "realm_emoji"; op: "add"; emoji: CustomEmoji };

export type RealmEmojiUpdateOneEvent = { id: number; type: "realm_emoji"; op: "update_one"; emoji_id: string; data: { deactivated: boolean } };

export type RealmEmojiUpdateEvent = { id: number; type: "realm_emoji"; op: "update"; realm_emoji: Record<string, CustomEmoji> };

export type RealmExportEvent = { id: number; type: "realm_export"; exports: RealmExport[] };

export type RealmExportConsentEvent = { id: number; type: "realm_export_consent"; user_id: number; consented: boolean };

export type RealmLinkifiersEvent = { id: number; type: "realm_linkifiers"; realm_linkifiers: Linkifier[] };

export type RealmPlaygroundsEvent = { id: number; type: "realm_playgrounds"; realm_playgrounds: Playground[] };

export type RealmUserAddEvent = { id: number; type: "realm_user"; op: "add"; person: { user_id: number; delivery_email: string | null; email: string; full_name: string; date_joined: string; is_active: boolean; is_owner: boolean; is_admin: boolean; is_guest: boolean; is_bot: boolean; bot_type: number | null; bot_owner_id: number | null; role: number; timezone: string; avatar_url: string | null; avatar_version: number; is_imported_stub: boolean; presence_enabled: boolean; is_deleted?: boolean; is_system_bot?: boolean; profile_data?: Record<string, { value: string; rendered_value?: string }> } };

export type RealmUserRemoveEvent = { id: number; type: "realm_user"; op: "remove"; person: { user_id: number; full_name: string } };

export type RealmUserUpdateEvent = { id: number; type: "realm_user"; op: "update"; person: { user_id: number; full_name: string } | { user_id: number; avatar_source: "G" | "U" | "J"; avatar_url: string; avatar_url_medium: string; avatar_version: number } | { user_id: number; email: string; timezone: string } | { user_id: number; bot_owner_id: number } | { user_id: number; role: number } | { user_id: number; delivery_email: string | null } | { user_id: number; custom_profile_field: { id: number; value: string | null; rendered_value?: string } } | { user_id: number; new_email: string } | { user_id: number; is_active: boolean } | { user_id: number; date_joined: string } | { user_id: number; is_imported_stub: false } | { user_id: number; presence_enabled: boolean } };

export type RealmUserSettingsDefaultsUpdateEvent = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "twenty_four_hour_time"; value: boolean | null };

export type RealmUserSettingsDefaultsUpdateEvent2 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_mark_read_on_scroll_policy"; value: 1 | 2 | 3 };

export type RealmUserSettingsDefaultsUpdateEvent3 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_channel_default_view"; value: 1 | 2 | 3 | 4 };

export type RealmUserSettingsDefaultsUpdateEvent4 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "starred_message_counts"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent5 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "receives_typing_notifications"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent6 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_suggest_update_timezone"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent7 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "fluid_layout_width"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent8 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "high_contrast_mode"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent9 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_font_size_px"; value: number };

export type RealmUserSettingsDefaultsUpdateEvent10 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_line_height_percent"; value: number };

export type RealmUserSettingsDefaultsUpdateEvent11 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "color_scheme"; value: 1 | 2 | 3 };

export type RealmUserSettingsDefaultsUpdateEvent12 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_drafts_synchronization"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent13 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "translate_emoticons"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent14 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "display_emoji_reaction_users"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent15 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_home_view"; value: "recent" | "inbox" | "all_messages" };

export type RealmUserSettingsDefaultsUpdateEvent16 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_escape_navigates_to_home_view"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent17 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "left_side_userlist"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent18 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "emojiset"; value: "text" | "emoji_set_a" | "emoji_set_b" | "google" | "google-blob" | "twitter" };

export type RealmUserSettingsDefaultsUpdateEvent19 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "demote_inactive_streams"; value: 1 | 2 | 3 };

export type RealmUserSettingsDefaultsUpdateEvent20 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "user_list_style"; value: 1 | 2 | 3 };

export type RealmUserSettingsDefaultsUpdateEvent21 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_animate_image_previews"; value: "always" | "on_hover" | "never" };

export type RealmUserSettingsDefaultsUpdateEvent22 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_stream_unreads_count_display_policy"; value: 1 | 2 | 3 };

export type RealmUserSettingsDefaultsUpdateEvent23 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "hide_ai_features"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent24 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_inbox_show_channel_folders"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent25 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_left_sidebar_show_channel_folders"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent26 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_left_sidebar_unreads_count_summary"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent27 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_stream_desktop_notifications"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent28 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_stream_email_notifications"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent29 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_stream_push_notifications"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent30 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_stream_audible_notifications"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent31 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "notification_sound"; value: string };

export type RealmUserSettingsDefaultsUpdateEvent32 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_desktop_notifications"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent33 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_sounds"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent34 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "email_notifications_batching_period_seconds"; value: number };

export type RealmUserSettingsDefaultsUpdateEvent35 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_offline_email_notifications"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent36 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_offline_push_notifications"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent37 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_online_push_notifications"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent38 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_followed_topic_desktop_notifications"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent39 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_followed_topic_email_notifications"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent40 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_followed_topic_push_notifications"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent41 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_followed_topic_audible_notifications"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent42 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_digest_emails"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent43 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "message_content_in_email_notifications"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent44 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "pm_content_in_desktop_notifications"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent45 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "wildcard_mentions_notify"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent46 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enable_followed_topic_wildcard_mentions_notify"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent47 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "desktop_icon_count_display"; value: 1 | 2 | 3 | 4 };

export type RealmUserSettingsDefaultsUpdateEvent48 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "realm_name_in_email_notifications_policy"; value: 1 | 2 | 3 };

export type RealmUserSettingsDefaultsUpdateEvent49 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "automatically_follow_topics_policy"; value: 1 | 2 | 3 | 4 };

export type RealmUserSettingsDefaultsUpdateEvent50 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "automatically_unmute_topics_in_muted_streams_policy"; value: 1 | 2 | 3 | 4 };

export type RealmUserSettingsDefaultsUpdateEvent51 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "automatically_follow_topics_where_mentioned"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent52 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "resolved_topic_notice_auto_read_policy"; value: "always" | "except_followed" | "never" };

export type RealmUserSettingsDefaultsUpdateEvent53 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "presence_enabled"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent54 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "enter_sends"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent55 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "send_private_typing_notifications"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent56 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "send_stream_typing_notifications"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent57 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "send_read_receipts"; value: boolean };

export type RealmUserSettingsDefaultsUpdateEvent58 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "email_address_visibility"; value: 1 | 2 | 3 | 4 | 5 };

export type RealmUserSettingsDefaultsUpdateEvent59 = { id: number; type: "realm_user_settings_defaults"; op: "update"; property: "web_navigate_to_sent_message"; value: boolean };

export type RemindersAddEvent = { id: number; type: "reminders"; op: "add"; reminders: Reminder[] };

export type RemindersRemoveEvent = { id: number; type: "reminders"; op: "remove"; reminder_id: number };

export type RestartEvent = { id: number; type: "restart"; zulip_version: string; zulip_merge_base: string; zulip_feature_level: number; server_generation: number };

export type SavedSnippetsAddEvent = { id: number; type: "saved_snippets"; op: "add"; saved_snippet: SavedSnippet };

export type SavedSnippetsUpdateEvent = { id: number; type: "saved_snippets"; op: "update"; saved_snippet: SavedSnippet };

export type SavedSnippetsRemoveEvent = { id: number; type: "saved_snippets"; op: "remove"; saved_snippet_id: number };

export type ScheduledMessagesAddEvent = { id: number; type: "scheduled_messages"; op: "add"; scheduled_messages: ScheduledMessage[] };

export type ScheduledMessagesUpdateEvent = { id: number; type: "scheduled_messages"; op: "update"; scheduled_message: ScheduledMessage };

export type ScheduledMessagesRemoveEvent = { id: number; type: "scheduled_messages"; op: "remove"; scheduled_message_id: number };

export type StreamCreateEvent = { id: number; type: "stream"; op: "create"; streams: Channel[] };

export type StreamDeleteEvent = { id: number; type: "stream"; op: "delete"; streams: ({ stream_id: number })[]; stream_ids: number[] };

export type StreamUpdateEvent = { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "name"; value: string };

export type StreamUpdateEvent2 = { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "description"; value: string; rendered_description: string };

export type StreamUpdateEvent3 = { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "invite_only"; value: boolean; history_public_to_subscribers: boolean; is_web_public: boolean };

export type StreamUpdateEvent4 = { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "stream_post_policy"; value: 1 | 2 | 3 | 4 };

export type StreamUpdateEvent5 = { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "is_announcement_only" | "is_recently_active" | "is_archived"; value: boolean };

export type StreamUpdateEvent6 = { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "message_retention_days" | "first_message_id" | "folder_id" | "stream_weekly_traffic"; value: number | null };

export type StreamUpdateEvent7 = { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "topics_policy"; value: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only" };

export type StreamUpdateEvent8 = { id: number; type: "stream"; op: "update"; stream_id: number; name: string; property: "can_add_subscribers_group" | "can_administer_channel_group" | "can_create_topic_group" | "can_delete_any_message_group" | "can_delete_own_message_group" | "can_move_messages_out_of_channel_group" | "can_move_messages_within_channel_group" | "can_remove_subscribers_group" | "can_resolve_topics_group" | "can_send_message_group" | "can_subscribe_group"; value: GroupSettingValue };

export type SubmessageEvent = { id: number; type: "submessage"; message_id: number; submessage_id: number; sender_id: number; msg_type: "widget"; content: string };

export type SubscriptionAddEvent = { id: number; type: "subscription"; op: "add"; subscriptions: Subscription[] };

export type SubscriptionRemoveEvent = { id: number; type: "subscription"; op: "remove"; subscriptions: ({ stream_id: number; name: string })[] };

export type SubscriptionUpdateEvent = { id: number; type: "subscription"; op: "update"; stream_id: number; property: string; value: boolean | string | null };

export type SubscriptionEvent = { id: number; type: "subscription"; op: "peer_add" | "peer_remove"; stream_ids: number[]; user_ids: number[] };

export type TypingEvent = { id: number; type: "typing"; op: "start" | "stop"; sender: { user_id: number; email: string }; message_type: "direct"; recipients: ({ user_id: number; email: string })[] };

export type TypingEvent2 = { id: number; type: "typing"; op: "start" | "stop"; sender: { user_id: number; email: string }; message_type: "stream"; stream_id: number; topic: string };

export type TypingEditMessageEvent = { id: number; type: "typing_edit_message"; op: "start" | "stop"; sender_id: number; message_id: number; recipient: { type: "channel"; channel_id: number; topic: string } | { type: "direct"; user_ids: number[] } };

export type UpdateDirectMessageEvent = { id: number; type: "update_message"; user_id: number | null; edit_timestamp: number; message_id: number; message_ids: number[]; flags: string[]; rendering_only: false; orig_content: string; orig_rendered_content: string; content: string; rendered_content: string; is_me_message: boolean; stream_id?: undefined; stream_name?: undefined; orig_subject?: undefined; propagate_mode?: undefined; subject?: undefined; topic_links?: undefined; new_stream_id?: undefined };

export type UpdateMessageContentEvent = { id: number; type: "update_message"; user_id: number | null; edit_timestamp: number; message_id: number; message_ids: number[]; flags: string[]; rendering_only: false; orig_content: string; orig_rendered_content: string; content: string; rendered_content: string; is_me_message: boolean; stream_id: number; stream_name: string; orig_subject?: undefined; propagate_mode?: undefined; subject?: undefined; topic_links?: undefined; new_stream_id?: undefined };

export type UpdateMessageTopicEvent = { id: number; type: "update_message"; user_id: number | null; edit_timestamp: number; message_id: number; message_ids: number[]; flags: string[]; rendering_only: false; orig_content?: undefined; orig_rendered_content?: undefined; content?: undefined; rendered_content?: undefined; is_me_message?: undefined; stream_id: number; stream_name: string; orig_subject: string; propagate_mode: "change_one" | "change_later" | "change_all"; subject: string; topic_links: ({ text: string; url: string })[]; new_stream_id?: undefined };

export type UpdateMessageContentAndTopicEvent = { id: number; type: "update_message"; user_id: number | null; edit_timestamp: number; message_id: number; message_ids: number[]; flags: string[]; rendering_only: false; orig_content: string; orig_rendered_content: string; content: string; rendered_content: string; is_me_message: boolean; stream_id: number; stream_name: string; orig_subject: string; propagate_mode: "change_one" | "change_later" | "change_all"; subject: string; topic_links: ({ text: string; url: string })[]; new_stream_id?: undefined };

export type UpdateMessageChannelEvent = { id: number; type: "update_message"; user_id: number | null; edit_timestamp: number; message_id: number; message_ids: number[]; flags: string[]; rendering_only: false; orig_content?: undefined; orig_rendered_content?: undefined; content?: undefined; rendered_content?: undefined; is_me_message?: undefined; stream_id: number; stream_name: string; orig_subject: string; propagate_mode: "change_one" | "change_later" | "change_all"; subject?: undefined; topic_links?: undefined; new_stream_id: number };

export type UpdateMessageChannelAndTopicEvent = { id: number; type: "update_message"; user_id: number | null; edit_timestamp: number; message_id: number; message_ids: number[]; flags: string[]; rendering_only: false; orig_content?: undefined; orig_rendered_content?: undefined; content?: undefined; rendered_content?: undefined; is_me_message?: undefined; stream_id: number; stream_name: string; orig_subject: string; propagate_mode: "change_one" | "change_later" | "change_all"; subject: string; topic_links: ({ text: string; url: string })[]; new_stream_id: number };

export type UpdateMessageRenderingEvent = { id: number; type: "update_message"; user_id: number | null; edit_timestamp: number; message_id: number; message_ids: number[]; flags: string[]; rendering_only: true; orig_content?: undefined; orig_rendered_content?: undefined; content: string; rendered_content: string; is_me_message: boolean; stream_id?: number; stream_name?: string; orig_subject?: undefined; propagate_mode?: undefined; subject?: undefined; topic_links?: undefined; new_stream_id?: undefined };

export type UpdateMessageFlagsEvent = { id: number; type: "update_message_flags"; op: "add" | "remove"; operation: "add" | "remove"; flag: string; messages: number[]; all: boolean; message_details?: Record<string, { type: "private"; mentioned?: true; user_ids: number[] } | { type: "stream"; mentioned?: true; stream_id: number; topic: string; unmuted_stream_msg: boolean }> };

export type UserGroupAddEvent = { id: number; type: "user_group"; op: "add"; group: UserGroup };

export type UserGroupUpdateEvent = { id: number; type: "user_group"; op: "update"; group_id: number; data: { name: string } | { description: string } | { deactivated: boolean } | { can_add_members_group: GroupSettingValue } | { can_join_group: GroupSettingValue } | { can_leave_group: GroupSettingValue } | { can_manage_group: GroupSettingValue } | { can_mention_group: GroupSettingValue } | { can_remove_members_group: GroupSettingValue } };

export type UserGroupAddMembersEvent = { id: number; type: "user_group"; op: "add_members"; group_id: number; user_ids: number[] };

export type UserGroupRemoveMembersEvent = { id: number; type: "user_group"; op: "remove_members"; group_id: number; user_ids: number[] };

export type UserGroupAddSubgroupsEvent = { id: number; type: "user_group"; op: "add_subgroups"; group_id: number; direct_subgroup_ids: number[] };

export type UserGroupRemoveSubgroupsEvent = { id: number; type: "user_group"; op: "remove_subgroups"; group_id: number; direct_subgroup_ids: number[] };

export type UserGroupRemoveEvent = { id: number; type: "user_group"; op: "remove"; group_id: number };

export type UserSettingsUpdateEvent = { id: number; type: "user_settings"; op: "update"; property: string; value: boolean | number | string | null; language_name?: string };

export type UserStatusEvent = { id: number; type: "user_status"; user_id: number; away?: boolean; status_text?: string; emoji_name?: string; emoji_code?: string; reaction_type?: string };

export type UserTopicEvent = { id: number; type: "user_topic"; stream_id: number; topic_name: string; last_updated: number; visibility_policy: number };

export type Attachment = { id: number; name: string; path_id: string; size: number; create_time: number; message_ids: number[] };

export type ChannelFolder = { id: number; name: string; description: string; rendered_description: string; creator_id: number | null; date_created: number; order: number; is_archived: boolean };

export type Draft = { id: number; type: "" | "stream" | "private"; to: number[]; topic: string; content: string; timestamp: number };

export type Participant = { id: number; email: string; full_name: string; is_mirror_dummy: false };

export type Reaction = { emoji_name: string; emoji_code: string; reaction_type: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji"; user_id: number; user?: { user_id: number; email: string; full_name: string } };

export type TopicLink = { text: string; url: string };

export type Submessage = { id: number; message_id: number; sender_id: number; msg_type: "widget"; content: string };

export type EventMessage = { id: number; sender_id: number; sender_email: string; sender_full_name: string; sender_realm_str: string; type: "stream" | "private"; stream_id?: number; display_recipient: string | Participant[]; subject: string; recipient_id: number; content: string; content_type: "text/html" | "text/x-markdown"; timestamp: number; client: string; avatar_url: string | null; reactions: Reaction[]; is_me_message: boolean; topic_links: TopicLink[]; submessages: Submessage[]; last_edit_timestamp?: number; last_moved_timestamp?: number };

export type MutedUser = { id: number; timestamp: number };

export type NavigationView = { fragment: string; is_pinned: boolean; name: string | null };

export type OnboardingStep = { type: "one_time_notice"; name: "visibility_policy_banner" | "intro_inbox_view_modal" | "intro_recent_view_modal" | "first_stream_created_banner" | "jump_to_conversation_banner" | "non_interleaved_view_messages_fading" | "interleaved_view_messages_fading" | "intro_resolve_topic" };

export type GroupSettingValue = number | { direct_members: number[]; direct_subgroups: number[] };

export type BotService = { base_url: string; interface: number; token: string };

export type AllowedDomain = { domain: string; allow_subdomains: boolean };

export type CustomEmoji = { id: string; name: string; source_url: string; still_url: string | null; deactivated: boolean; author_id: number | null };

export type RealmExport = { id: number; acting_user_id: number; export_time: number; export_type: "public" | "full_with_consent"; export_url: string | null; pending: boolean; failed_timestamp: number | null; deleted_timestamp: number | null; export_from_prior_server: boolean };

export type Linkifier = { id: number; pattern: string; url_template: string; example_input: string | null; reverse_template: string | null; alternative_url_templates: string[] };

export type Playground = { id: number; name: string; pygments_language: string; url_template: string };

export type Reminder = { reminder_id: number; type: "private"; to: number[]; content: string; rendered_content: string; scheduled_delivery_timestamp: number; failed: boolean; reminder_target_message_id: number };

export type SavedSnippet = { id: number; title: string; content: string; date_created: number };

export type ScheduledMessage = { scheduled_message_id: number; type: "stream" | "private"; to: number | number[]; topic?: string; content: string; rendered_content: string; scheduled_delivery_timestamp: number; failed: boolean; split_group_id: number | null };

export type Channel = { stream_id: number; name: string; description: string; rendered_description: string; date_created: number; creator_id: number | null; invite_only: boolean; is_web_public: boolean; history_public_to_subscribers: boolean; is_archived: boolean; is_announcement_only: boolean; stream_post_policy: 1 | 2 | 3 | 4; message_retention_days: number | null; first_message_id: number | null; folder_id: number | null; is_recently_active: boolean; topics_policy: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only"; subscriber_count: number; stream_weekly_traffic: number | null; default_push_notifications: boolean; can_add_subscribers_group: GroupSettingValue; can_administer_channel_group: GroupSettingValue; can_create_topic_group: GroupSettingValue; can_delete_any_message_group: GroupSettingValue; can_delete_own_message_group: GroupSettingValue; can_move_messages_out_of_channel_group: GroupSettingValue; can_move_messages_within_channel_group: GroupSettingValue; can_remove_subscribers_group: GroupSettingValue; can_resolve_topics_group: GroupSettingValue; can_send_message_group: GroupSettingValue; can_subscribe_group: GroupSettingValue };

export type Subscription = { stream_id: number; name: string; description: string; rendered_description: string; date_created: number; creator_id: number | null; invite_only: boolean; is_web_public: boolean; history_public_to_subscribers: boolean; is_archived: boolean; is_announcement_only: boolean; stream_post_policy: 1 | 2 | 3 | 4; message_retention_days: number | null; first_message_id: number | null; folder_id: number | null; is_recently_active: boolean; topics_policy: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only"; subscriber_count: number; stream_weekly_traffic: number | null; default_push_notifications: boolean; can_add_subscribers_group: GroupSettingValue; can_administer_channel_group: GroupSettingValue; can_create_topic_group: GroupSettingValue; can_delete_any_message_group: GroupSettingValue; can_delete_own_message_group: GroupSettingValue; can_move_messages_out_of_channel_group: GroupSettingValue; can_move_messages_within_channel_group: GroupSettingValue; can_remove_subscribers_group: GroupSettingValue; can_resolve_topics_group: GroupSettingValue; can_send_message_group: GroupSettingValue; can_subscribe_group: GroupSettingValue; subscribers?: number[]; partial_subscribers?: number[]; color: string; is_muted: boolean; in_home_view: boolean; pin_to_top: boolean; desktop_notifications: boolean | null; audible_notifications: boolean | null; push_notifications: boolean | null; email_notifications: boolean | null; wildcard_mentions_notify: boolean | null };

export type UserGroup = { id: number; name: string; description: string; creator_id: number | null; date_created: number | null; is_system_group: boolean; members: number[]; direct_subgroup_ids: number[]; deactivated: boolean; can_add_members_group: GroupSettingValue; can_join_group: GroupSettingValue; can_leave_group: GroupSettingValue; can_manage_group: GroupSettingValue; can_mention_group: GroupSettingValue; can_remove_members_group: GroupSettingValue };

export type GroupSettingInput = number | { direct_members: number[]; direct_subgroups: number[] };

export type GroupSettingChange = { new: GroupSettingInput; old?: GroupSettingInput };

export type NarrowTerm = { operator: string; operand: string | number | (number | string)[]; negated?: boolean } | [string, string | number | (number | string)[]];

export type ProfileField = { id: number; type: number; order: number; name: string; hint: string; field_data: string; required: boolean; editable_by_user: boolean; display_in_profile_summary?: true; use_for_user_matching?: true };

export type DraftInput = { type: "" | "stream" | "private" | "channel" | "direct"; to: number[]; topic: string; content: string; timestamp?: number };

export type User = { user_id: number; delivery_email: string | null; email: string; full_name: string; date_joined: string; is_active: boolean; is_owner: boolean; is_admin: boolean; is_guest: boolean; is_bot: boolean; bot_type: number | null; bot_owner_id: number | null; role: number; timezone: string; avatar_url: string | null; avatar_version: number; is_imported_stub: boolean; presence_enabled: boolean; is_deleted?: boolean; is_system_bot?: boolean; profile_data?: Record<string, { value: string; rendered_value?: string }> };

export type MessageEdit = { user_id: number | null; timestamp: number; prev_topic?: string; topic?: string; prev_stream?: number; stream?: number; prev_content?: string; prev_rendered_content?: string };

export type Message = { id: number; sender_id: number; sender_email: string; sender_full_name: string; sender_realm_str: string; type: "stream" | "private"; stream_id?: number; display_recipient: string | Participant[]; subject: string; recipient_id: number; content: string; content_type: "text/html" | "text/x-markdown"; timestamp: number; client: string; avatar_url: string | null; reactions: Reaction[]; is_me_message: boolean; topic_links: TopicLink[]; submessages: Submessage[]; last_edit_timestamp?: number; last_moved_timestamp?: number; flags: string[]; edit_history?: MessageEdit[]; match_content?: string; match_subject?: string };

export type DetachedUpload = { id: number; name: string; path_id: string; size: number; create_time: number };

export type Session = { id: number; device: string; created_at: number; last_used_at: number; is_current: boolean };

export type AuditField = { name: string; old: string | null; new: string | null };

export type AuditChange = { kind: "organization" | "default_settings" | "domain" | "linkifier" | "playground" | "emoji" | "profile_field" | "channel_folder" | "user" | "user_settings" | "bot" | "channel" | "group" | "queue" | "invitation" | "invitation_link" | "file" | "message" | "export" | "mail" | "backup" | "server"; id: number; name: string; action: "created" | "changed" | "removed" | "done"; fields: AuditField[] };

export type AuditRecord = { id: number; timestamp: number; user_id: number | null; role: number | null; way: "api" | "link" | "login" | "operator" | "server"; changes: AuditChange[]; left_out: number };

export type ListedChannel = { stream_id: number; name: string; description: string; rendered_description: string; date_created: number; creator_id: number | null; invite_only: boolean; is_web_public: boolean; history_public_to_subscribers: boolean; is_archived: boolean; is_announcement_only: boolean; stream_post_policy: 1 | 2 | 3 | 4; message_retention_days: number | null; first_message_id: number | null; folder_id: number | null; is_recently_active: boolean; topics_policy: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only"; subscriber_count: number; stream_weekly_traffic: number | null; default_push_notifications: boolean; can_add_subscribers_group: GroupSettingValue; can_administer_channel_group: GroupSettingValue; can_create_topic_group: GroupSettingValue; can_delete_any_message_group: GroupSettingValue; can_delete_own_message_group: GroupSettingValue; can_move_messages_out_of_channel_group: GroupSettingValue; can_move_messages_within_channel_group: GroupSettingValue; can_remove_subscribers_group: GroupSettingValue; can_resolve_topics_group: GroupSettingValue; can_send_message_group: GroupSettingValue; can_subscribe_group: GroupSettingValue; subscribers?: number[]; partial_subscribers?: number[]; is_default?: boolean };

export type StoreReplicas = { have: number; wanted: number };

export type Latencies = { bounds: number[]; within: number[]; count: number };

export type ConsoleNode = { node_id: string; node_role: "leader" | "follower"; health: "ready" | "read_only"; store_replicas?: StoreReplicas; lag_ms: number; uptime_seconds: number; resident_bytes: number | null; heap_bytes: number | null; loop_delay_p50_ms: number; loop_delay_p99_ms: number; journal_head: number; pending_entries: number; search_lag: number; requests: number; delivered_events: number; delivered_by: Record<string, number>; sends: Latencies; commits: Latencies; queue_counts: Record<string, number>; actors: Record<string, Record<string, number>> };

export type JournalRow = { seq: number; event_type: string; audience: string; stream_id: number | null; users: number[]; user_count: number | null };

export type ChangedDocument = { collection: string; document_id: string; change: string };

export type EventVariant = { variant: string; bytes: number; queues: number };

export type OpenedEntryRow = { seq: number; event_type: string; audience: string; stream_id: number | null; users: number[]; user_count: number | null; variants: EventVariant[] };

export type OpenedEntry = { seq: number; at: number; changes: ChangedDocument[]; change_count: number; events: OpenedEntryRow[] };

export type ConsoleQueue = { queue_id: string; user_id: number; client: string; state: string; transport: string; node_id: string; events: number; bytes: number; oldest_seconds: number; acknowledged: number; idle_seconds: number };

export type HeldRow = { event_id: number; event_type: string; bytes: number };

export type ActorStep = { at: number; event: string; state: string };

export type QueueContext = { user_id: number; since: number; idle_timeout_ms: number; deadline: number };

export type QueueSnapshot = { machine: string; version: number; value: string; context: QueueContext };

export type OpenedQueue = { queue_id: string; user_id: number; client: string; state: string; transport: string; node_id: string; events: number; bytes: number; oldest_seconds: number; acknowledged: number; idle_seconds: number; newest_id: number; since: number; idle_timeout_seconds: number; event_types: string[] | null; narrow_terms: number; capabilities: string[]; held: HeldRow[]; steps: ActorStep[]; snapshot: QueueSnapshot };

export type Refusals = { status: number; code: string; user_id: number | null; address: string; endpoint: string; count: number; last_at: number; node_id: string };

export type SlowRequest = { at: number; endpoint: string; user_id: number | null; took_ms: number; received_ms: number; handled_ms: number; replied_ms: number; node_id: string };

export type Failures = { kind: string; reason: string; count: number; last_at: number; node_id: string };

export type Troubles = { refusals: Refusals[]; slow: SlowRequest[]; failures: Failures[]; mails_waiting: number; oldest_mail_seconds: number; pushes_waiting: number };

export type DueCount = { within_seconds: number | null; messages: number };

export type RunningDeletion = { stream_id: number | null; deleted: number; remaining: number; running_ms: number; limit_ms: number };

export type StateTransition = { event: string; target: string };

export type MachineState = { state_name: string; is_final: boolean; transitions: StateTransition[] };

export type StateChart = { machine: string; initial_state: string; states: MachineState[] };

export type EffectiveOption = { option: string; value: string; source: string };

export type Backup = { name: string; made_at: number; bytes: number };

export type BackupPlan = { folder: string; time_of_day: string | null; keep: number; newest_at: number | null; backups_there: Backup[]; is_making: boolean; last_failure: string | null };

export type ConsoleOperation = { software_version: string; options: EffectiveOption[]; backups: BackupPlan | null };

export type LogRow = { at: number; level: string; message: string; details: string; node_id: string };

export type FiguresHistory = { minutes: number[]; requests_per_second: (number | null)[]; events_per_second: (number | null)[]; entries_per_second: (number | null)[]; commit_p99_ms: (number | null)[]; send_p99_ms: (number | null)[]; memory_bytes: (number | null)[]; event_queues: (number | null)[]; waiting_mails: (number | null)[] };

export type LoginMethod = { login_method: string; is_enabled: boolean; is_available: boolean };

export type ConsoleLogins = { login_methods: LoginMethod[]; login_services: string[]; active_people: number; people_with_password: number; people_with_two_factor: number };

export type FilesOfPerson = { user_id: number; files: number; bytes: number };

export type LargeFile = { id: number; name: string; user_id: number; bytes: number; created_at: number; messages: number };

export type Invitation = { id: number; invited_by_user_id: number; invited: number; expiry_date: number | null; invited_as: 100 | 200 | 300 | 400 | 600; is_multiuse: boolean; email?: string; link_url?: string; notify_referrer_on_join: boolean };

export type MessageVersion = { topic: string; content: string; rendered_content: string; timestamp: number; user_id: number | null; prev_topic?: string; stream?: number; prev_stream?: number; prev_content?: string; prev_rendered_content?: string; content_html_diff?: string };

export type PersonSession = { id: number; device: string; created_at: number; last_used_at: number };

export type LegacyPresence = Record<string, { client?: string; status: string; timestamp: number; pushable?: boolean }>;

export type LoginService = { name: string; display_name: string; display_icon: string | null; login_url: string; signup_url: string };

export type UserStatus = { away?: boolean; status_text?: string; emoji_name?: string; emoji_code?: string; reaction_type?: string };

export type WaitingMail = { id: number; to_user_id: number | null; to_email: string | null; about: string; created_at: number; attempts: number; next_attempt_at: number; last_failure: string | null };

export type UserTopic = { stream_id: number; topic_name: string; last_updated: number; visibility_policy: number };

export type TriedService = { service: string; fault: string | null };

export type Presence = { active_timestamp?: number; idle_timestamp?: number };

export type DeleteMessageEvent = DeleteChannelMessagesEvent | DeleteChannelMessageEvent | DeleteDirectMessagesEvent | DeleteDirectMessageEvent;

export type UpdateMessageEvent = UpdateDirectMessageEvent | UpdateMessageContentEvent | UpdateMessageTopicEvent | UpdateMessageContentAndTopicEvent | UpdateMessageChannelEvent | UpdateMessageChannelAndTopicEvent | UpdateMessageRenderingEvent;

/** Every operation by method and path, with its parameters, those in the path too, and what it answers. */
export interface Operations {
  /** Get the files you uploaded. */
  'GET /attachments': { params: {}; reply: { attachments: Attachment[]; upload_space_used: number } };
  /** Delete a file you uploaded. */
  'DELETE /attachments/{attachment_id}': { params: { attachment_id: number }; reply: {} };
  /** Remove values of a bot. */
  'DELETE /bot_storage': { params: { keys?: string[] }; reply: {} };
  /** Read what a bot stored. */
  'GET /bot_storage': { params: { keys?: string[] }; reply: { storage: Record<string, string> } };
  /** Store values of a bot. */
  'PUT /bot_storage': { params: { storage: Record<string, string> }; reply: {} };
  /** Get your own active bots. */
  'GET /bots': { params: {}; reply: { bots: ({ username: string; full_name: string; api_key: string; avatar_url: string; default_sending_stream: string | null; default_events_register_stream: string | null; default_all_public_streams: boolean })[] } };
  /** Create a bot. */
  'POST /bots': { params: { full_name: string; short_name: string; bot_type?: 1 | 2 | 3; payload_url?: string; interface_type?: number; service_name?: string; config_data?: unknown; default_sending_stream?: string; default_events_register_stream?: string; default_all_public_streams?: boolean }; reply: { user_id: number; api_key: string; avatar_url: string; default_sending_stream: string | null; default_events_register_stream: string | null; default_all_public_streams: boolean } };
  /** Deactivate a bot. */
  'DELETE /bots/{bot_id}': { params: { bot_id: number }; reply: {} };
  /** Change a bot. */
  'PATCH /bots/{bot_id}': { params: { bot_id: number; full_name?: string; short_name?: string; role?: 100 | 200 | 300 | 400 | 600; bot_owner_id?: number; default_sending_stream?: string; default_events_register_stream?: string; default_all_public_streams?: boolean; service_payload_url?: string; service_interface?: number; config_data?: unknown }; reply: { full_name: string; avatar_url: string; service_interface: number | null; service_payload_url: string | null; config_data: Record<string, string> | null; default_sending_stream: string | null; default_events_register_stream: string | null; default_all_public_streams: boolean; bot_owner?: string } };
  /** Get a bot's API key. */
  'GET /bots/{bot_id}/api_key': { params: { bot_id: number }; reply: { api_key: string } };
  /** Replace a bot's API key. */
  'POST /bots/{bot_id}/api_key/regenerate': { params: { bot_id: number }; reply: { api_key: string } };
  /** Get a link of a new video call of BigBlueButton. */
  'GET /calls/{provider}/create': { params: { provider: string; meeting_name?: string; voice_only?: boolean }; reply: { url: string } };
  /** Make a video call at Zoom. */
  'POST /calls/{provider}/create': { params: { provider: string; is_video_call?: boolean }; reply: { url: string } };
  /** Get the channel folders, in their order. */
  'GET /channel_folders': { params: { include_archived?: boolean }; reply: { channel_folders: ChannelFolder[] } };
  /** Change the order of the channel folders. */
  'PATCH /channel_folders': { params: { order: number[] }; reply: {} };
  /** Create a channel folder. */
  'POST /channel_folders/create': { params: { name: string; description?: string }; reply: { channel_folder_id: number } };
  /** Change a channel folder, archive or unarchive it. */
  'PATCH /channel_folders/{channel_folder_id}': { params: { channel_folder_id: number; name?: string; description?: string; is_archived?: boolean }; reply: {} };
  /** Create a channel. */
  'POST /channels/create': { params: { name: string; description?: string; subscribers: number[]; announce?: boolean; send_new_subscription_messages?: boolean; invite_only?: boolean; is_web_public?: boolean; is_default_stream?: boolean; history_public_to_subscribers?: boolean; message_retention_days?: number | "realm_default" | "unlimited"; topics_policy?: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only"; folder_id?: number | null; can_add_subscribers_group?: GroupSettingInput; can_administer_channel_group?: GroupSettingInput; can_create_topic_group?: GroupSettingInput; can_delete_any_message_group?: GroupSettingInput; can_delete_own_message_group?: GroupSettingInput; can_move_messages_out_of_channel_group?: GroupSettingInput; can_move_messages_within_channel_group?: GroupSettingInput; can_remove_subscribers_group?: GroupSettingInput; can_resolve_topics_group?: GroupSettingInput; can_send_message_group?: GroupSettingInput; can_subscribe_group?: GroupSettingInput }; reply: { id: number } };
  /** Stop subscribing new accounts to a channel. */
  'DELETE /default_streams': { params: { stream_id: number }; reply: {} };
  /** Subscribe new accounts to a channel. */
  'POST /default_streams': { params: { stream_id: number }; reply: {} };
  /** Get your drafts, newest first. */
  'GET /drafts': { params: {}; reply: { count: number; drafts: Draft[] } };
  /** Create drafts. */
  'POST /drafts': { params: { drafts: DraftInput[] }; reply: { ids: number[] } };
  /** Delete a draft. */
  'DELETE /drafts/{draft_id}': { params: { draft_id: number }; reply: {} };
  /** Change a draft. */
  'PATCH /drafts/{draft_id}': { params: { draft_id: number; draft: DraftInput }; reply: {} };
  /** Delete an event queue. */
  'DELETE /events': { params: { queue_id: string }; reply: {} };
  /** Get the events of a queue, waiting for one if there is none. */
  'GET /events': { params: { apply_markdown?: boolean; client_gravatar?: boolean; include_subscribers?: boolean | "partial"; slim_presence?: boolean; presence_history_limit_days?: number; event_types?: string[]; fetch_event_types?: string[]; all_public_streams?: boolean; narrow?: ([string, string])[]; client_capabilities?: { notification_settings_null?: boolean; bulk_message_deletion?: boolean; user_avatar_url_field_optional?: boolean; stream_typing_notifications?: boolean; user_settings_object?: boolean; linkifier_url_template?: boolean; user_list_incomplete?: boolean; include_deactivated_groups?: boolean; archived_channels?: boolean; empty_topic_name?: boolean; simplified_presence_events?: boolean; individual_emoji_changes?: boolean; plain_setting_values?: boolean; message_notices?: boolean }; idle_queue_timeout?: number | "mobile"; queue_lifespan_secs?: number; queue_id?: string; last_event_id?: number; dont_block?: boolean }; reply: { events: Event[]; queue_id: string } };
  /** Drop the events of a queue that its client has received. */
  'POST /events/ack': { params: { queue_id: string; last_event_id: number }; reply: {} };
  /** Get a ticket that opens one WebSocket without further credentials. */
  'POST /events/ticket': { params: {}; reply: { ticket: string; expires_in: number } };
  /** List the exports of the organization. */
  'GET /export/realm': { params: {}; reply: { exports: RealmExport[] } };
  /** Export the organization. */
  'POST /export/realm': { params: { export_type?: "public" | "full_with_consent" }; reply: { id: number } };
  /** Get which users allow the export of their private data. */
  'GET /export/realm/consents': { params: {}; reply: { export_consents: ({ user_id: number; consented: boolean; email_address_visibility: number })[] } };
  /** Delete the file of an export. */
  'DELETE /export/realm/{export_id}': { params: { export_id: number }; reply: {} };
  /** Ask whether webhooks of another service are received. */
  'GET /external/{integration}': { params: { integration: string; api_key?: string; challenge?: string }; reply: {} };
  /** Receive a webhook of another service. */
  'POST /external/{integration}': { params: { integration: string; api_key?: string; stream?: string; topic?: string; only_events?: string[]; exclude_events?: string[] }; reply: { code?: "UNSUPPORTED_WEBHOOK_EVENT_TYPE"; webhook_name?: string; event_type?: string; full_name?: string; email?: string; id?: number; challenge?: string } };
  /** Fetch an API key by user name and password. */
  'POST /fetch_api_key': { params: { username: string; password: string; two_factor_code?: string }; reply: { api_key: string; email: string; user_id: number } };
  /** Get the id of a channel. */
  'GET /get_stream_id': { params: { stream: string }; reply: { stream_id: number } };
  /** Get the invitations that are open: your own, or as an administrator all. */
  'GET /invites': { params: {}; reply: { invites: Invitation[] } };
  /** Invite people by e-mail. */
  'POST /invites': { params: { invitee_emails: string; invite_expires_in_minutes?: number | null; invite_as?: 100 | 200 | 300 | 400 | 600; stream_ids: number[]; group_ids?: number[]; include_realm_default_subscriptions?: boolean; welcome_message_custom_text?: string | null; notify_referrer_on_join?: boolean }; reply: {} };
  /** Create a reusable invitation link. */
  'POST /invites/multiuse': { params: { invite_expires_in_minutes?: number | null; invite_as?: 100 | 200 | 300 | 400 | 600; stream_ids?: number[]; group_ids?: number[]; include_realm_default_subscriptions?: boolean; welcome_message_custom_text?: string | null }; reply: { invite_link: string } };
  /** Revoke a reusable invitation link. */
  'DELETE /invites/multiuse/{invite_id}': { params: { invite_id: number }; reply: {} };
  /** Revoke an e-mail invitation. */
  'DELETE /invites/{invite_id}': { params: { invite_id: number }; reply: {} };
  /** Send an e-mail invitation again. */
  'POST /invites/{invite_id}/resend': { params: { invite_id: number }; reply: {} };
  /** Fetch an API key by a JSON Web Token. */
  'POST /jwt/fetch_api_key': { params: { token: string; include_profile?: boolean }; reply: { api_key: string; email: string; user?: { user_id: number; delivery_email: string | null; email: string; full_name: string; date_joined: string; is_active: boolean; is_owner: boolean; is_admin: boolean; is_guest: boolean; is_bot: boolean; bot_type: number | null; bot_owner_id: number | null; role: number; timezone: string; avatar_url: string | null; avatar_version: number; is_imported_stub: boolean; presence_enabled: boolean; is_deleted?: boolean } } };
  /** Mark all messages as read. */
  'POST /mark_all_as_read': { params: {}; reply: { complete: boolean } };
  /** Mark the messages of a channel as read. */
  'POST /mark_stream_as_read': { params: { stream_id: number }; reply: {} };
  /** Mark the messages of a topic as read. */
  'POST /mark_topic_as_read': { params: { stream_id: number; topic_name: string }; reply: {} };
  /** Get messages around an anchor, or by id. */
  'GET /messages': { params: { anchor?: string; anchor_date?: string; use_first_unread_anchor?: boolean; num_before?: number; num_after?: number; include_anchor?: boolean; narrow?: NarrowTerm[]; message_ids?: number[]; client_gravatar?: boolean; apply_markdown?: boolean; allow_empty_topic_name?: boolean }; reply: { messages: Message[]; anchor?: number; found_anchor?: boolean; found_oldest?: boolean; found_newest?: boolean; history_limited?: boolean } };
  /** Send a message. */
  'POST /messages': { params: { type: "direct" | "private" | "stream" | "channel"; to?: unknown; topic?: string; content: string; queue_id?: string; local_id?: string; read_by_sender?: boolean; widget_content?: string }; reply: { id: number; automatic_new_visibility_policy?: number } };
  /** Add or remove a personal flag of messages. */
  'POST /messages/flags': { params: { messages: number[]; op: "add" | "remove"; flag: "read" | "starred" | "collapsed" }; reply: { messages: number[]; ignored_because_not_subscribed_channels?: number[] } };
  /** Add or remove a personal flag of the messages of a narrow. */
  'POST /messages/flags/narrow': { params: { anchor: string; include_anchor?: boolean; num_before: number; num_after: number; narrow: NarrowTerm[] | null; op: "add" | "remove"; flag: "read" | "starred" | "collapsed" }; reply: { processed_count: number; updated_count: number; first_processed_id: number | null; last_processed_id: number | null; found_oldest: boolean; found_newest: boolean; ignored_because_not_subscribed_channels?: number[] } };
  /** Get which of some messages match a narrow. */
  'GET /messages/matches_narrow': { params: { msg_ids: number[]; narrow: NarrowTerm[] }; reply: { messages: Record<string, { match_content: string; match_subject: string }> } };
  /** Render a text as a message without sending it. */
  'POST /messages/render': { params: { content: string }; reply: { rendered: string } };
  /** Delete a message. */
  'DELETE /messages/{message_id}': { params: { message_id: number }; reply: {} };
  /** Get one message. */
  'GET /messages/{message_id}': { params: { message_id: number; apply_markdown?: boolean; allow_empty_topic_name?: boolean }; reply: { message: Message; raw_content: string } };
  /** Change the content, topic or channel of a message. */
  'PATCH /messages/{message_id}': { params: { message_id: number; content?: string; topic?: string; stream_id?: number; propagate_mode?: "change_one" | "change_later" | "change_all"; send_notification_to_old_thread?: boolean; send_notification_to_new_thread?: boolean; prev_content_sha256?: string }; reply: { detached_uploads: DetachedUpload[] } };
  /** Get the versions of a message, oldest first. */
  'GET /messages/{message_id}/history': { params: { message_id: number; allow_empty_topic_name?: boolean }; reply: { message_history: MessageVersion[] } };
  /** Remove a reaction to a message. */
  'DELETE /messages/{message_id}/reactions': { params: { message_id: number; emoji_name?: string; emoji_code?: string; reaction_type?: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji" }; reply: {} };
  /** React to a message with an emoji. */
  'POST /messages/{message_id}/reactions': { params: { message_id: number; emoji_name: string; emoji_code?: string; reaction_type?: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji" }; reply: {} };
  /** Get who has read a message. */
  'GET /messages/{message_id}/read_receipts': { params: { message_id: number }; reply: { user_ids: number[] } };
  /** Report a message to the moderators. */
  'POST /messages/{message_id}/report': { params: { message_id: number; report_type: "spam" | "harassment" | "inappropriate" | "norms" | "other"; description?: string }; reply: {} };
  /** Set your typing status while editing a message. */
  'POST /messages/{message_id}/typing': { params: { message_id: number; op: "start" | "stop" }; reply: {} };
  /** Send an encrypted test notification to your devices. */
  'POST /mobile_push/e2ee/test_notification': { params: { device_id?: number }; reply: {} };
  /** Register a device for end-to-end-encrypted push notifications. */
  'POST /mobile_push/register': { params: { device_id: number; push_key?: string; push_key_id?: number; token_kind?: "apns" | "fcm"; token_id?: string; bouncer_public_key?: string; encrypted_push_registration?: string }; reply: {} };
  /** Send a test notification to your devices (deprecated). */
  'POST /mobile_push/test_notification': { params: { token?: string }; reply: {} };
  /** Get your navigation views. */
  'GET /navigation_views': { params: {}; reply: { navigation_views: NavigationView[] } };
  /** Add a navigation view. */
  'POST /navigation_views': { params: { fragment: string; is_pinned: boolean; name?: string | null }; reply: {} };
  /** Remove a navigation view. */
  'DELETE /navigation_views/{fragment}': { params: { fragment: string }; reply: {} };
  /** Change a navigation view. */
  'PATCH /navigation_views/{fragment}': { params: { fragment: string; is_pinned?: boolean; name?: string | null }; reply: {} };
  /** Change the organization's settings. */
  'PATCH /realm': { params: { name?: string; description?: string; string_id?: string; default_language?: string; waiting_period_threshold?: number; org_type?: 0 | 10 | 20 | 30 | 35 | 40 | 50 | 60 | 70 | 80 | 90 | 100 | 1000; want_advertise_in_communities_directory?: boolean; enable_spectator_access?: boolean; invite_required?: boolean; emails_restricted_to_domains?: boolean; disallow_disposable_email_addresses?: boolean; require_unique_names?: boolean; send_welcome_emails?: boolean; welcome_message_custom_text?: string; name_changes_disabled?: boolean; email_changes_disabled?: boolean; avatar_changes_disabled?: boolean; default_avatar_source?: "G" | "J"; allow_message_editing?: boolean; message_edit_history_visibility_policy?: "all" | "moves" | "none"; topics_policy?: "allow_empty_topic" | "disable_empty_topic"; enable_read_receipts?: boolean; inline_image_preview?: boolean; inline_url_embed_preview?: boolean; message_content_allowed_in_email_notifications?: boolean; digest_emails_enabled?: boolean; digest_weekday?: 0 | 1 | 2 | 3 | 4 | 5 | 6; send_channel_events_messages?: boolean; enable_guest_user_indicator?: boolean; enable_guest_user_dm_warning?: boolean; gif_rating_policy?: 0 | 1 | 2 | 3 | 4 | 5; require_e2ee_push_notifications?: boolean; presence_disabled?: boolean; message_content_edit_limit_seconds?: number | string; message_content_delete_limit_seconds?: number | string; move_messages_within_stream_limit_seconds?: number | string; move_messages_between_streams_limit_seconds?: number | string; message_retention_days?: number | string; default_code_block_language?: string; media_preview_size?: 100 | 150 | 200; new_stream_announcements_stream_id?: number; signup_announcements_stream_id?: number; zulip_update_announcements_stream_id?: number; moderation_request_channel_id?: number; video_chat_provider?: number; jitsi_server_url?: string; authentication_methods?: Record<string, boolean>; require_two_factor?: "nobody" | "administrators" | "everyone"; create_multiuse_invite_group?: GroupSettingChange; can_access_all_users_group?: GroupSettingChange; can_add_subscribers_group?: GroupSettingChange; can_add_custom_emoji_group?: GroupSettingChange; can_create_bots_group?: GroupSettingChange; can_create_write_only_bots_group?: GroupSettingChange; can_create_groups?: GroupSettingChange; can_create_public_channel_group?: GroupSettingChange; can_create_private_channel_group?: GroupSettingChange; can_create_web_public_channel_group?: GroupSettingChange; can_delete_any_message_group?: GroupSettingChange; can_delete_own_message_group?: GroupSettingChange; can_invite_users_group?: GroupSettingChange; can_manage_all_groups?: GroupSettingChange; can_manage_billing_group?: GroupSettingChange; can_mention_many_users_group?: GroupSettingChange; can_move_messages_between_channels_group?: GroupSettingChange; can_move_messages_between_topics_group?: GroupSettingChange; can_resolve_topics_group?: GroupSettingChange; can_set_delete_message_policy_group?: GroupSettingChange; can_set_topics_policy_group?: GroupSettingChange; can_summarize_topics_group?: GroupSettingChange; direct_message_initiator_group?: GroupSettingChange; direct_message_permission_group?: GroupSettingChange; workplace_users_group?: GroupSettingChange }; reply: {} };
  /** Read who changed which setting, newest first. */
  'GET /realm/audit_log': { params: { before?: number; limit?: number; user_id?: number; kind?: "organization" | "default_settings" | "domain" | "linkifier" | "playground" | "emoji" | "profile_field" | "channel_folder" | "user" | "user_settings" | "bot" | "channel" | "group" | "queue" | "invitation" | "invitation_link" | "file" | "message" | "export" | "mail" | "backup" | "server"; subject_id?: number }; reply: { records: AuditRecord[]; found_oldest: boolean } };
  /** Get figures of the running server. */
  'GET /realm/console': { params: { events_after?: number; with_queues?: boolean; queue_filter?: string; queue_order?: "events" | "bytes" | "oldest" | "idle" | "user" | "acknowledged"; queues_ascending?: boolean; open_queue?: string; with_troubles?: boolean; with_log?: boolean; log_level?: "debug" | "info" | "warn" | "error"; log_filter?: string; open_entry?: number; with_actors?: boolean; with_charts?: boolean; with_operation?: boolean; with_history?: boolean; with_logins?: boolean }; reply: { nodes: ConsoleNode[]; journal_first: number | null; journal_events: JournalRow[]; entry?: OpenedEntry; queues?: ConsoleQueue[]; queues_found?: number; queue?: OpenedQueue; troubles?: Troubles; due?: DueCount[]; deletions?: RunningDeletion[]; charts?: StateChart[]; operation?: ConsoleOperation; log?: LogRow[]; history?: FiguresHistory; logins?: ConsoleLogins } };
  /** Make a backup now. */
  'POST /realm/console/backups': { params: {}; reply: {} };
  /** Get an address of a backup that works without credentials for a minute. */
  'POST /realm/console/backups/link': { params: { backup: string }; reply: { backup_url: string } };
  /** Get how much room uploaded files take. */
  'GET /realm/console/files': { params: {}; reply: { used_bytes: number; quota_bytes: number | null; file_count: number; people: FilesOfPerson[]; largest: LargeFile[] } };
  /** Delete a file that anybody uploaded. */
  'DELETE /realm/console/files/{attachment_id}': { params: { attachment_id: number }; reply: {} };
  /** List the mails that no mail server has accepted yet. */
  'GET /realm/console/mails': { params: {}; reply: { mails: WaitingMail[]; mails_waiting: number; mail_server: string | null } };
  /** Try a mail that waits again now, or all of them. */
  'POST /realm/console/mails/retry': { params: { mail_id?: number }; reply: { retried: number } };
  /** Send a test mail now. */
  'POST /realm/console/mails/test': { params: { email: string }; reply: { taken_by: string | null } };
  /** Delete somebody’s event queue. */
  'DELETE /realm/console/queues/{queue_id}': { params: { queue_id: string }; reply: {} };
  /** Try whether mail server, directory and login providers answer. */
  'POST /realm/console/services/try': { params: {}; reply: { services: TriedService[] } };
  /** Make a file for whoever helps with the server. */
  'POST /realm/console/support_bundle': { params: {}; reply: { bundle: string } };
  /** Send an event that changes nothing. */
  'POST /realm/console/test_event': { params: { user_id?: number }; reply: { journal_position: number; queues: number } };
  /** Get where somebody is logged in. */
  'GET /realm/console/users/{user_id}': { params: { user_id: number }; reply: { sessions: PersonSession[]; has_two_factor: boolean; reset_is_mailed: boolean } };
  /** Let somebody set a new password. */
  'POST /realm/console/users/{user_id}/password_reset': { params: { user_id: number }; reply: { mailed: boolean; reset_link: string | null } };
  /** Log somebody out everywhere. */
  'DELETE /realm/console/users/{user_id}/sessions': { params: { user_id: number }; reply: {} };
  /** Log somebody out in one browser. */
  'DELETE /realm/console/users/{user_id}/sessions/{session_id}': { params: { user_id: number; session_id: number }; reply: {} };
  /** Turn off two-factor authentication for somebody who has lost it. */
  'DELETE /realm/console/users/{user_id}/two_factor': { params: { user_id: number }; reply: {} };
  /** Deactivate the organization. */
  'POST /realm/deactivate': { params: { deletion_delay_days?: number }; reply: {} };
  /** Get the domains from which people may register. */
  'GET /realm/domains': { params: {}; reply: { domains: AllowedDomain[] } };
  /** Allow registration from an e-mail domain. */
  'POST /realm/domains': { params: { domain: string; allow_subdomains: boolean }; reply: { new_domain: [number, string] } };
  /** Remove an allowed domain. */
  'DELETE /realm/domains/{domain}': { params: { domain: string }; reply: {} };
  /** Change whether the subdomains of an allowed domain are allowed. */
  'PATCH /realm/domains/{domain}': { params: { domain: string; allow_subdomains: boolean }; reply: {} };
  /** Get all custom emoji, also those that were deactivated. */
  'GET /realm/emoji': { params: {}; reply: { emoji: Record<string, CustomEmoji> } };
  /** Deactivate a custom emoji. */
  'DELETE /realm/emoji/{emoji_name}': { params: { emoji_name: string }; reply: {} };
  /** Add a custom emoji. */
  'POST /realm/emoji/{emoji_name}': { params: { emoji_name: string }; reply: {} };
  /** Add a linkifier. */
  'POST /realm/filters': { params: { pattern: string; url_template: string; example_input?: string | null; reverse_template?: string | null; alternative_url_templates?: string[] }; reply: { id: number } };
  /** Remove a linkifier. */
  'DELETE /realm/filters/{filter_id}': { params: { filter_id: number }; reply: {} };
  /** Change a linkifier. */
  'PATCH /realm/filters/{filter_id}': { params: { filter_id: number; pattern: string; url_template: string; example_input?: string | null; reverse_template?: string | null; alternative_url_templates?: string[] }; reply: {} };
  /** Restore the default icon. */
  'DELETE /realm/icon': { params: {}; reply: { icon_url: string; icon_source: "G" | "U" } };
  /** Get the address of the icon of the organization. */
  'GET /realm/icon': { params: {}; reply: { icon_url: string; icon_source: "G" | "U" } };
  /** Upload an icon of the organization. */
  'POST /realm/icon': { params: {}; reply: { icon_url: string; icon_source: "G" | "U" } };
  /** Get the linkifiers of the organization, in their order. */
  'GET /realm/linkifiers': { params: {}; reply: { linkifiers: Linkifier[] } };
  /** Change the order of the linkifiers. */
  'PATCH /realm/linkifiers': { params: { ordered_linkifier_ids: number[] }; reply: {} };
  /** Restore the default logo. */
  'DELETE /realm/logo': { params: { night?: boolean }; reply: {} };
  /** Get the address of a logo of the organization. */
  'GET /realm/logo': { params: { night?: boolean }; reply: { logo_url: string; logo_source: "D" | "U" } };
  /** Upload a logo of the organization. */
  'POST /realm/logo': { params: { night?: boolean }; reply: {} };
  /** Add a playground for code of one language. */
  'POST /realm/playgrounds': { params: { name: string; pygments_language: string; url_template: string }; reply: { id: number } };
  /** Remove a playground. */
  'DELETE /realm/playgrounds/{playground_id}': { params: { playground_id: number }; reply: {} };
  /** Get the presence of all users. */
  'GET /realm/presence': { params: {}; reply: { presences: Record<string, LegacyPresence>; server_timestamp: number } };
  /** Get the custom profile fields. */
  'GET /realm/profile_fields': { params: {}; reply: { custom_fields: ProfileField[] } };
  /** Put the custom profile fields in order. */
  'PATCH /realm/profile_fields': { params: { order: number[] }; reply: {} };
  /** Add a custom profile field. */
  'POST /realm/profile_fields': { params: { field_type: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8; name?: string; hint?: string; field_data?: Record<string, { text: string; order: string }> | { subtype: string; url_pattern?: string }; display_in_profile_summary?: boolean; required?: boolean; editable_by_user?: boolean; use_for_user_matching?: boolean }; reply: { id: number } };
  /** Delete a custom profile field and what people filled in. */
  'DELETE /realm/profile_fields/{field_id}': { params: { field_id: number }; reply: {} };
  /** Change a custom profile field. */
  'PATCH /realm/profile_fields/{field_id}': { params: { field_id: number; name?: string; hint?: string; field_data?: Record<string, { text: string; order: string }> | { subtype: string; url_pattern?: string }; display_in_profile_summary?: boolean; required?: boolean; editable_by_user?: boolean; use_for_user_matching?: boolean }; reply: {} };
  /** Refused: this server has one organization. */
  'GET /realm/subdomain/{subdomain}': { params: { subdomain: string }; reply: {} };
  /** Have the Welcome Bot send you a custom greeting. */
  'POST /realm/test_welcome_bot_custom_message': { params: { welcome_message_custom_text: string }; reply: { message_id: number } };
  /** Change the settings that new accounts start with. */
  'PATCH /realm/user_settings_defaults': { params: { twenty_four_hour_time?: boolean | null; web_mark_read_on_scroll_policy?: 1 | 2 | 3; web_channel_default_view?: 1 | 2 | 3 | 4; starred_message_counts?: boolean; receives_typing_notifications?: boolean; web_suggest_update_timezone?: boolean; fluid_layout_width?: boolean; high_contrast_mode?: boolean; web_font_size_px?: number; web_line_height_percent?: number; color_scheme?: 1 | 2 | 3; enable_drafts_synchronization?: boolean; translate_emoticons?: boolean; display_emoji_reaction_users?: boolean; web_home_view?: "recent" | "inbox" | "all_messages" | "recent_topics"; web_escape_navigates_to_home_view?: boolean; left_side_userlist?: boolean; emojiset?: "text" | "emoji_set_a" | "emoji_set_b" | "google" | "google-blob" | "twitter"; demote_inactive_streams?: 1 | 2 | 3; user_list_style?: 1 | 2 | 3; web_animate_image_previews?: "always" | "on_hover" | "never"; web_stream_unreads_count_display_policy?: 1 | 2 | 3; hide_ai_features?: boolean; web_inbox_show_channel_folders?: boolean; web_left_sidebar_show_channel_folders?: boolean; web_left_sidebar_unreads_count_summary?: boolean; enable_stream_desktop_notifications?: boolean; enable_stream_email_notifications?: boolean; enable_stream_push_notifications?: boolean; enable_stream_audible_notifications?: boolean; notification_sound?: "ascend" | "beep_boop" | "bink" | "bright" | "brlip" | "chime" | "deep tom" | "ding" | "double tap" | "down" | "dry bongos" | "dutdut" | "fast ascend" | "flute" | "friendly" | "kick roll" | "loud tintong" | "metallic snare" | "pan" | "practicechat" | "shaker" | "simple" | "stairs" | "subtle" | "swish" | "tintong" | "up" | "wood block" | "zaping" | "zing" | "zulip" | "none"; enable_desktop_notifications?: boolean; enable_sounds?: boolean; email_notifications_batching_period_seconds?: number; enable_offline_email_notifications?: boolean; enable_offline_push_notifications?: boolean; enable_online_push_notifications?: boolean; enable_followed_topic_desktop_notifications?: boolean; enable_followed_topic_email_notifications?: boolean; enable_followed_topic_push_notifications?: boolean; enable_followed_topic_audible_notifications?: boolean; enable_digest_emails?: boolean; message_content_in_email_notifications?: boolean; pm_content_in_desktop_notifications?: boolean; wildcard_mentions_notify?: boolean; enable_followed_topic_wildcard_mentions_notify?: boolean; desktop_icon_count_display?: 1 | 2 | 3 | 4; realm_name_in_email_notifications_policy?: 1 | 2 | 3; automatically_follow_topics_policy?: 1 | 2 | 3 | 4; automatically_unmute_topics_in_muted_streams_policy?: 1 | 2 | 3 | 4; automatically_follow_topics_where_mentioned?: boolean; resolved_topic_notice_auto_read_policy?: "always" | "except_followed" | "never"; presence_enabled?: boolean; enter_sends?: boolean; send_private_typing_notifications?: boolean; send_stream_typing_notifications?: boolean; send_read_receipts?: boolean; email_address_visibility?: 1 | 2 | 3 | 4 | 5; web_navigate_to_sent_message?: boolean }; reply: {} };
  /** Register an event queue and fetch the initial state. */
  'POST /register': { params: { apply_markdown?: boolean; client_gravatar?: boolean; include_subscribers?: boolean | "partial"; slim_presence?: boolean; presence_history_limit_days?: number; event_types?: string[]; fetch_event_types?: string[]; all_public_streams?: boolean; narrow?: ([string, string])[]; client_capabilities?: { notification_settings_null?: boolean; bulk_message_deletion?: boolean; user_avatar_url_field_optional?: boolean; stream_typing_notifications?: boolean; user_settings_object?: boolean; linkifier_url_template?: boolean; user_list_incomplete?: boolean; include_deactivated_groups?: boolean; archived_channels?: boolean; empty_topic_name?: boolean; simplified_presence_events?: boolean; individual_emoji_changes?: boolean; plain_setting_values?: boolean; message_notices?: boolean }; idle_queue_timeout?: number | "mobile"; queue_lifespan_secs?: number }; reply: { queue_id: string; last_event_id: number; zulip_version: string; zulip_feature_level: number; zulip_merge_base: string; idle_queue_timeout_secs: number; max_message_length?: number; max_topic_length?: number; max_stream_name_length?: number; max_stream_description_length?: number; max_channel_folder_name_length?: number; max_channel_folder_description_length?: number; max_reminder_note_length?: number; max_bulk_new_subscription_messages?: number; max_file_upload_size_mib?: number; max_avatar_file_size_mib?: number; max_icon_file_size_mib?: number; max_logo_file_size_mib?: number; realm_upload_quota_mib?: number | null; event_queue_longpoll_timeout_seconds?: number; server_presence_ping_interval_seconds?: number; server_presence_offline_threshold_seconds?: number; server_typing_started_wait_period_milliseconds?: number; server_typing_stopped_wait_period_milliseconds?: number; server_typing_started_expiry_period_milliseconds?: number; server_generation?: number; server_needs_upgrade?: boolean; development_environment?: boolean; server_min_deactivated_realm_deletion_days?: number; server_max_deactivated_realm_deletion_days?: number | null; server_name_changes_disabled?: boolean; server_avatar_changes_disabled?: boolean; server_web_public_streams_enabled?: boolean; server_inline_image_preview?: boolean; server_inline_url_embed_preview?: boolean; server_thumbnail_formats?: unknown[]; server_emoji_data_url?: string; server_report_message_types?: ({})[]; server_can_summarize_topics?: boolean; server_jitsi_server_url?: string | null; server_supported_permission_settings?: {}; password_min_length?: number; password_max_length?: number; password_min_guesses?: number; realm_uuid?: string; realm_date_created?: number; realm_name?: string; realm_description?: string; realm_org_type?: 0 | 10 | 20 | 30 | 35 | 40 | 50 | 60 | 70 | 80 | 90 | 100 | 1000; realm_icon_source?: "G" | "U"; realm_logo_source?: "D" | "U"; realm_night_logo_source?: "D" | "U"; realm_default_language?: string; realm_want_advertise_in_communities_directory?: boolean; realm_welcome_message_custom_text?: string; realm_invite_required?: boolean; realm_emails_restricted_to_domains?: boolean; realm_disallow_disposable_email_addresses?: boolean; realm_require_unique_names?: boolean; realm_name_changes_disabled?: boolean; realm_email_changes_disabled?: boolean; realm_avatar_changes_disabled?: boolean; realm_waiting_period_threshold?: number; realm_default_avatar_source?: "G" | "J"; realm_send_welcome_emails?: boolean; realm_authentication_methods?: {}; realm_require_two_factor?: "nobody" | "administrators" | "everyone"; realm_enable_spectator_access?: boolean; realm_enable_guest_user_indicator?: boolean; realm_enable_guest_user_dm_warning?: boolean; realm_owner_full_content_access?: boolean; realm_allow_message_editing?: boolean; realm_message_content_edit_limit_seconds?: number | null; realm_message_content_delete_limit_seconds?: number | null; realm_move_messages_within_stream_limit_seconds?: number | null; realm_move_messages_between_streams_limit_seconds?: number | null; realm_message_edit_history_visibility_policy?: "all" | "moves" | "none"; realm_topics_policy?: "allow_empty_topic" | "disable_empty_topic"; realm_message_retention_days?: number; realm_enable_read_receipts?: boolean; realm_default_code_block_language?: string; realm_inline_image_preview?: boolean; realm_inline_url_embed_preview?: boolean; realm_media_preview_size?: number; realm_send_channel_events_messages?: boolean; realm_message_content_allowed_in_email_notifications?: boolean; realm_digest_emails_enabled?: boolean; realm_digest_weekday?: 0 | 1 | 2 | 3 | 4 | 5 | 6; realm_moderation_request_channel_id?: number; realm_new_stream_announcements_stream_id?: number; realm_signup_announcements_stream_id?: number; realm_zulip_update_announcements_stream_id?: number; realm_presence_disabled?: boolean; realm_require_e2ee_push_notifications?: boolean; realm_video_chat_provider?: 0 | 1 | 3 | 4 | 5; realm_jitsi_server_url?: string | null; realm_gif_rating_policy?: 0 | 1 | 2 | 3 | 4 | 5; realm_create_multiuse_invite_group?: GroupSettingValue; realm_can_access_all_users_group?: GroupSettingValue; realm_can_add_subscribers_group?: GroupSettingValue; realm_can_add_custom_emoji_group?: GroupSettingValue; realm_can_create_bots_group?: GroupSettingValue; realm_can_create_write_only_bots_group?: GroupSettingValue; realm_can_create_groups?: GroupSettingValue; realm_can_create_public_channel_group?: GroupSettingValue; realm_can_create_private_channel_group?: GroupSettingValue; realm_can_create_web_public_channel_group?: GroupSettingValue; realm_can_delete_any_message_group?: GroupSettingValue; realm_can_delete_own_message_group?: GroupSettingValue; realm_can_invite_users_group?: GroupSettingValue; realm_can_manage_all_groups?: GroupSettingValue; realm_can_manage_billing_group?: GroupSettingValue; realm_can_mention_many_users_group?: GroupSettingValue; realm_can_move_messages_between_channels_group?: GroupSettingValue; realm_can_move_messages_between_topics_group?: GroupSettingValue; realm_can_resolve_topics_group?: GroupSettingValue; realm_can_set_delete_message_policy_group?: GroupSettingValue; realm_can_set_topics_policy_group?: GroupSettingValue; realm_can_summarize_topics_group?: GroupSettingValue; realm_direct_message_initiator_group?: GroupSettingValue; realm_direct_message_permission_group?: GroupSettingValue; realm_workplace_users_group?: GroupSettingValue; realm_url?: string; realm_uri?: string; realm_bot_domain?: string; realm_plan_type?: number; realm_icon_url?: string; realm_logo_url?: string; realm_night_logo_url?: string; realm_empty_topic_display_name?: string; realm_password_auth_enabled?: boolean; realm_email_auth_enabled?: boolean; realm_default_external_accounts?: {}; realm_allow_edit_history?: boolean; realm_mandatory_topics?: boolean; settings_send_digest_emails?: boolean; realm_push_notifications_enabled?: boolean; realm_push_notifications_enabled_end_timestamp?: number | null; realm_available_video_chat_providers?: {}; jitsi_server_url?: string | null; gif_rating_policy_options?: {}; zulip_plan_is_not_limited?: boolean; upgrade_text_for_wide_organization_logo?: string; realm_create_public_stream_policy?: number; realm_create_private_stream_policy?: number; realm_create_web_public_stream_policy?: number; realm_wildcard_mention_policy?: number; alert_words?: string[]; custom_profile_fields?: ProfileField[]; custom_profile_field_types?: {}; onboarding_steps?: OnboardingStep[]; navigation_tour_video_url?: string | null; max_message_id?: number; drafts?: Draft[]; saved_snippets?: SavedSnippet[]; scheduled_messages?: ScheduledMessage[]; reminders?: Reminder[]; navigation_views?: NavigationView[]; muted_topics?: unknown[]; muted_users?: MutedUser[]; user_topics?: UserTopic[]; presences?: {}; presence_last_update_id?: number; server_timestamp?: number; realm_domains?: AllowedDomain[]; realm_emoji?: {}; realm_linkifiers?: Linkifier[]; realm_filters?: unknown[]; realm_playgrounds?: Playground[]; realm_user_groups?: UserGroup[]; realm_billing?: {}; realm_users?: User[]; realm_non_active_users?: User[]; cross_realm_bots?: User[]; user_id?: number; email?: string; delivery_email?: string; full_name?: string; is_owner?: boolean; is_admin?: boolean; is_moderator?: boolean; is_guest?: boolean; avatar_source?: string; avatar_url?: string; avatar_url_medium?: string; can_create_public_streams?: boolean; can_create_private_streams?: boolean; can_create_web_public_streams?: boolean; can_create_streams?: boolean; can_invite_others_to_realm?: boolean; realm_bots?: ({})[]; realm_embedded_bots?: unknown[]; realm_incoming_webhook_bots?: ({})[]; recent_private_conversations?: ({})[]; subscriptions?: Subscription[]; unsubscribed?: Subscription[]; never_subscribed?: ({})[]; channel_folders?: ChannelFolder[]; unread_msgs?: {}; starred_messages?: number[]; streams?: Channel[]; realm_default_streams?: number[]; realm_default_stream_groups?: unknown[]; stop_words?: string[]; user_status?: {}; has_zoom_token?: boolean; has_webex_token?: boolean; giphy_api_key?: string; tenor_api_key?: string; klipy_api_key?: string; devices?: {}; user_settings?: { twenty_four_hour_time?: boolean | null; web_mark_read_on_scroll_policy?: 1 | 2 | 3; web_channel_default_view?: 1 | 2 | 3 | 4; starred_message_counts?: boolean; receives_typing_notifications?: boolean; web_suggest_update_timezone?: boolean; fluid_layout_width?: boolean; high_contrast_mode?: boolean; web_font_size_px?: number; web_line_height_percent?: number; color_scheme?: 1 | 2 | 3; enable_drafts_synchronization?: boolean; translate_emoticons?: boolean; display_emoji_reaction_users?: boolean; default_language?: string; web_home_view?: "recent" | "inbox" | "all_messages"; web_escape_navigates_to_home_view?: boolean; left_side_userlist?: boolean; emojiset?: "text" | "emoji_set_a" | "emoji_set_b" | "google" | "google-blob" | "twitter"; demote_inactive_streams?: 1 | 2 | 3; user_list_style?: 1 | 2 | 3; web_animate_image_previews?: "always" | "on_hover" | "never"; web_stream_unreads_count_display_policy?: 1 | 2 | 3; hide_ai_features?: boolean; web_inbox_show_channel_folders?: boolean; web_left_sidebar_show_channel_folders?: boolean; web_left_sidebar_unreads_count_summary?: boolean; timezone?: string; enable_stream_desktop_notifications?: boolean; enable_stream_email_notifications?: boolean; enable_stream_push_notifications?: boolean; enable_stream_audible_notifications?: boolean; notification_sound?: string; enable_desktop_notifications?: boolean; enable_sounds?: boolean; email_notifications_batching_period_seconds?: number; enable_offline_email_notifications?: boolean; enable_offline_push_notifications?: boolean; enable_online_push_notifications?: boolean; enable_followed_topic_desktop_notifications?: boolean; enable_followed_topic_email_notifications?: boolean; enable_followed_topic_push_notifications?: boolean; enable_followed_topic_audible_notifications?: boolean; enable_digest_emails?: boolean; enable_marketing_emails?: boolean; enable_login_emails?: boolean; message_content_in_email_notifications?: boolean; pm_content_in_desktop_notifications?: boolean; wildcard_mentions_notify?: boolean; enable_followed_topic_wildcard_mentions_notify?: boolean; desktop_icon_count_display?: 1 | 2 | 3 | 4; realm_name_in_email_notifications_policy?: 1 | 2 | 3; automatically_follow_topics_policy?: 1 | 2 | 3 | 4; automatically_unmute_topics_in_muted_streams_policy?: 1 | 2 | 3 | 4; automatically_follow_topics_where_mentioned?: boolean; resolved_topic_notice_auto_read_policy?: "always" | "except_followed" | "never"; presence_enabled?: boolean; enter_sends?: boolean; send_private_typing_notifications?: boolean; send_stream_typing_notifications?: boolean; send_read_receipts?: boolean; allow_private_data_export?: boolean; email_address_visibility?: 1 | 2 | 3 | 4 | 5; web_navigate_to_sent_message?: boolean }; realm_user_settings_defaults?: { twenty_four_hour_time?: boolean | null; web_mark_read_on_scroll_policy?: 1 | 2 | 3; web_channel_default_view?: 1 | 2 | 3 | 4; starred_message_counts?: boolean; receives_typing_notifications?: boolean; web_suggest_update_timezone?: boolean; fluid_layout_width?: boolean; high_contrast_mode?: boolean; web_font_size_px?: number; web_line_height_percent?: number; color_scheme?: 1 | 2 | 3; enable_drafts_synchronization?: boolean; translate_emoticons?: boolean; display_emoji_reaction_users?: boolean; default_language?: string; web_home_view?: "recent" | "inbox" | "all_messages"; web_escape_navigates_to_home_view?: boolean; left_side_userlist?: boolean; emojiset?: "text" | "emoji_set_a" | "emoji_set_b" | "google" | "google-blob" | "twitter"; demote_inactive_streams?: 1 | 2 | 3; user_list_style?: 1 | 2 | 3; web_animate_image_previews?: "always" | "on_hover" | "never"; web_stream_unreads_count_display_policy?: 1 | 2 | 3; hide_ai_features?: boolean; web_inbox_show_channel_folders?: boolean; web_left_sidebar_show_channel_folders?: boolean; web_left_sidebar_unreads_count_summary?: boolean; timezone?: string; enable_stream_desktop_notifications?: boolean; enable_stream_email_notifications?: boolean; enable_stream_push_notifications?: boolean; enable_stream_audible_notifications?: boolean; notification_sound?: string; enable_desktop_notifications?: boolean; enable_sounds?: boolean; email_notifications_batching_period_seconds?: number; enable_offline_email_notifications?: boolean; enable_offline_push_notifications?: boolean; enable_online_push_notifications?: boolean; enable_followed_topic_desktop_notifications?: boolean; enable_followed_topic_email_notifications?: boolean; enable_followed_topic_push_notifications?: boolean; enable_followed_topic_audible_notifications?: boolean; enable_digest_emails?: boolean; enable_marketing_emails?: boolean; enable_login_emails?: boolean; message_content_in_email_notifications?: boolean; pm_content_in_desktop_notifications?: boolean; wildcard_mentions_notify?: boolean; enable_followed_topic_wildcard_mentions_notify?: boolean; desktop_icon_count_display?: 1 | 2 | 3 | 4; realm_name_in_email_notifications_policy?: 1 | 2 | 3; automatically_follow_topics_policy?: 1 | 2 | 3 | 4; automatically_unmute_topics_in_muted_streams_policy?: 1 | 2 | 3 | 4; automatically_follow_topics_where_mentioned?: boolean; resolved_topic_notice_auto_read_policy?: "always" | "except_followed" | "never"; presence_enabled?: boolean; enter_sends?: boolean; send_private_typing_notifications?: boolean; send_stream_typing_notifications?: boolean; send_read_receipts?: boolean; allow_private_data_export?: boolean; email_address_visibility?: 1 | 2 | 3 | 4 | 5; web_navigate_to_sent_message?: boolean } } };
  /** Register a device of yours. */
  'POST /register_client_device': { params: {}; reply: { device_id: number } };
  /** Get your reminders that were not delivered. */
  'GET /reminders': { params: {}; reply: { reminders: Reminder[] } };
  /** Create a reminder of a message. */
  'POST /reminders': { params: { message_id: number; scheduled_delivery_timestamp: number; note?: string }; reply: { reminder_id: number } };
  /** Delete a reminder. */
  'DELETE /reminders/{reminder_id}': { params: { reminder_id: number }; reply: {} };
  /** Remove a device of yours. */
  'POST /remove_client_device': { params: { device_id: number }; reply: {} };
  /** Get your saved snippets, oldest first. */
  'GET /saved_snippets': { params: {}; reply: { saved_snippets: SavedSnippet[] } };
  /** Save a snippet. */
  'POST /saved_snippets': { params: { title: string; content: string }; reply: { saved_snippet_id: number } };
  /** Delete a saved snippet. */
  'DELETE /saved_snippets/{saved_snippet_id}': { params: { saved_snippet_id: number }; reply: {} };
  /** Change a saved snippet. */
  'PATCH /saved_snippets/{saved_snippet_id}': { params: { saved_snippet_id: number; title?: string; content?: string }; reply: {} };
  /** Get your scheduled messages that were not delivered. */
  'GET /scheduled_messages': { params: {}; reply: { scheduled_messages: ScheduledMessage[] } };
  /** Create a scheduled message. */
  'POST /scheduled_messages': { params: { type: "direct" | "private" | "stream" | "channel"; to: unknown; content: string; topic?: string; scheduled_delivery_timestamp: number; read_by_sender?: boolean }; reply: { scheduled_message_id: number } };
  /** Delete a scheduled message. */
  'DELETE /scheduled_messages/{scheduled_message_id}': { params: { scheduled_message_id: number }; reply: {} };
  /** Edit a scheduled message. */
  'PATCH /scheduled_messages/{scheduled_message_id}': { params: { scheduled_message_id: number; type?: "direct" | "private" | "stream" | "channel"; to?: unknown; content?: string; topic?: string; scheduled_delivery_timestamp?: number }; reply: {} };
  /** Get the settings a client needs before it logs in. */
  'GET /server_settings': { params: {}; reply: { zulip_version: string; zulip_merge_base: string; zulip_feature_level: number; push_notifications_enabled: boolean; is_incompatible: boolean; email_auth_enabled: boolean; require_email_format_usernames: boolean; realm_uri: string; realm_url: string; realm_name: string; realm_icon: string; realm_description: string; realm_web_public_access_enabled: boolean; external_authentication_methods: LoginService[]; authentication_methods: Record<string, boolean> } };
  /** Change the caller's settings or, as an administrator, those of others. */
  'PATCH /settings': { params: { twenty_four_hour_time?: boolean | null; web_mark_read_on_scroll_policy?: 1 | 2 | 3; web_channel_default_view?: 1 | 2 | 3 | 4; starred_message_counts?: boolean; receives_typing_notifications?: boolean; web_suggest_update_timezone?: boolean; fluid_layout_width?: boolean; high_contrast_mode?: boolean; web_font_size_px?: number; web_line_height_percent?: number; color_scheme?: 1 | 2 | 3; enable_drafts_synchronization?: boolean; translate_emoticons?: boolean; display_emoji_reaction_users?: boolean; default_language?: string; web_home_view?: "recent" | "inbox" | "all_messages" | "recent_topics"; web_escape_navigates_to_home_view?: boolean; left_side_userlist?: boolean; emojiset?: "text" | "emoji_set_a" | "emoji_set_b" | "google" | "google-blob" | "twitter"; demote_inactive_streams?: 1 | 2 | 3; user_list_style?: 1 | 2 | 3; web_animate_image_previews?: "always" | "on_hover" | "never"; web_stream_unreads_count_display_policy?: 1 | 2 | 3; hide_ai_features?: boolean; web_inbox_show_channel_folders?: boolean; web_left_sidebar_show_channel_folders?: boolean; web_left_sidebar_unreads_count_summary?: boolean; timezone?: string; enable_stream_desktop_notifications?: boolean; enable_stream_email_notifications?: boolean; enable_stream_push_notifications?: boolean; enable_stream_audible_notifications?: boolean; notification_sound?: "ascend" | "beep_boop" | "bink" | "bright" | "brlip" | "chime" | "deep tom" | "ding" | "double tap" | "down" | "dry bongos" | "dutdut" | "fast ascend" | "flute" | "friendly" | "kick roll" | "loud tintong" | "metallic snare" | "pan" | "practicechat" | "shaker" | "simple" | "stairs" | "subtle" | "swish" | "tintong" | "up" | "wood block" | "zaping" | "zing" | "zulip" | "none"; enable_desktop_notifications?: boolean; enable_sounds?: boolean; email_notifications_batching_period_seconds?: number; enable_offline_email_notifications?: boolean; enable_offline_push_notifications?: boolean; enable_online_push_notifications?: boolean; enable_followed_topic_desktop_notifications?: boolean; enable_followed_topic_email_notifications?: boolean; enable_followed_topic_push_notifications?: boolean; enable_followed_topic_audible_notifications?: boolean; enable_digest_emails?: boolean; enable_marketing_emails?: boolean; enable_login_emails?: boolean; message_content_in_email_notifications?: boolean; pm_content_in_desktop_notifications?: boolean; wildcard_mentions_notify?: boolean; enable_followed_topic_wildcard_mentions_notify?: boolean; desktop_icon_count_display?: 1 | 2 | 3 | 4; realm_name_in_email_notifications_policy?: 1 | 2 | 3; automatically_follow_topics_policy?: 1 | 2 | 3 | 4; automatically_unmute_topics_in_muted_streams_policy?: 1 | 2 | 3 | 4; automatically_follow_topics_where_mentioned?: boolean; resolved_topic_notice_auto_read_policy?: "always" | "except_followed" | "never"; presence_enabled?: boolean; enter_sends?: boolean; send_private_typing_notifications?: boolean; send_stream_typing_notifications?: boolean; send_read_receipts?: boolean; allow_private_data_export?: boolean; email_address_visibility?: 1 | 2 | 3 | 4 | 5; web_navigate_to_sent_message?: boolean; full_name?: string; email?: string; old_password?: string; new_password?: string; target_users?: { user_ids?: number[]; group_ids?: number[]; skip_if_already_edited?: boolean }; regenerate_api_key?: boolean }; reply: { api_key?: string } };
  /** Deprecated alias of PATCH /settings. */
  'PATCH /settings/display': { params: { twenty_four_hour_time?: boolean | null; web_mark_read_on_scroll_policy?: 1 | 2 | 3; web_channel_default_view?: 1 | 2 | 3 | 4; starred_message_counts?: boolean; receives_typing_notifications?: boolean; web_suggest_update_timezone?: boolean; fluid_layout_width?: boolean; high_contrast_mode?: boolean; web_font_size_px?: number; web_line_height_percent?: number; color_scheme?: 1 | 2 | 3; enable_drafts_synchronization?: boolean; translate_emoticons?: boolean; display_emoji_reaction_users?: boolean; default_language?: string; web_home_view?: "recent" | "inbox" | "all_messages" | "recent_topics"; web_escape_navigates_to_home_view?: boolean; left_side_userlist?: boolean; emojiset?: "text" | "emoji_set_a" | "emoji_set_b" | "google" | "google-blob" | "twitter"; demote_inactive_streams?: 1 | 2 | 3; user_list_style?: 1 | 2 | 3; web_animate_image_previews?: "always" | "on_hover" | "never"; web_stream_unreads_count_display_policy?: 1 | 2 | 3; hide_ai_features?: boolean; web_inbox_show_channel_folders?: boolean; web_left_sidebar_show_channel_folders?: boolean; web_left_sidebar_unreads_count_summary?: boolean; timezone?: string; enable_stream_desktop_notifications?: boolean; enable_stream_email_notifications?: boolean; enable_stream_push_notifications?: boolean; enable_stream_audible_notifications?: boolean; notification_sound?: "ascend" | "beep_boop" | "bink" | "bright" | "brlip" | "chime" | "deep tom" | "ding" | "double tap" | "down" | "dry bongos" | "dutdut" | "fast ascend" | "flute" | "friendly" | "kick roll" | "loud tintong" | "metallic snare" | "pan" | "practicechat" | "shaker" | "simple" | "stairs" | "subtle" | "swish" | "tintong" | "up" | "wood block" | "zaping" | "zing" | "zulip" | "none"; enable_desktop_notifications?: boolean; enable_sounds?: boolean; email_notifications_batching_period_seconds?: number; enable_offline_email_notifications?: boolean; enable_offline_push_notifications?: boolean; enable_online_push_notifications?: boolean; enable_followed_topic_desktop_notifications?: boolean; enable_followed_topic_email_notifications?: boolean; enable_followed_topic_push_notifications?: boolean; enable_followed_topic_audible_notifications?: boolean; enable_digest_emails?: boolean; enable_marketing_emails?: boolean; enable_login_emails?: boolean; message_content_in_email_notifications?: boolean; pm_content_in_desktop_notifications?: boolean; wildcard_mentions_notify?: boolean; enable_followed_topic_wildcard_mentions_notify?: boolean; desktop_icon_count_display?: 1 | 2 | 3 | 4; realm_name_in_email_notifications_policy?: 1 | 2 | 3; automatically_follow_topics_policy?: 1 | 2 | 3 | 4; automatically_unmute_topics_in_muted_streams_policy?: 1 | 2 | 3 | 4; automatically_follow_topics_where_mentioned?: boolean; resolved_topic_notice_auto_read_policy?: "always" | "except_followed" | "never"; presence_enabled?: boolean; enter_sends?: boolean; send_private_typing_notifications?: boolean; send_stream_typing_notifications?: boolean; send_read_receipts?: boolean; allow_private_data_export?: boolean; email_address_visibility?: 1 | 2 | 3 | 4 | 5; web_navigate_to_sent_message?: boolean; full_name?: string; email?: string; old_password?: string; new_password?: string; target_users?: { user_ids?: number[]; group_ids?: number[]; skip_if_already_edited?: boolean }; regenerate_api_key?: boolean }; reply: { api_key?: string } };
  /** Deprecated alias of PATCH /settings. */
  'PATCH /settings/notifications': { params: { twenty_four_hour_time?: boolean | null; web_mark_read_on_scroll_policy?: 1 | 2 | 3; web_channel_default_view?: 1 | 2 | 3 | 4; starred_message_counts?: boolean; receives_typing_notifications?: boolean; web_suggest_update_timezone?: boolean; fluid_layout_width?: boolean; high_contrast_mode?: boolean; web_font_size_px?: number; web_line_height_percent?: number; color_scheme?: 1 | 2 | 3; enable_drafts_synchronization?: boolean; translate_emoticons?: boolean; display_emoji_reaction_users?: boolean; default_language?: string; web_home_view?: "recent" | "inbox" | "all_messages" | "recent_topics"; web_escape_navigates_to_home_view?: boolean; left_side_userlist?: boolean; emojiset?: "text" | "emoji_set_a" | "emoji_set_b" | "google" | "google-blob" | "twitter"; demote_inactive_streams?: 1 | 2 | 3; user_list_style?: 1 | 2 | 3; web_animate_image_previews?: "always" | "on_hover" | "never"; web_stream_unreads_count_display_policy?: 1 | 2 | 3; hide_ai_features?: boolean; web_inbox_show_channel_folders?: boolean; web_left_sidebar_show_channel_folders?: boolean; web_left_sidebar_unreads_count_summary?: boolean; timezone?: string; enable_stream_desktop_notifications?: boolean; enable_stream_email_notifications?: boolean; enable_stream_push_notifications?: boolean; enable_stream_audible_notifications?: boolean; notification_sound?: "ascend" | "beep_boop" | "bink" | "bright" | "brlip" | "chime" | "deep tom" | "ding" | "double tap" | "down" | "dry bongos" | "dutdut" | "fast ascend" | "flute" | "friendly" | "kick roll" | "loud tintong" | "metallic snare" | "pan" | "practicechat" | "shaker" | "simple" | "stairs" | "subtle" | "swish" | "tintong" | "up" | "wood block" | "zaping" | "zing" | "zulip" | "none"; enable_desktop_notifications?: boolean; enable_sounds?: boolean; email_notifications_batching_period_seconds?: number; enable_offline_email_notifications?: boolean; enable_offline_push_notifications?: boolean; enable_online_push_notifications?: boolean; enable_followed_topic_desktop_notifications?: boolean; enable_followed_topic_email_notifications?: boolean; enable_followed_topic_push_notifications?: boolean; enable_followed_topic_audible_notifications?: boolean; enable_digest_emails?: boolean; enable_marketing_emails?: boolean; enable_login_emails?: boolean; message_content_in_email_notifications?: boolean; pm_content_in_desktop_notifications?: boolean; wildcard_mentions_notify?: boolean; enable_followed_topic_wildcard_mentions_notify?: boolean; desktop_icon_count_display?: 1 | 2 | 3 | 4; realm_name_in_email_notifications_policy?: 1 | 2 | 3; automatically_follow_topics_policy?: 1 | 2 | 3 | 4; automatically_unmute_topics_in_muted_streams_policy?: 1 | 2 | 3 | 4; automatically_follow_topics_where_mentioned?: boolean; resolved_topic_notice_auto_read_policy?: "always" | "except_followed" | "never"; presence_enabled?: boolean; enter_sends?: boolean; send_private_typing_notifications?: boolean; send_stream_typing_notifications?: boolean; send_read_receipts?: boolean; allow_private_data_export?: boolean; email_address_visibility?: 1 | 2 | 3 | 4 | 5; web_navigate_to_sent_message?: boolean; full_name?: string; email?: string; old_password?: string; new_password?: string; target_users?: { user_ids?: number[]; group_ids?: number[]; skip_if_already_edited?: boolean }; regenerate_api_key?: boolean }; reply: { api_key?: string } };
  /** Get the channels you can see. */
  'GET /streams': { params: { include_public?: boolean; include_web_public?: boolean; include_subscribed?: boolean; exclude_archived?: boolean; include_all?: boolean; include_default?: boolean; include_owner_subscribed?: boolean; include_can_access_content?: boolean }; reply: { streams: ListedChannel[] } };
  /** Archive a channel; its messages stay readable. */
  'DELETE /streams/{stream_id}': { params: { stream_id: number }; reply: {} };
  /** Get a channel. */
  'GET /streams/{stream_id}': { params: { stream_id: number }; reply: { stream: Channel } };
  /** Change a channel, or unarchive it. */
  'PATCH /streams/{stream_id}': { params: { stream_id: number; description?: string; new_name?: string; is_private?: boolean; is_web_public?: boolean; history_public_to_subscribers?: boolean; is_default_stream?: boolean; message_retention_days?: number | "realm_default" | "unlimited"; is_archived?: boolean; folder_id?: number | null; topics_policy?: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only"; can_add_subscribers_group?: GroupSettingChange; can_administer_channel_group?: GroupSettingChange; can_create_topic_group?: GroupSettingChange; can_delete_any_message_group?: GroupSettingChange; can_delete_own_message_group?: GroupSettingChange; can_move_messages_out_of_channel_group?: GroupSettingChange; can_move_messages_within_channel_group?: GroupSettingChange; can_remove_subscribers_group?: GroupSettingChange; can_resolve_topics_group?: GroupSettingChange; can_send_message_group?: GroupSettingChange; can_subscribe_group?: GroupSettingChange }; reply: {} };
  /** Delete a topic and all its messages. */
  'POST /streams/{stream_id}/delete_topic': { params: { stream_id: number; topic_name: string }; reply: { complete: boolean } };
  /** Get an address whose mails become messages in a channel. */
  'GET /streams/{stream_id}/email_address': { params: { stream_id: number; sender_id?: number }; reply: { email: string } };
  /** Get the subscribers of a channel. */
  'GET /streams/{stream_id}/members': { params: { stream_id: number }; reply: { subscribers: number[] } };
  /** Vote in a poll, or change a to-do list. */
  'POST /submessage': { params: { message_id: number; msg_type: "widget"; content: string }; reply: {} };
  /** Get whether an uploaded picture has its thumbnails. */
  'GET /thumbnail/status/{realm_id}/{file_path}': { params: { realm_id: number; file_path: string }; reply: { has_thumbnail: boolean } };
  /** Set your typing status. */
  'POST /typing': { params: { op: "start" | "stop"; type?: "direct" | "private" | "stream" | "channel"; to?: (number | string)[] | number | string; stream_id?: number; topic?: string }; reply: {} };
  /** Get the user groups, system groups included. */
  'GET /user_groups': { params: { include_deactivated_groups?: boolean }; reply: { user_groups: UserGroup[] } };
  /** Create a user group. */
  'POST /user_groups/create': { params: { name: string; description: string; members: number[]; subgroups?: number[]; can_add_members_group?: GroupSettingInput; can_join_group?: GroupSettingInput; can_leave_group?: GroupSettingInput; can_manage_group?: GroupSettingInput; can_mention_group?: GroupSettingInput; can_remove_members_group?: GroupSettingInput }; reply: { group_id: number } };
  /** Change a user group, or reactivate it. */
  'PATCH /user_groups/{user_group_id}': { params: { user_group_id: number; name?: string; description?: string; deactivated?: boolean; can_add_members_group?: GroupSettingChange; can_join_group?: GroupSettingChange; can_leave_group?: GroupSettingChange; can_manage_group?: GroupSettingChange; can_mention_group?: GroupSettingChange; can_remove_members_group?: GroupSettingChange }; reply: {} };
  /** Deactivate a user group that nothing uses. */
  'POST /user_groups/{user_group_id}/deactivate': { params: { user_group_id: number }; reply: {} };
  /** Get the members of a user group. */
  'GET /user_groups/{user_group_id}/members': { params: { user_group_id: number; direct_member_only?: boolean }; reply: { members: number[] } };
  /** Add and remove members and subgroups of a user group. */
  'POST /user_groups/{user_group_id}/members': { params: { user_group_id: number; add?: number[]; delete?: number[]; add_subgroups?: number[]; delete_subgroups?: number[] }; reply: {} };
  /** Get whether a user is a member of a user group. */
  'GET /user_groups/{user_group_id}/members/{user_id}': { params: { user_group_id: number; user_id: number; direct_member_only?: boolean }; reply: { is_user_group_member: boolean } };
  /** Get the subgroups of a user group. */
  'GET /user_groups/{user_group_id}/subgroups': { params: { user_group_id: number; direct_subgroup_only?: boolean }; reply: { subgroups: number[] } };
  /** Add and remove subgroups of a user group. */
  'POST /user_groups/{user_group_id}/subgroups': { params: { user_group_id: number; add?: number[]; delete?: number[] }; reply: {} };
  /** Mute, unmute or follow a topic. */
  'POST /user_topics': { params: { stream_id: number; topic: string; visibility_policy: 0 | 1 | 2 | 3 }; reply: {} };
  /** Upload a file. */
  'POST /user_uploads': { params: {}; reply: { url: string; uri: string; filename: string } };
  /** Get an address of an uploaded file that works without credentials for a minute. */
  'GET /user_uploads/{realm_id}/{path}': { params: { realm_id: number; path: string }; reply: { url: string } };
  /** Get the users of the organization. */
  'GET /users': { params: { client_gravatar?: boolean; include_custom_profile_fields?: boolean; user_ids?: number[] }; reply: { members: User[] } };
  /** Create a user. */
  'POST /users': { params: { email: string; full_name: string; password: string }; reply: { user_id: number } };
  /** Deactivate your own account. */
  'DELETE /users/me': { params: {}; reply: {} };
  /** Get your own profile. */
  'GET /users/me': { params: {}; reply: { user_id: number; delivery_email: string | null; email: string; full_name: string; date_joined: string; is_active: boolean; is_owner: boolean; is_admin: boolean; is_guest: boolean; is_bot: boolean; bot_type: number | null; bot_owner_id: number | null; role: number; timezone: string; avatar_url: string | null; avatar_version: number; is_imported_stub: boolean; presence_enabled: boolean; is_deleted?: boolean; is_system_bot?: boolean; profile_data?: Record<string, { value: string; rendered_value?: string }>; max_message_id: number } };
  /** Remove alert words. */
  'DELETE /users/me/alert_words': { params: { alert_words: string[] }; reply: { alert_words: string[] } };
  /** Get your alert words. */
  'GET /users/me/alert_words': { params: {}; reply: { alert_words: string[] } };
  /** Add alert words. */
  'POST /users/me/alert_words': { params: { alert_words: string[] }; reply: { alert_words: string[] } };
  /** Remove an FCM registration token (deprecated). */
  'DELETE /users/me/android_gcm_reg_id': { params: { token: string }; reply: {} };
  /** Add an FCM registration token (deprecated). */
  'POST /users/me/android_gcm_reg_id': { params: { token: string }; reply: {} };
  /** Replace your own API key. */
  'POST /users/me/api_key/regenerate': { params: {}; reply: { api_key: string } };
  /** Remove an APNs device token (deprecated). */
  'DELETE /users/me/apns_device_token': { params: { token: string }; reply: {} };
  /** Add an APNs device token (deprecated). */
  'POST /users/me/apns_device_token': { params: { token: string; appid: string }; reply: {} };
  /** Remove the picture of yourself. */
  'DELETE /users/me/avatar': { params: {}; reply: { avatar_url: string } };
  /** Upload a picture of yourself. */
  'POST /users/me/avatar': { params: {}; reply: { avatar_url: string } };
  /** Unmute a user. */
  'DELETE /users/me/muted_users/{muted_user_id}': { params: { muted_user_id: number }; reply: {} };
  /** Mute a user. */
  'POST /users/me/muted_users/{muted_user_id}': { params: { muted_user_id: number }; reply: {} };
  /** Mark an onboarding step as done. */
  'POST /users/me/onboarding_steps': { params: { onboarding_step: "visibility_policy_banner" | "intro_inbox_view_modal" | "intro_recent_view_modal" | "first_stream_created_banner" | "jump_to_conversation_banner" | "non_interleaved_view_messages_fading" | "interleaved_view_messages_fading" | "intro_resolve_topic" }; reply: {} };
  /** Report your presence and get that of others. */
  'POST /users/me/presence': { params: { status: "active" | "idle"; last_update_id?: number; history_limit_days?: number; ping_only?: boolean; new_user_input?: boolean; slim_presence?: boolean }; reply: { presence_last_update_id: number; server_timestamp?: number; presences?: Record<string, Presence | LegacyPresence> } };
  /** Clear custom profile fields. */
  'DELETE /users/me/profile_data': { params: { data: number[] }; reply: {} };
  /** Fill in custom profile fields. */
  'PATCH /users/me/profile_data': { params: { data: ({ id: number; value: unknown })[] }; reply: {} };
  /** Log yourself out in all browsers. */
  'DELETE /users/me/sessions': { params: {}; reply: {} };
  /** Get the browsers in which you are logged in. */
  'GET /users/me/sessions': { params: {}; reply: { sessions: Session[] } };
  /** Log yourself out in one browser. */
  'DELETE /users/me/sessions/{session_id}': { params: { session_id: number }; reply: {} };
  /** Set your own status. */
  'POST /users/me/status': { params: { status_text?: string; emoji_name?: string; emoji_code?: string; reaction_type?: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji" | ""; away?: boolean }; reply: {} };
  /** Unsubscribe yourself or others from channels. */
  'DELETE /users/me/subscriptions': { params: { subscriptions: (number | string)[] | number | string; principals?: (number | string)[] | number | string }; reply: { removed: string[]; not_removed: string[] } };
  /** Get your subscriptions. */
  'GET /users/me/subscriptions': { params: { include_subscribers?: boolean | "partial" }; reply: { subscriptions: Subscription[] } };
  /** Subscribe to channels and unsubscribe from others at once. */
  'PATCH /users/me/subscriptions': { params: { add?: ({ name: string; description?: string | null; color?: string | null })[]; delete?: (number | string)[] | number | string }; reply: { subscribed: Record<string, string[]>; already_subscribed: Record<string, string[]>; removed: string[]; not_removed: string[] } };
  /** Subscribe yourself or others to channels. */
  'POST /users/me/subscriptions': { params: { subscriptions: ({ name: string; description?: string | null; color?: string | null })[]; principals?: (number | string)[] | number | string; authorization_errors_fatal?: boolean; announce?: boolean; send_new_subscription_messages?: boolean; invite_only?: boolean; is_web_public?: boolean; is_default_stream?: boolean; history_public_to_subscribers?: boolean; message_retention_days?: number | "realm_default" | "unlimited"; topics_policy?: "inherit" | "allow_empty_topic" | "disable_empty_topic" | "empty_topic_only"; folder_id?: number | null; can_add_subscribers_group?: GroupSettingInput; can_administer_channel_group?: GroupSettingInput; can_create_topic_group?: GroupSettingInput; can_delete_any_message_group?: GroupSettingInput; can_delete_own_message_group?: GroupSettingInput; can_move_messages_out_of_channel_group?: GroupSettingInput; can_move_messages_within_channel_group?: GroupSettingInput; can_remove_subscribers_group?: GroupSettingInput; can_resolve_topics_group?: GroupSettingInput; can_send_message_group?: GroupSettingInput; can_subscribe_group?: GroupSettingInput }; reply: { subscribed: Record<string, string[]>; already_subscribed: Record<string, string[]>; unauthorized?: string[]; new_subscription_messages_sent?: boolean } };
  /** Mute or unmute a topic (legacy). */
  'PATCH /users/me/subscriptions/muted_topics': { params: { stream_id?: number; stream?: string; topic: string; op: "add" | "remove" }; reply: {} };
  /** Change settings of several of your subscriptions. */
  'POST /users/me/subscriptions/properties': { params: { subscription_data: ({ stream_id: number; property: "color" | "is_muted" | "in_home_view" | "pin_to_top" | "desktop_notifications" | "audible_notifications" | "push_notifications" | "email_notifications" | "wildcard_mentions_notify"; value: boolean | string })[] }; reply: {} };
  /** Change a setting of one of your subscriptions. */
  'PATCH /users/me/subscriptions/{stream_id}': { params: { stream_id: number; property: "color" | "is_muted" | "in_home_view" | "pin_to_top" | "desktop_notifications" | "audible_notifications" | "push_notifications" | "email_notifications" | "wildcard_mentions_notify"; value: boolean | string }; reply: {} };
  /** Switch two-factor authentication off. */
  'DELETE /users/me/two_factor': { params: { password: string; code: string }; reply: {} };
  /** Get whether your logins by password need a second factor. */
  'GET /users/me/two_factor': { params: {}; reply: { enabled: boolean; recovery_codes_left: number } };
  /** Switch two-factor authentication on by a first code. */
  'PATCH /users/me/two_factor': { params: { code: string }; reply: { recovery_codes: string[] } };
  /** Get a secret for your authenticator app. */
  'POST /users/me/two_factor': { params: { password: string }; reply: { secret: string; otpauth_url: string } };
  /** Get the topics of a channel, newest first. */
  'GET /users/me/{stream_id}/topics': { params: { stream_id: number; allow_empty_topic_name?: boolean }; reply: { topics: ({ name: string; max_id: number })[] } };
  /** Get a user's presence. */
  'GET /users/{user_id_or_email}/presence': { params: { user_id_or_email: string }; reply: { presence: { active_timestamp: number; idle_timestamp: number; website: { status: "active" | "idle"; timestamp: number }; aggregated: { status: "active" | "idle" | "offline"; timestamp: number } }; server_timestamp: number } };
  /** Deactivate an account. */
  'DELETE /users/{user_id}': { params: { user_id: number; deactivation_notification_comment?: string | null; actions?: { delete_profile?: boolean; delete_public_channel_messages?: boolean; delete_private_channel_messages?: boolean; delete_direct_messages?: boolean } }; reply: {} };
  /** Get a user by id. */
  'GET /users/{user_id}': { params: { user_id: number; client_gravatar?: boolean; include_custom_profile_fields?: boolean }; reply: { user: User } };
  /** Change an account: name, role, profile, address. */
  'PATCH /users/{user_id}': { params: { user_id: number; full_name?: string; role?: 100 | 200 | 300 | 400 | 600; profile_data?: ({ id: number; value: unknown })[]; new_email?: string; old_password?: string }; reply: {} };
  /** Get the channels a user is subscribed to. */
  'GET /users/{user_id}/channels': { params: { user_id: number }; reply: { subscribed_channel_ids: number[] } };
  /** Reactivate an account. */
  'POST /users/{user_id}/reactivate': { params: { user_id: number }; reply: {} };
  /** Get somebody's status. */
  'GET /users/{user_id}/status': { params: { user_id: number }; reply: { status: UserStatus } };
  /** Set somebody's status. */
  'POST /users/{user_id}/status': { params: { user_id: number; status_text?: string; emoji_name?: string; emoji_code?: string; reaction_type?: "unicode_emoji" | "realm_emoji" | "zulip_extra_emoji" | "" }; reply: {} };
  /** Get whether a user is subscribed to a channel. */
  'GET /users/{user_id}/subscriptions/{stream_id}': { params: { user_id: number; stream_id: number }; reply: { is_subscribed: boolean } };
  /** Run a slash command that changes a setting of your own. */
  'POST /zcommand': { params: { command: string }; reply: {} };
}
