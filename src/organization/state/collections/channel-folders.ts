import type { ChannelFolderDocument } from '../../../../schemas/channels/channel-folder-document.js';
import { nameKey } from '../../../services/text/names.js';
import { Collection, type Recorder } from '../collection.js';

/** Folders in which channels are shown together, archived ones included. */
export class ChannelFolderCollection extends Collection<number, ChannelFolderDocument> {
  constructor(recorder: Recorder) {
    super('channel_folder', recorder, (folder) => folder.id);
  }

  /** In their order. */
  ordered(): ChannelFolderDocument[] {
    return [...this.values()].sort((a, b) => a.order - b.order);
  }

  /** One that is in use by this name, or by one that looks alike. */
  live(name: string): ChannelFolderDocument | undefined {
    const key = nameKey(name);
    for (const folder of this.values()) {
      if (!folder.is_archived && nameKey(folder.name) === key) return folder;
    }
    return undefined;
  }
}
