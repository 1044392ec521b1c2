import Type, { type Static } from 'typebox';
import { nullable } from '../endpoint.js';
import { collection } from '../collection.js';

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
