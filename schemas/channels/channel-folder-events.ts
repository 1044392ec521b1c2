import Type from 'typebox';
import { ChannelFolderDocument } from './channel-folder-document.js';
import { exact } from '../exact.js';
import { events } from '../event.js';

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
