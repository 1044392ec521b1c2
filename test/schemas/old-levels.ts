/*
 * What carries no feature level: it is as old as level 248, or the protocol does not have it. Nothing is added here:
 * whatever is new has its level.
 */

/** Operations. */
export const OLD_OPERATIONS: ReadonlySet<string> = new Set(
  `
acknowledge-events add-alert-words add-code-playground add-default-channel archive-channel begin-two-factor
check-subdomain confirm-two-factor create-bot create-drafts create-socket-ticket create-user create-video-call
deactivate-bot deactivate-custom-emoji deactivate-own-user deactivate-realm delete-avatar
delete-custom-profile-field delete-draft delete-message delete-queue delete-realm-export download-uploaded-file
drop-queue edit-draft export-realm get-alert-words get-audit-log get-bot-storage get-bots get-channel-id get-console
get-custom-emoji get-custom-profile-fields get-drafts get-export-file get-file-temporary-url get-invites
get-realm-domains get-realm-exports get-realm-icon get-realm-logo get-realm-presence get-temporary-file
get-thumbnail get-two-factor get-uploaded-file get-user-group-subgroups get-video-call mark-stream-as-read
mark-topic-as-read open-event-socket open-event-stream reactivate-user probe-webhook receive-webhook regenerate-bot-api-key
remove-alert-words remove-attachment remove-bot-storage remove-code-playground remove-default-channel
remove-linkifier remove-own-profile-data remove-realm-domain remove-realm-icon remove-realm-logo remove-two-factor
render-message reorder-custom-profile-fields reorder-linkifiers resend-invite revoke-invite revoke-invite-link
update-bot-storage update-own-profile-data update-own-status update-realm-domain update-subscriptions upload-avatar
upload-custom-emoji upload-realm-icon upload-realm-logo zcommand
`.match(/\S+/g),
);

/** Events; of those with several forms `type:op`. */
export const OLD_EVENTS: ReadonlySet<string> = new Set(
  `
alert_words attachment:add attachment:update attachment:remove custom_profile_fields default_streams delete_message
drafts:add drafts:update drafts:remove heartbeat invites_changed message muted_topics muted_users onboarding_steps
presence reaction:add reaction:remove realm:update realm:update_dict realm:deactivated realm_bot:add
realm_bot:update realm_bot:delete realm_domains:add realm_domains:change realm_domains:remove realm_emoji:update
realm_linkifiers realm_playgrounds realm_user:add realm_user:remove realm_user:update
realm_user_settings_defaults:update restart scheduled_messages:add scheduled_messages:update
scheduled_messages:remove stream:create stream:delete stream:update submessage subscription:add subscription:remove
subscription:update subscription:peer_add subscription:peer_remove typing:start typing:stop update_message
update_message_flags:add update_message_flags:remove user_group:add user_group:update user_group:add_members
user_group:remove_members user_group:add_subgroups user_group:remove_subgroups user_group:remove
user_settings:update user_status user_topic
`
    .match(/\S+/g)!
    .map((name) => name.replace(':', ' ')),
);
