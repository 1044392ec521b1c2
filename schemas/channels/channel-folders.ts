import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import {
  Empty,
  endpoint,
  Id,
  IdList,
  nullable,
  optional,
  required,
  withDefault,
} from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { fieldTexts } from '../field-texts.js';
import {
  MAX_CHANNEL_FOLDER_DESCRIPTION_LENGTH,
  MAX_CHANNEL_FOLDER_NAME_LENGTH,
} from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { text } from '../text.js';

/** Stored channel folder; the wire form is the same object (endpoints-channels.md#channel-folders). */
export const ChannelFolderDocument = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    description: Type.String(),
    rendered_description: Type.String(),
    creator_id: nullable(Type.Integer()),
    /** UNIX seconds. */
    date_created: Type.Integer(),
    /** Place among all folders, from 0. */
    order: Type.Integer(),
    is_archived: Type.Boolean(),
  },
  { additionalProperties: false, title: 'ChannelFolder' },
);
export type ChannelFolderDocument = Static<typeof ChannelFolderDocument>;

/** The stored documents of `channel_folder`. */
export const channelFolderCollection = collection('channel_folder', ChannelFolderDocument);

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

const channel_folder = Type.Literal('channel_folder');

/** events-channels.md#channels. */
export const channelFolderAdd = Type.Object(
  { type: channel_folder, op: Type.Literal('add'), channel_folder: ChannelFolderDocument },
  exact,
);

/** events-channels.md#channels; only what changed is there. */
export const channelFolderUpdate = Type.Object(
  {
    type: channel_folder,
    op: Type.Literal('update'),
    channel_folder_id: Type.Integer(),
    data: Type.Object(
      {
        name: Type.Optional(Type.String()),
        description: Type.Optional(Type.String()),
        rendered_description: Type.Optional(Type.String()),
        is_archived: Type.Optional(Type.Boolean()),
      },
      exact,
    ),
  },
  exact,
);

/** events-channels.md#channels: ids of all folders. */
export const channelFolderReorder = Type.Object(
  { type: channel_folder, op: Type.Literal('reorder'), order: Type.Array(Type.Integer()) },
  exact,
);

/** All events of channel folders. */
export const channelFolderEvents = events(
  channelFolderAdd,
  channelFolderUpdate,
  channelFolderReorder,
);

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  'create-channel-folder.name':
    'Name of the new folder, at most `max_channel_folder_name_length` characters.',
  'update-channel-folder.name':
    'New name of the folder, at most `max_channel_folder_name_length` characters.',
  'create-channel-folder.description':
    'What the folder is for, in Markdown, at most `max_channel_folder_description_length` characters.',
  'update-channel-folder.description':
    'What the folder is for, in Markdown, at most `max_channel_folder_description_length` characters.',
  channel_folder_id: 'Which folder, by its number from `GET /channel_folders`; archived ones too.',
  include_archived: 'Whether archived folders are listed too.',
  'update-channel-folder.is_archived':
    'Whether the folder is put away; only one without channels can be.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'ChannelFolder.id': ['Id of the folder.', 1],
  'ChannelFolder.name': ['Name of the folder.', 'Theater'],
  'ChannelFolder.description': ['What the folder is for, in Markdown.', 'On and off the stage'],
  'ChannelFolder.rendered_description': ['The description as HTML.', '<p>On and off the stage</p>'],
  'ChannelFolder.order': ['Place among all folders, from 0. Since level 414.', 0],
  'ChannelFolder.is_archived': 'Whether the folder is put away.',
  'get-channel-folders.channel_folders':
    'Folders in their order; archived ones only where they were asked for.',
  channel_folder_id: ['Id of the folder.', 1],
  'channel_folder.channel_folder': 'The new folder.',
  'channel_folder.data': 'What changed, with its new value.',
  'channel_folder.order': ['Ids of all folders in their new order.', [1]],
  'data.name': ['New name.', 'Theater'],
  'data.description': ['New description, in Markdown.', 'On and off the stage'],
  'data.is_archived': 'Whether it is archived now.',
});
