import { plainSettings } from '../../../../schemas/users/plain-setting-values.js';
import { DERIVED_USER_SETTINGS } from '../../../../schemas/users/user-settings.js';
import { botsSeenBy } from '../../../organization/users/bots.js';
import { defaultChannelIds } from '../../../organization/views/channel-view.js';
import {
  maxMessageId,
  recentPrivateConversations,
} from '../../../organization/messages/reading/unread.js';
import { customEmojiMap } from '../../../organization/views/custom-emoji-view.js';
import { deviceStates } from '../../../organization/personal/push.js';
import { draftsOf } from '../../../organization/personal/drafts.js';
import { savedSnippets } from '../../../organization/personal/saved-snippets.js';
import { linkifierList } from '../../../organization/realm/linkifiers.js';
import { onboardingSteps } from '../../../organization/personal/onboarding.js';
import { navigationViews } from '../../../organization/personal/navigation-views.js';
import type { Organization } from '../../../organization/state/organization.js';
import { nearUsers, userSettingsObject } from '../../../organization/users/people-snapshot.js';
import { playgroundList } from '../../../organization/realm/playgrounds.js';
import { profileFieldView } from '../../../organization/state/collections/profile-fields.js';
import { LEGACY_SETTINGS } from './legacy-settings.js';
import { remindersSection, scheduledMessagesSection } from './scheduled-sections.js';
import { SHARED_SECTIONS } from './shared-sections.js';
import { TEXT_SECTIONS } from './text-sections.js';
import type { RegisterParams, SnapshotRequest } from './queue-request.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import { shownTopic } from '../../../journal/renderers/message.js';
import { mutedTopics, userTopics } from '../../../organization/topics/topic-policy.js';

type Fields = Record<string, unknown>;

/**
 * The sections of the snapshot (register.md#sections), by the name that fetches them, except those
 * of which the text is cached (`TEXT_SECTIONS`, `SHARED_SECTIONS`).
 */
export const SECTIONS: Readonly<Record<string, (request: SnapshotRequest) => Fields>> = {
  alert_words: ({ org, user }) => ({ alert_words: org.alertWords.of(user.user_id) }),
  custom_profile_fields: ({ org }) => ({
    custom_profile_fields: org.profileFields.ordered().map(profileFieldView),
    custom_profile_field_types: PROFILE_FIELD_TYPES,
  }),
  onboarding_steps: ({ org, user }) => ({
    onboarding_steps: onboardingSteps(org, user.user_id),
    navigation_tour_video_url: null,
  }),
  message: ({ org, user }) => ({ max_message_id: maxMessageId(org, user) }),
  drafts: ({ org, user }) => ({ drafts: draftsOf(org, user.user_id) }),
  saved_snippets: ({ org, user }) => ({ saved_snippets: savedSnippets(org, user.user_id) }),
  scheduled_messages: ({ org, user, schedule }) => scheduledMessagesSection(org, user, schedule),
  reminders: ({ org, user, schedule }) => remindersSection(org, user, schedule),
  navigation_views: ({ org, user }) => ({
    navigation_views: navigationViews(org, user.user_id),
  }),
  // Left out for clients that name its successor `user_topic`.
  muted_topics: ({ org, user, params, named }) =>
    named('user_topic') ? {} : mutedTopicsSection(org, user, params),
  muted_users: ({ org, user }) => ({ muted_users: org.mutedUsers.list(user.user_id) }),
  user_topic: ({ org, user, params }) => userTopicsSection(org, user, params),
  realm_user_settings_defaults: ({ org, params }) => ({
    realm_user_settings_defaults: settingsTold(settingsDefaults(org), params),
  }),
  realm_domains: ({ org }) => ({ realm_domains: org.domains.list() }),
  realm_emoji: ({ org }) => ({ realm_emoji: customEmojiMap(org) }),
  realm_linkifiers: ({ org, params }) => ({
    realm_linkifiers: params.client_capabilities.linkifier_url_template ? linkifierList(org) : [],
  }),
  realm_filters: () => ({ realm_filters: [] }),
  realm_playgrounds: ({ org }) => ({ realm_playgrounds: playgroundList(org) }),
  realm_billing: () => ({ realm_billing: { has_pending_sponsorship_request: false } }),
  realm_bot: ({ org, user }) => ({ realm_bots: botsSeenBy(org, user) }),
  realm_embedded_bots: () => ({ realm_embedded_bots: [] }),
  recent_private_conversations: ({ org, user }) => ({
    recent_private_conversations: recentPrivateConversations(org, user),
  }),
  channel_folders: ({ org }) => ({ channel_folders: org.channelFolders.ordered() }),
  update_message_flags: (request) => (request.wants('message') ? unread(request) : {}),
  // Only by its own name, which register.md#request lists beside the names of sections.
  unread_msgs: (request) => (request.named('unread_msgs') ? unread(request) : {}),
  // Only by its own name: an addition, which clients that fetch everything have as `realm_user`.
  near_users: ({ org, user, params, named, wants }) =>
    named('near_users') && !wants('realm_user')
      ? nearUsers(org, user, { clientGravatar: params.client_gravatar, withProfile: false })
      : {},
  starred_messages: ({ stars, user }) => ({ starred_messages: stars.take(user) }),
  default_streams: ({ org, user }) => ({
    realm_default_streams: defaultChannelIds(org, user),
  }),
  default_stream_groups: () => ({ realm_default_stream_groups: [] }),
  user_settings: ({ org, user, params }) => ({
    user_settings: settingsTold(userSettingsObject(org, user), params),
  }),
  // Only for old clients, which ask for them by name.
  update_display_settings: ({ org, user, named }) =>
    named('update_display_settings') ? LEGACY_SETTINGS.update_display_settings(org, user) : {},
  update_global_notifications: ({ org, user, named }) =>
    named('update_global_notifications')
      ? LEGACY_SETTINGS.update_global_notifications(org, user)
      : {},
  video_calls: () => ({ has_zoom_token: false, has_webex_token: false }),
  giphy: () => ({ giphy_api_key: '' }),
  tenor: () => ({ tenor_api_key: '' }),
  klipy: () => ({ klipy_api_key: '' }),
  devices: ({ org, user }) => ({ devices: deviceStates(org, user.user_id) }),
};

