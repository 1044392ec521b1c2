import { EMPTY_TOPIC_DISPLAY_NAME } from '../../schemas/limits.js';
import { ApiError } from './api-error.js';

/** No channel of this id, or none the caller may know of. */
export function noSuchChannelId(streamId: number): ApiError {
  return new ApiError(
    400,
    'STREAM_DOES_NOT_EXIST',
    `Channel with ID '${streamId}' does not exist`,
    { stream_id: streamId },
  );
}

/** No channel of this name, or none the caller may know of. */
export function noSuchChannelName(name: string): ApiError {
  return new ApiError(400, 'STREAM_DOES_NOT_EXIST', `Channel '${name}' does not exist`, {
    stream: name,
  });
}

/** The caller may not change this about the channel. */
export function cannotAdministerChannel(): ApiError {
  const text = 'You do not have permission to administer this channel.';
  return new ApiError(400, 'CANNOT_ADMINISTER_CHANNEL', text);
}

/** The name of a new channel is taken. */
export function channelAlreadyExists(name: string): ApiError {
  return new ApiError(400, 'CHANNEL_ALREADY_EXISTS', `Channel '${name}' already exists`, {
    channel_name: name,
  });
}

/** Messages of the channel have topics (specification.md#events: `empty_topic_only`). */
export function cannotSetTopicsPolicy(): ApiError {
  return new ApiError(
    400,
    'CANNOT_SET_TOPICS_POLICY',
    `To enable this configuration, all messages in this channel must be in the ${EMPTY_TOPIC_DISPLAY_NAME} topic. Consider renaming or deleting other topics.`,
  );
}

/** A setting takes system groups only. */
export function systemGroupRequired(settingName: string): ApiError {
  const text = `'${settingName}' must be a system user group.`;
  return new ApiError(400, 'SYSTEM_GROUP_REQUIRED', text, { setting_name: settingName });
}

/** What still uses a group that was to be deactivated. */
export type GroupObjection =
  | { readonly type: 'subgroup'; readonly supergroup_ids: readonly number[] }
  | {
      readonly type: 'channel';
      readonly channel_id: number;
      readonly settings: readonly string[];
    }
  | {
      readonly type: 'user_group';
      readonly group_id: number;
      readonly settings: readonly string[];
    }
  | { readonly type: 'realm'; readonly settings: readonly string[] };

/** A group that is somewhere a permission cannot be deactivated; names where. */
export function groupInUse(objections: readonly GroupObjection[]): ApiError {
  const text = 'Cannot deactivate user group in use.';
  return new ApiError(400, 'CANNOT_DEACTIVATE_GROUP_IN_USE', text, { objections });
}

/** What names deactivated groups in its permissions does not come into use; names where. */
export function deactivatedGroupInUse(objections: readonly GroupObjection[]): ApiError {
  return new ApiError(400, 'BAD_REQUEST', 'User group is deactivated.', { objections });
}
