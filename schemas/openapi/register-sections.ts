import { ChannelFolderDocument } from '../channels/channel-folders.js';
import { ChannelObject, SubscriptionObject } from '../channels/channel.js';
import { GroupDocument } from '../groups/user-group.js';
import { Draft } from '../personal/drafts.js';
import { MutedUser } from '../personal/muted-users.js';
import { NavigationView } from '../personal/navigation-views.js';
import { OnboardingStep } from '../personal/onboarding.js';
import { SavedSnippet } from '../personal/saved-snippets.js';
import { LinkifierObject } from '../realm/linkifiers.js';
import { PlaygroundObject } from '../realm/playgrounds.js';
import { RealmDomain } from '../realm/realm-domains.js';
import { Reminder } from '../scheduling/reminders.js';
import { ScheduledMessage } from '../scheduling/scheduled-messages.js';
import { UserTopic } from '../topics/user-topics.js';
import { ProfileField } from '../users/profile-fields.js';
import { UserObject } from '../users/users.js';
import { published, type Json } from './json-schema.js';
import { int, num, str, bool, list, map, orNull, INTS, TEXTS } from './register-kinds.js';

/** All other sections; each text names the one that brings the field, where it has another name. */
export const SECTION_FIELDS: Readonly<Record<string, Json>> = {
  alert_words: list('Words and phrases whose use notifies the caller.', TEXTS),
  custom_profile_fields: list(
    'Custom profile fields, in the order in which they are shown.',
    published(ProfileField),
  ),
  custom_profile_field_types: map(
    'Kinds of profile fields by name, each with `id` and `name`. Section `custom_profile_fields`.',
  ),
  onboarding_steps: list('Hints the caller has not dismissed yet.', published(OnboardingStep)),
  navigation_tour_video_url: orNull(
    str(
      'Address of a video for newcomers; null here. Section `onboarding_steps`.',
      'https://video.example.com/tour',
    ),
  ),
  max_message_id: int(
    'Id of the newest message the caller received, -1 without one. Section `message`.',
    3,
  ),
  drafts: list(
    'The caller’s drafts, the newest edit first; none while they are not synchronized.',
    published(Draft),
  ),
  saved_snippets: list('The caller’s snippets, oldest first.', published(SavedSnippet)),
  scheduled_messages: list(
    'Messages the caller scheduled and that were not delivered, by delivery time; failed ones too.',
    published(ScheduledMessage),
  ),
  reminders: list('Reminders of the caller, by delivery time.', published(Reminder)),
  navigation_views: list('Views the caller added or arranged.', published(NavigationView)),
  muted_topics: list(
    'Muted topics as `[channel name, topic, UNIX seconds]`; left out where `user_topic` was asked for by name.',
    {},
    [['general', 'castle', 1_750_000_000]],
  ),
  muted_users: list(
    'People whose messages the caller hides, each with `id` and `timestamp`.',
    published(MutedUser),
  ),
  user_topics: list(
    'Topics the caller treats in a way of their own. Section `user_topic`.',
    published(UserTopic),
  ),
  presences: map(
    'Who was there when: by user id (modern) or by e-mail address. Section `presence`.',
  ),
  presence_last_update_id: int(
    'Cursor for `POST /users/me/presence`, -1 without any presence. Section `presence`.',
  ),
  server_timestamp: num('Time of the server, UNIX seconds with a fraction. Section `presence`.'),
  realm_domains: list('Allowed domains, each with `allow_subdomains`.', published(RealmDomain)),
  realm_emoji: map('Custom emoji by id, deactivated ones included.'),
  realm_linkifiers: list(
    'Linkifiers, in the order in which they are tried; none without the capability `linkifier_url_template`.',
    published(LinkifierObject),
  ),
  realm_filters: list('Older form of linkifiers; always empty.', {}, []),
  realm_playgrounds: list(
    'Pages on which clients can try code blocks out, by language.',
    published(PlaygroundObject),
  ),
  realm_user_groups: list(
    'User groups by id, those of the system included; deactivated ones only with the capability.',
    published(GroupDocument),
  ),
  realm_billing: map('State of a paid plan; there is none.'),
  realm_users: list(
    'Active accounts the caller may see, by id. Section `realm_user`; of `near_users` the caller and those of direct conversations alone.',
    published(UserObject),
  ),
  realm_non_active_users: list(
    'Deactivated accounts. Section `realm_user`.',
    published(UserObject),
  ),
  cross_realm_bots: list('System bots. Section `realm_user`.', published(UserObject)),
  user_id: int('Id of the caller. Section `realm_user`.'),
  email: str('API e-mail address of the caller. Section `realm_user`.'),
  delivery_email: str('Real e-mail address of the caller. Section `realm_user`.'),
  full_name: str('Name of the caller. Section `realm_user`.'),
  is_owner: bool('Whether the caller is an owner. Section `realm_user`.'),
  is_admin: bool('Whether the caller is an administrator; true for owners. Section `realm_user`.'),
  is_moderator: bool('Whether the caller is a moderator or above. Section `realm_user`.'),
  is_guest: bool('Whether the caller is a guest. Section `realm_user`.'),
  avatar_source: str(
    'Where the caller’s picture comes from: `G` gravatar.com, `U` uploaded, `J` made by this server. Section `realm_user`.',
    'G',
  ),
  avatar_url: str('Address of the caller’s picture. Section `realm_user`.'),
  avatar_url_medium: str('Address of a larger form of it. Section `realm_user`.'),
  can_create_public_streams: bool(
    'Whether the caller may make public channels. Section `realm_user`.',
  ),
  can_create_private_streams: bool(
    'Whether the caller may make private channels. Section `realm_user`.',
  ),
  can_create_web_public_streams: bool(
    'Whether the caller may make web-public channels. Section `realm_user`.',
  ),
  can_create_streams: bool(
    'Whether the caller may make public or private channels. Section `realm_user`.',
  ),
  can_invite_others_to_realm: bool(
    'Whether the caller may invite people by mail. Section `realm_user`.',
  ),
  realm_bots: list('Bots of the caller, or all for administrators. Section `realm_bot`.', {
    type: 'object',
  }),
  realm_embedded_bots: list('Programs for embedded bots; there are none.', {}, []),
  realm_incoming_webhook_bots: list(
    'Services whose webhooks `POST /external/{integration}` takes, by name.',
    { type: 'object' },
  ),
  recent_private_conversations: list(
    'Direct conversations of late, newest first, each with `user_ids` of the others and `max_message_id`.',
    { type: 'object' },
  ),
  subscriptions: list(
    'Channels the caller is subscribed to. Section `subscription`.',
    published(SubscriptionObject),
  ),
  unsubscribed: list(
    'Channels the caller was subscribed to before. Section `subscription`.',
    published(SubscriptionObject),
  ),
  never_subscribed: list('Other channels the caller can see. Section `subscription`.', {
    type: 'object',
  }),
  channel_folders: list(
    'Folders of channels in their order, archived ones included.',
    published(ChannelFolderDocument),
  ),
  unread_msgs: map(
    'Unread messages by conversation, the newest 50,000. Sections `message` and `update_message_flags` together.',
  ),
  starred_messages: list('Ids of starred messages, ascending.', INTS, [1]),
  streams: list('All channels the caller can see. Section `stream`.', published(ChannelObject)),
  realm_default_streams: list(
    'Ids of the channels new accounts are subscribed to; none for guests. Section `default_streams`.',
    INTS,
    [1],
  ),
  realm_default_stream_groups: list(
    'Groups of default channels; there are none. Section `default_stream_groups`.',
    {},
    [],
  ),
  stop_words: list('Words too common to search for.', TEXTS, ['the', 'and']),
  user_status: map('Status of those who have one, by user id.'),
  has_zoom_token: bool(
    'Whether the caller’s Zoom account is connected; always false. Section `video_calls`.',
  ),
  has_webex_token: bool(
    'Whether the caller’s Webex account is connected; always false. Section `video_calls`.',
  ),
  giphy_api_key: str('Key for pictures of GIPHY; empty here. Section `giphy`.', ''),
  tenor_api_key: str('Key for pictures of Tenor; empty here. Section `tenor`.', ''),
  klipy_api_key: str('Key for pictures of KLIPY; empty here. Section `klipy`.', ''),
  devices: map('Client devices of the caller by id, with the state of their push registration.'),
};
