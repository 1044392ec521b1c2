import { parameterTexts } from '../parameter-texts.js';

/** Parameters about invitations. */
export const invitationTexts = parameterTexts({
  invite_id: 'Id of an invitation; ids of mailed invitations and of reusable links are separate.',
  invitee_emails:
    'Addresses to invite, joined by commas or line ends; `Name <address>` is understood.',
  invite_expires_in_minutes:
    'Minutes until the invitation ends; null for never. Without it the server’s default, 14400 (10 days). Since level 126, null since 117.',
  invite_as:
    'Role of the new account: 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest. Nobody invites above their own role.',
  stream_ids: 'Channels the new account is subscribed to; each must be one the caller can see.',
  group_ids: 'User groups the new account becomes a member of. Since level 322.',
  include_realm_default_subscriptions:
    'Whether the organization’s default channels are added to `stream_ids`. Since level 261.',
  notify_referrer_on_join:
    'Whether the inviter is notified by a direct message when the invitation is used. Since level 267.',
  welcome_message_custom_text:
    'Second greeting of the Welcome Bot, in Markdown, at most 8000 code points: null for the organization’s, empty for none. Honored for administrators. Since level 416.',
});
