import Type from 'typebox';
import { ChannelFolderDocument } from './channel-folder-document.js';
import { Empty, endpoint, Id, IdList, optional, required, withDefault } from '../endpoint.js';
import {
  MAX_CHANNEL_FOLDER_DESCRIPTION_LENGTH,
  MAX_CHANNEL_FOLDER_NAME_LENGTH,
} from '../limits.js';
import { text } from '../text.js';

const Flag = Type.Boolean();
const Name = text(MAX_CHANNEL_FOLDER_NAME_LENGTH);
const Description = text(MAX_CHANNEL_FOLDER_DESCRIPTION_LENGTH);

/** endpoints-channels.md#channel-folders. */
export const createChannelFolder = endpoint({
  operation: 'create-channel-folder',
  method: 'POST',
  path: '/channel_folders/create',
  access: 'administrator',
  summary: 'Create a channel folder',
  params: { name: required(Name), description: withDefault(Description, '') },
  response: Type.Object({ channel_folder_id: Type.Integer() }),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { name: 'Theater' },
  events: ['channel_folder'],
  level: 389,
});

/** endpoints-channels.md#channel-folders. */
export const getChannelFolders = endpoint({
  operation: 'get-channel-folders',
  method: 'GET',
  path: '/channel_folders',
  access: 'user',
  summary: 'Get the channel folders, in their order',
  params: { include_archived: withDefault(Flag, false) },
  response: Type.Object({ channel_folders: Type.Array(ChannelFolderDocument) }),
  errors: [],
  events: [],
  level: 389,
});

/** endpoints-channels.md#channel-folders. */
export const updateChannelFolder = endpoint({
  operation: 'update-channel-folder',
  method: 'PATCH',
  path: '/channel_folders/{channel_folder_id}',
  access: 'administrator',
  summary: 'Change a channel folder, archive or unarchive it',
  params: {
    channel_folder_id: required(Id),
    name: optional(Name),
    description: optional(Description),
    is_archived: optional(Flag),
  },
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { channel_folder_id: 1, description: 'On and off the stage' },
  events: ['channel_folder'],
  level: 389,
});

/** endpoints-channels.md#channel-folders. */
export const reorderChannelFolders = endpoint({
  operation: 'reorder-channel-folders',
  method: 'PATCH',
  path: '/channel_folders',
  access: 'administrator',
  summary: 'Change the order of the channel folders',
  params: {
    order: required(IdList, { description: 'Ids of all folders, archived ones included' }),
  },
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { order: [1] },
  events: ['channel_folder'],
  level: 414,
});
