import {
  CHANNEL_PERMISSIONS,
  type ChannelDocument,
  type ChannelPermission,
  type TopicsPolicy,
} from '../../../schemas/channels/channel.js';
import type { GroupSettingValue } from '../../../schemas/groups/user-group.js';
import { ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import { CHANNEL_PERMISSION_SETTINGS } from '../../../schemas/groups/permissions.js';
import {
  badRequest,
  cannotAdministerChannel,
  cannotSetTopicsPolicy,
  deactivatedGroupInUse,
  mustBe,
} from '../../errors/index.js';
import type { ChannelChange } from './channel-change.js';
import {
  canCreateChannel,
  channelDescription,
  channelName,
  requireMayDefault,
  requireMaySetDeletionPolicy,
  requireMaySetTopics,
  requirePrivacy,
  retentionDays,
  type RetentionDays,
} from './channel-creation.js';
import { isUsableFolder } from './channel-folders.js';
import { canAdministerChannel } from '../access/channel-rights.js';
import {
  namingDeactivated,
  changedGroupSetting,
  type SettingChange,
} from '../access/group-setting.js';
import type { Organization } from '../state/organization.js';
import { canReadChannel } from '../access/permissions.js';

/** Parameters of a channel update (endpoints-channels.md#change-channel); an absent one changes nothing. */
type ChannelChangeRequest = {
  readonly description?: string;
  readonly new_name?: string;
  readonly is_private?: boolean;
  readonly is_web_public?: boolean;
  readonly history_public_to_subscribers?: boolean;
  readonly is_default_stream?: boolean;
  readonly message_retention_days?: RetentionDays;
  readonly is_archived?: boolean;
  readonly folder_id?: number | null;
  readonly topics_policy?: TopicsPolicy;
} & { readonly [K in ChannelPermission]?: SettingChange };

/** Settings that grant access to messages; only users who can read the channel may change them. */
const CONTENT_SETTINGS: ReadonlySet<ChannelPermission> = new Set([
  'can_add_subscribers_group',
  'can_subscribe_group',
]);

type Fields = { -readonly [K in keyof ChannelChange]: ChannelChange[K] };

/**
 * Checks a channel update (endpoints-channels.md#change-channel) and returns the fields it changes. The caller
 * adds `rendered_description`.
 * @throws ApiError when the user lacks the right, or a value is invalid
 */
export function checkedChannelChange(
  org: Organization,
  user: UserDocument,
  channel: ChannelDocument,
  request: ChannelChangeRequest,
): ChannelChange {
  if (!canAdministerChannel(org, user, channel)) throw cannotAdministerChannel();
  const fields: Fields = {
    ...archiving(channel, request),
    ...naming(org, channel, request),
    ...privacy(org, user, channel, request),
    ...content(org, user, channel, request),
    ...permissions(org, user, channel, request),
  };
  if (fields.is_archived === false) requireUsableGroups(org, { ...channel, ...fields });
  requireDefault(user, channel, request, fields);
  return fields;
}

function archiving(channel: ChannelDocument, { is_archived }: ChannelChangeRequest): Fields {
  if (is_archived === undefined) return {};
  if (is_archived) throw badRequest('Invalid is_archived');
  if (!channel.is_archived) throw badRequest('Channel is not currently deactivated');
  return { is_archived };
}

/** @throws ApiError with the `objections` that the group's deactivation would have had */
function requireUsableGroups(org: Organization, channel: ChannelDocument): void {
  const settings = namingDeactivated(org, channel, CHANNEL_PERMISSIONS);
  if (settings.length === 0) return;
  throw deactivatedGroupInUse([{ type: 'channel', channel_id: channel.stream_id, settings }]);
}

function naming(
  org: Organization,
  channel: ChannelDocument,
  request: ChannelChangeRequest,
): Fields {
  const fields: Fields = {};
  if (request.new_name !== undefined) {
    const name = channelName(request.new_name);
    if (name === channel.name) throw badRequest('Channel already has that name.');
    const holder = org.channels.byName(name);
    if (holder && holder.stream_id !== channel.stream_id) {
      throw badRequest(`Channel '${name}' is already taken.`);
    }
    fields.name = name;
  }
  if (request.description !== undefined) {
    const description = channelDescription(request.description);
    if (description !== channel.description) fields.description = description;
  }
  return fields;
}

function privacy(
  org: Organization,
  user: UserDocument,
  channel: ChannelDocument,
  request: ChannelChangeRequest,
): Fields {
  const invite_only = request.is_private ?? channel.invite_only;
  const is_web_public = request.is_web_public ?? channel.is_web_public;
  // Public channels share their history; one made private only where the request says so.
  const kept = request.is_private === undefined || request.is_private === channel.invite_only;
  const history_public_to_subscribers =
    request.history_public_to_subscribers ??
    (kept ? channel.history_public_to_subscribers : !invite_only);
  if (!invite_only && !history_public_to_subscribers) throw badRequest('Invalid parameters');
  const otherKind = invite_only !== channel.invite_only || is_web_public !== channel.is_web_public;
  const otherHistory = history_public_to_subscribers !== channel.history_public_to_subscribers;
  if (!otherKind && !otherHistory) return {};
  if (!canReadChannel(org, user, channel)) throw cannotAdministerChannel();
  if (otherKind) {
    const is_default_stream = request.is_default_stream ?? channel.is_default;
    const kind = { invite_only, is_web_public, is_default_stream };
    requirePrivacy(kind);
    if (!canCreateChannel(org, user, kind)) throw badRequest('Insufficient permission');
  }
  return changed(channel, { invite_only, is_web_public, history_public_to_subscribers });
}

function content(
  org: Organization,
  user: UserDocument,
  channel: ChannelDocument,
  request: ChannelChangeRequest,
): Fields {
  const { folder_id, topics_policy, message_retention_days } = request;
  const fields: Fields = {};
  if (message_retention_days !== undefined) {
    const days = retentionDays(user, message_retention_days);
    if (days !== channel.message_retention_days && user.role !== ROLE.owner) throw mustBe('owner');
    fields.message_retention_days = days;
  }
  if (folder_id !== undefined && folder_id !== channel.folder_id) {
    if (folder_id !== null && !isUsableFolder(org, folder_id)) {
      throw badRequest('Invalid channel folder ID');
    }
    fields.folder_id = folder_id;
  }
  if (topics_policy !== undefined && topics_policy !== channel.topics_policy) {
    requireMaySetTopics(org, user);
    if (topics_policy === 'empty_topic_only') requireEmptyTopicOnly(org, channel);
    fields.topics_policy = topics_policy;
  }
  return changed(channel, fields);
}

/** specification.md#events: `empty_topic_only` only when all existing messages are in the empty topic. */
function requireEmptyTopicOnly(org: Organization, channel: ChannelDocument): void {
  const topics = org.messages.index.topics(channel.recipient_id);
  if (topics.some((topic) => topic.key !== '')) throw cannotSetTopicsPolicy();
}

function permissions(
  org: Organization,
  user: UserDocument,
  channel: ChannelDocument,
  request: ChannelChangeRequest,
): Fields {
  const fields: Partial<Record<ChannelPermission, GroupSettingValue>> = {};
  for (const name of CHANNEL_PERMISSIONS) {
    const change = request[name];
    if (!change) continue;
    const rules = CHANNEL_PERMISSION_SETTINGS[name];
    const value = changedGroupSetting(org, name, rules, channel[name], change);
    if (value === undefined) continue;
    if (CONTENT_SETTINGS.has(name) && !canReadChannel(org, user, channel)) {
      throw cannotAdministerChannel();
    }
    requireMaySetDeletionPolicy(org, user, name);
    fields[name] = value;
  }
  return fields;
}

/** Adds `is_default` where it changes. @throws ApiError when the channel cannot be a default channel */
function requireDefault(
  user: UserDocument,
  channel: ChannelDocument,
  request: ChannelChangeRequest,
  fields: Fields,
): void {
  const is_default = request.is_default_stream ?? channel.is_default;
  if (is_default === channel.is_default) return;
  requireMayDefault(user);
  if (is_default && (fields.invite_only ?? channel.invite_only)) {
    throw badRequest('A default channel cannot be private.');
  }
  if (is_default && (fields.is_archived ?? channel.is_archived)) {
    throw badRequest('Invalid parameters');
  }
  fields.is_default = is_default;
}

/** The fields whose values differ from the channel's. */
function changed(channel: ChannelDocument, fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([key, value]) => channel[key as keyof ChannelDocument] !== value,
    ),
  );
}
