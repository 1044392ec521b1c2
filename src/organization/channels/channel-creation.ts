import {
  CHANNEL_PERMISSIONS,
  type ChannelDocument,
  type ChannelPermission,
  type TopicsPolicy,
} from '../../../schemas/channels/channel.js';
import type { GroupSettingValue } from '../../../schemas/groups/user-group.js';
import { ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import { MAX_STREAM_NAME_LENGTH } from '../../../schemas/limits.js';
import {
  CHANNEL_PERMISSION_SETTINGS,
  type SystemGroupName,
} from '../../../schemas/groups/permissions.js';
import { badRequest, mustBe } from '../../errors/index.js';
import { invalidCharacterAt, codePointLength } from '../../services/text/stored-text.js';
import { emitNewChannel } from '../views/channel-events.js';
import { groupSetting, onlyUser, sameGroupSetting } from '../access/group-setting.js';
import type { Organization } from '../state/organization.js';
import { allows, isAdministrator } from '../access/permissions.js';
import type { Transaction } from '../state/transaction.js';

/** Days; -1 or `unlimited`: for ever; `realm_default`: the organization's retention. */
export type RetentionDays = number | 'realm_default' | 'unlimited';

/** Properties of a new channel, as in requests (endpoints-channels.md#subscribe). */
export interface ChannelRequest {
  readonly invite_only: boolean;
  readonly is_web_public: boolean;
  readonly is_default_stream: boolean;
  readonly history_public_to_subscribers?: boolean;
  readonly message_retention_days: RetentionDays;
  readonly topics_policy: TopicsPolicy;
  readonly folder_id?: number | null;
}

/** Properties that decide who may create a channel. */
type ChannelKind = Pick<ChannelRequest, 'invite_only' | 'is_web_public' | 'is_default_stream'>;

type PermissionRequest = { readonly [K in ChannelPermission]?: GroupSettingValue };

/** Stored properties of a new channel, beside its name and description. */
type ChannelSettings = Pick<
  ChannelDocument,
  | 'creator_id'
  | 'invite_only'
  | 'is_web_public'
  | 'history_public_to_subscribers'
  | 'is_default'
  | 'message_retention_days'
  | 'folder_id'
  | 'topics_policy'
  | ChannelPermission
>;

/** Whether a channel folder exists and is not archived. */
type FolderCheck = (org: Organization, folderId: number) => boolean;

/** Name and description of a new channel. */
type ChannelText = Pick<ChannelDocument, 'name' | 'description' | 'rendered_description'>;

const DELETION_SETTINGS: ReadonlySet<ChannelPermission> = new Set([
  'can_delete_any_message_group',
  'can_delete_own_message_group',
]);

/** Trims and checks a channel's name. @throws ApiError (errors-by-endpoint.md#by-endpoint) */
export function channelName(input: string): string {
  const name = input.trim();
  if (name === '') throw badRequest("Channel name can't be empty!");
  if (codePointLength(name) > MAX_STREAM_NAME_LENGTH) {
    throw badRequest(`Channel name too long (limit: ${MAX_STREAM_NAME_LENGTH} characters).`);
  }
  const position = invalidCharacterAt(name);
  if (position !== null) {
    throw badRequest(`Invalid character in channel name, at position ${position}!`);
  }
  return name;
}

/** A channel's description on one line. */
export function channelDescription(input: string): string {
  return input.replace(/\r\n|[\r\n]/g, ' ');
}

/** Whether the user may create a channel of this kind. */
export function canCreateChannel(
  org: Organization,
  user: UserDocument,
  request: ChannelKind,
): boolean {
  const realm = org.realm.current;
  if (request.invite_only) return allows(org, realm.can_create_private_channel_group, user);
  return allows(org, realm.can_create_public_channel_group, user);
}

/**
 * Checks the properties of new channels and fills in defaults.
 * @throws ApiError when the user lacks the right, or the properties contradict each other
 */
export function channelSettings(
  org: Organization,
  user: UserDocument,
  request: ChannelRequest & PermissionRequest,
  folderExists: FolderCheck,
): ChannelSettings {
  requirePrivacy(request);
  if (!canCreateChannel(org, user, request)) throw badRequest('Insufficient permission');
  if (request.is_default_stream) requireMayDefault(user);
  if (request.topics_policy !== 'inherit') requireMaySetTopics(org, user);
  const folder_id = request.folder_id ?? null;
  if (folder_id !== null && !folderExists(org, folder_id)) {
    throw badRequest('Invalid channel folder ID');
  }
  return {
    creator_id: user.user_id,
    invite_only: request.invite_only,
    is_web_public: request.is_web_public,
    // Public channels always share their history.
    history_public_to_subscribers: request.invite_only
      ? (request.history_public_to_subscribers ?? false)
      : true,
    is_default: request.is_default_stream,
    message_retention_days: retentionDays(user, request.message_retention_days),
    folder_id,
    topics_policy: request.topics_policy,
    ...permissions(org, user, request),
  };
}

/** The refusal of web-public channels: this server serves no messages to visitors without an account. */
export function noWebPublicChannels() {
  return badRequest('Web-public channels are not enabled.');
}

/** @throws ApiError when this server does not support the kind of channel */
export function requirePrivacy(request: ChannelKind): void {
  if (request.is_web_public && request.invite_only) throw badRequest('Invalid parameters');
  if (request.is_web_public) throw noWebPublicChannels();
  if (request.is_default_stream && request.invite_only) {
    throw badRequest('A default channel cannot be private.');
  }
}

/** @throws ApiError when the user may not change default channels */
export function requireMayDefault(user: UserDocument): void {
  if (!isAdministrator(user)) throw badRequest('Insufficient permission');
}

/** @throws ApiError when the user may not set a topics policy */
export function requireMaySetTopics(org: Organization, user: UserDocument): void {
  if (!allows(org, org.realm.current.can_set_topics_policy_group, user)) {
    throw badRequest('Insufficient permission');
  }
}

/** Guards the settings about deleting messages (`can_set_delete_message_policy_group`). @throws ApiError */
export function requireMaySetDeletionPolicy(
  org: Organization,
  user: UserDocument,
  setting: ChannelPermission,
): void {
  if (!DELETION_SETTINGS.has(setting)) return;
  if (!allows(org, org.realm.current.can_set_delete_message_policy_group, user)) {
    throw badRequest('Insufficient permission');
  }
}

/** The stored form: null inherits, -1 keeps for ever. @throws ApiError unless inherited or set by an owner */
export function retentionDays(user: UserDocument, value: RetentionDays): number | null {
  if (value === 'realm_default') return null;
  if (user.role !== ROLE.owner) throw mustBe('owner');
  if (value === 'unlimited') return -1;
  if (value === 0) throw badRequest("Bad value for 'message_retention_days': 0");
  return value;
}

/** The permission settings of a channel whose creator asked for none. @param creatorId null where nobody is known */
export function defaultChannelPermissions(
  org: Organization,
  creatorId: number | null,
): Record<ChannelPermission, GroupSettingValue> {
  const entries = CHANNEL_PERMISSIONS.map((name) => {
    const group = CHANNEL_PERMISSION_SETTINGS[name].default_group_name;
    if (group === 'channel_creator') return [name, onlyUser(org, creatorId)] as const;
    return [name, org.groups.system(group as SystemGroupName).id] as const;
  });
  return Object.fromEntries(entries) as Record<ChannelPermission, GroupSettingValue>;
}

function permissions(
  org: Organization,
  creator: UserDocument,
  request: PermissionRequest,
): Record<ChannelPermission, GroupSettingValue> {
  const defaults = defaultChannelPermissions(org, creator.user_id);
  const value = (name: ChannelPermission): GroupSettingValue => {
    const rules = CHANNEL_PERMISSION_SETTINGS[name];
    const given = request[name];
    const byDefault = defaults[name];
    if (given === undefined) return byDefault;
    const asked = groupSetting(org, name, rules, given);
    if (!sameGroupSetting(asked, byDefault)) requireMaySetDeletionPolicy(org, creator, name);
    return asked;
  };
  const entries = CHANNEL_PERMISSIONS.map((name) => [name, value(name)] as const);
  return Object.fromEntries(entries) as Record<ChannelPermission, GroupSettingValue>;
}

/**
 * Creates a channel without subscribers and emits `stream` create to users who may see it. The caller
 * subscribes users next, then calls `emitDefaultChannels` for a default channel (events.md#order).
 */
export function createChannel(
  tx: Transaction,
  text: ChannelText,
  settings: ChannelSettings,
): ChannelDocument {
  const { org } = tx;
  const channel = org.channels.insert({
    stream_id: org.counters.next('stream'),
    recipient_id: org.counters.next('recipient'),
    ...text,
    ...settings,
    date_created: tx.seconds,
    is_archived: false,
  });
  emitNewChannel(tx, channel);
  return channel;
}