/** Event types whose section has another name (register.md#request); either name fetches it. */
const SECTION_OF_EVENT: Readonly<Record<string, string>> = {
  user_group: 'realm_user_groups',
  navigation_view: 'navigation_views',
  channel_folder: 'channel_folders',
  device: 'devices',
  has_zoom_token: 'video_calls',
  has_webex_token: 'video_calls',
};

const TABLES = [SECTIONS, TEXT_SECTIONS, SHARED_SECTIONS];

/** Sections that a list of names fetches; null fetches all. Unknown names are ignored. */
export function sectionNames(names: readonly string[] | null): ReadonlySet<string> {
  if (names === null) return new Set(TABLES.flatMap(Object.keys));
  const wanted = new Set<string>();
  for (const name of names) {
    const section = SECTION_OF_EVENT[name] ?? name;
    if (TABLES.some((table) => Object.hasOwn(table, section))) wanted.add(section);
  }
  return wanted;
}

const PROFILE_FIELD_TYPES = {
  SHORT_TEXT: { id: 1, name: 'Text (short)' },
  LONG_TEXT: { id: 2, name: 'Text (long)' },
  SELECT: { id: 3, name: 'List of options' },
  DATE: { id: 4, name: 'Date' },
  URL: { id: 5, name: 'Link' },
  USER: { id: 6, name: 'Users' },
  EXTERNAL_ACCOUNT: { id: 7, name: 'External account' },
  PRONOUNS: { id: 8, name: 'Pronouns' },
} as const;

/** Whether one of the sections of a request has the unread messages. */
export function showsUnread({ wants, named }: Pick<SnapshotRequest, 'wants' | 'named'>): boolean {
  return (wants('update_message_flags') && wants('message')) || named('unread_msgs');
}

function unread({ user, unread: prepared }: SnapshotRequest): Fields {
  return { unread_msgs: prepared.take(user) };
}

/** Default settings of new accounts, without the time zone, which has no default. */
function settingsDefaults(org: Organization): Fields {
  const { timezone: _personal, ...shared } = org.settingsDefaults.effective;
  return { ...shared, ...DERIVED_USER_SETTINGS };
}

type Capabilities = Pick<RegisterParams, 'client_capabilities'>;

/** Settings as the queue can take them. */
function settingsTold(settings: Fields, { client_capabilities }: Capabilities): Fields {
  return client_capabilities.plain_setting_values ? plainSettings(settings) : settings;
}

/** `user_topics` (register.md#sections), the empty topic as the queue can show it. */
export function userTopicsSection(
  org: Organization,
  user: UserDocument,
  { client_capabilities: { empty_topic_name = false } }: Capabilities,
) {
  const topics = userTopics(org, user.user_id).map((one) => ({
    ...one,
    topic_name: shownTopic(one.topic_name, empty_topic_name),
  }));
  return { user_topics: topics };
}

/** `muted_topics`, the legacy form of muted topics. */
export function mutedTopicsSection(
  org: Organization,
  user: UserDocument,
  { client_capabilities: { empty_topic_name = false } }: Capabilities,
) {
  const rows = mutedTopics(org, user.user_id).map(([channel, topic, muted]) => [
    channel,
    shownTopic(topic, empty_topic_name),
    muted,
  ]);
  return { muted_topics: rows };
}
