import type { ChannelDocument } from '../../../../schemas/channels/channel-document.js';
import { Collection, type Recorder, NameIndex } from '../collection.js';
import type { ChannelFolderDocument } from '../../../../schemas/channels/channel-folder-document.js';
import { nameKey } from '../../../services/text/names.js';

/** Channels, archived ones included. */
export class ChannelCollection extends Collection<number, ChannelDocument> {
  private readonly idByName = new NameIndex();
  private readonly idByRecipient = new Map<number, number>();

  constructor(recorder: Recorder) {
    super('channel', recorder, (channel) => channel.stream_id);
  }

  /** The channel with this name or one that looks alike. */
  byName(name: string): ChannelDocument | undefined {
    const id = this.idByName.find(name);
    return id === undefined ? undefined : this.get(id);
  }

  /** The channel with this conversation id. */
  byRecipient(recipientId: number): ChannelDocument | undefined {
    const id = this.idByRecipient.get(recipientId);
    return id === undefined ? undefined : this.get(id);
  }

  /** Ids of the channels that new accounts are subscribed to, ascending. */
  defaults(): number[] {
    const ids: number[] = [];
    for (const channel of this.values()) {
      if (channel.is_default && !channel.is_archived) ids.push(channel.stream_id);
    }
    return ids.sort((a, b) => a - b);
  }

  protected override reindex(previous?: ChannelDocument, next?: ChannelDocument): void {
    if (previous && previous.name !== next?.name) {
      this.idByName.release(previous.name, previous.stream_id);
    }
    if (previous && !next) this.idByRecipient.delete(previous.recipient_id);
    if (!next) return;
    if (next.name !== previous?.name) this.idByName.set(next.name, next.stream_id);
    this.idByRecipient.set(next.recipient_id, next.stream_id);
  }
}

/** Folders of channels, archived ones included. */
export class ChannelFolderCollection extends Collection<number, ChannelFolderDocument> {
  constructor(recorder: Recorder) {
    super('channel_folder', recorder, (folder) => folder.id);
  }

  /** All folders in their order. */
  ordered(): ChannelFolderDocument[] {
    return [...this.values()].sort((a, b) => a.order - b.order);
  }

  /** The unarchived folder with this name or one that looks alike. */
  live(name: string): ChannelFolderDocument | undefined {
    const key = nameKey(name);
    for (const folder of this.values()) {
      if (!folder.is_archived && nameKey(folder.name) === key) return folder;
    }
    return undefined;
  }
}
