import type { ChannelDocument } from '../../schemas/documents/channel.js';
import { Collection, release, type Recorder } from './collection.js';

/** Channels, archived ones included. */
export class ChannelCollection extends Collection<number, ChannelDocument> {
  private readonly idByName = new Map<string, number>();
  private readonly idByRecipient = new Map<number, number>();

  constructor(recorder: Recorder) {
    super('channel', recorder, (channel) => channel.stream_id);
  }

  /** By name, compared without case. */
  byName(name: string): ChannelDocument | undefined {
    const id = this.idByName.get(name.toLowerCase());
    return id === undefined ? undefined : this.get(id);
  }

  /** By conversation id. */
  byRecipient(recipientId: number): ChannelDocument | undefined {
    const id = this.idByRecipient.get(recipientId);
    return id === undefined ? undefined : this.get(id);
  }

  /** Ids of the channels new accounts are subscribed to, ascending. */
  defaults(): number[] {
    const ids: number[] = [];
    for (const channel of this.values()) {
      if (channel.is_default && !channel.is_archived) ids.push(channel.stream_id);
    }
    return ids.sort((a, b) => a - b);
  }

  protected override reindex(previous?: ChannelDocument, next?: ChannelDocument): void {
    if (previous && previous.name !== next?.name) {
      release(this.idByName, previous.name.toLowerCase(), previous.stream_id);
    }
    if (previous && !next) this.idByRecipient.delete(previous.recipient_id);
    if (!next) return;
    this.idByName.set(next.name.toLowerCase(), next.stream_id);
    this.idByRecipient.set(next.recipient_id, next.stream_id);
  }
}
