import * as descriptors from '../../../schemas/channels/channel-folders.js';
import {
  changeChannelFolder,
  createChannelFolder,
  folderDescription,
  folderName,
  reorderChannelFolders,
  type FolderChange,
} from '../../organization/channels/channel-folders.js';
import type { Organization } from '../../organization/state/organization.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { handle, type AnyHandler } from '../kernel/handler.js';
import { renderDescription } from './wanted-channels.js';

function described(org: Organization, markdown: Markdown, input: string) {
  const description = folderDescription(input);
  return { description, rendered_description: renderDescription(org, markdown, description) };
}

/** Channel folders (endpoints-channels.md#channel-folders). */
export function channelFolderHandlers(markdown: Markdown): AnyHandler[] {
  return [
    handle(descriptors.createChannelFolder, (tx, { user, params }) => {
      const text = {
        name: folderName(params.name),
        ...described(tx.org, markdown, params.description),
      };
      return { channel_folder_id: createChannelFolder(tx, user.user_id, text).id };
    }),
    handle(descriptors.getChannelFolders, ({ org }, { params }) => ({
      channel_folders: org.channelFolders
        .ordered()
        .filter((folder) => params.include_archived || !folder.is_archived),
    })),
    handle(descriptors.updateChannelFolder, (tx, { params }) => {
      const { channel_folder_id, name, description, is_archived } = params;
      const change: FolderChange = {
        ...(name === undefined ? {} : { name: folderName(name) }),
        ...(description === undefined ? {} : described(tx.org, markdown, description)),
        ...(is_archived === undefined ? {} : { is_archived }),
      };
      changeChannelFolder(tx, channel_folder_id, change);
      return {};
    }),
    handle(descriptors.reorderChannelFolders, (tx, { params }) => {
      reorderChannelFolders(tx, params.order);
      return {};
    }),
  ];
}
