/** The organization, its channels, and what it has of its own, as rows of a Zulip export. */
import { CHANNEL_PERMISSIONS } from '../../../schemas/channels/channel.js';
import { REALM_PERMISSIONS } from '../../../schemas/groups/permissions.js';
import { DEFAULTABLE_SETTINGS, REALM_CHANNELS } from '../../../schemas/realm/realm.js';
import type { RealmDocument } from '../../../schemas/realm/realm-document.js';
import type { Organization } from '../../organization/state/organization.js';
import { REALM_ID } from '../../organization/uploads/attachments.js';
import { customEmojiFiles } from '../../organization/views/custom-emoji-view.js';
import { CHANNEL_TOPICS, coded, REALM_CODES, USER_CODES } from '../import/zulip/codes.js';
import { LOGIN_METHODS } from '../import/zulip/realm-settings.js';
import type { GroupRows } from './group-rows.js';
import { rowOf, type Tables } from './tables.js';

/** What is no column there, or one of another form. */
const APART = new Set<string>([
  ...['authentication_methods', 'upload_quota_mib', 'icon_file', 'logo_file', 'night_logo_file'],
  ...['string_id', ...REALM_CHANNELS, ...REALM_PERMISSIONS],
]);

const MIB_PER_GIB = 1024;

const realm = REALM_ID;

export function addRealm(org: Organization, tables: Tables, groups: GroupRows): void {
  const { current } = org.realm;
  const alike = Object.entries(current).filter(([name]) => !APART.has(name));
  const columns = alike.map(([name, value]) => [name, coded(REALM_CODES[name], value)] as const);
  tables.add('zerver_realm', {
    ...rowOf(columns),
    ...groups.columns(REALM_PERMISSIONS, current),
    ...announcements(current),
    id: realm,
    // Zulip does not serve an organization without one.
    string_id: current.string_id || 'parley',
    custom_upload_quota_gb:
      current.upload_quota_mib === null ? null : Math.ceil(current.upload_quota_mib / MIB_PER_GIB),
    plan_type: 1,
    first_visible_message_id: 0,
    message_visibility_limit: null,
    push_notifications_enabled: false,
  });
  for (const name of LOGIN_METHODS) {
    if (current.authentication_methods[name] ?? true) {
      tables.add('zerver_realmauthenticationmethod', { name, realm });
    }
  }
  const defaults = DEFAULTABLE_SETTINGS.map((name) => {
    return [name, coded(USER_CODES[name], org.settingsDefaults.effective[name])] as const;
  });
  tables.add('zerver_realmuserdefault', { ...rowOf(defaults), realm });
}

/** Channels for announcements; none is null there. */
function announcements(current: RealmDocument): Record<string, number | null> {
  return Object.fromEntries(
    REALM_CHANNELS.map((name) => {
      return [name.replace(/_id$/, ''), current[name] === -1 ? null : current[name]];
    }),
  );
}

export function addChannels(org: Organization, tables: Tables, groups: GroupRows): void {
  for (const folder of org.channelFolders.values()) {
    const { creator_id: creator, ...said } = folder;
    tables.add('zerver_channelfolder', { ...said, creator, realm });
  }
  for (const channel of org.channels.values()) {
    const { stream_id, recipient_id, creator_id, is_archived, is_default, folder_id, ...said } =
      channel;
    tables.add('zerver_stream', {
      ...said,
      ...groups.columns(CHANNEL_PERMISSIONS, channel),
      id: stream_id,
      recipient: recipient_id,
      creator: creator_id,
      deactivated: is_archived,
      folder: folder_id,
      topics_policy: coded(CHANNEL_TOPICS, channel.topics_policy),
      first_message_id: null,
      is_recently_active: true,
      subscriber_count: [...org.subscriptions.subscribers(stream_id)].length,
      realm,
    });
    tables.add('zerver_recipient', { id: recipient_id, type: 2, type_id: stream_id });
    if (is_default) tables.add('zerver_defaultstream', { stream: stream_id, realm });
  }
}

/** Emoji, linkifiers, playgrounds, domains and profile fields. */
export function addRealmThings(org: Organization, tables: Tables): void {
  for (const emoji of org.customEmoji.values()) {
    const { id, name, deactivated, animated, author_id } = emoji;
    const kind = customEmojiFiles(emoji).picture.split('.').at(-1)!;
    const row = { id, name, deactivated, is_animated: animated, author: author_id };
    tables.add('zerver_realmemoji', { ...row, file_name: `${id}.${kind}`, realm });
  }
  for (const one of org.linkifiers.ordered()) tables.add('zerver_realmfilter', { ...one, realm });
  for (const one of org.playgrounds.values())
    tables.add('zerver_realmplayground', { ...one, realm });
  for (const one of org.domains.values()) tables.add('zerver_realmdomain', { ...one, realm });
  for (const { type, ...field } of org.profileFields.values()) {
    tables.add('zerver_customprofilefield', { ...field, field_type: type, realm });
  }
}
