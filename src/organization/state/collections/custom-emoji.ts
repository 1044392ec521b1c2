import type { CustomEmojiDocument } from '../../../../schemas/realm/custom-emoji-document.js';
import { Collection, type Recorder, release } from '../collection.js';

/** All custom emoji; at most one of each name is active. */
export class CustomEmojiCollection extends Collection<number, CustomEmojiDocument> {
  private readonly idByName = new Map<string, number>();

  constructor(recorder: Recorder) {
    super('custom_emoji', recorder, (emoji) => emoji.id);
  }

  /** The active emoji with this name. */
  active(name: string): CustomEmojiDocument | undefined {
    const id = this.idByName.get(name);
    return id === undefined ? undefined : this.get(id);
  }

  protected override reindex(previous?: CustomEmojiDocument, next?: CustomEmojiDocument): void {
    if (previous && !previous.deactivated) release(this.idByName, previous.name, previous.id);
    if (next && !next.deactivated) this.idByName.set(next.name, next.id);
  }
}
