import type { Body, Snapshot, WireEvent } from '../client.js';

/** What a client knows of custom emoji and playgrounds, from events. */
export class ContentState {
  private emoji: Record<string, Body>;
  private playgrounds: unknown;

  constructor(snapshot: Snapshot) {
    this.emoji = structuredClone((snapshot.realm_emoji ?? {}) as Record<string, Body>);
    this.playgrounds = snapshot.realm_playgrounds;
  }

  /** @throws Error for an event about what it does not know */
  apply(event: WireEvent): void {
    if (event.type === 'realm_playgrounds') this.playgrounds = event.realm_playgrounds;
    else if (event.type === 'realm_emoji') this.applyEmoji(event);
  }

  /** The fields of a snapshot this keeps. */
  fields(): Body {
    return { realm_emoji: this.emoji, realm_playgrounds: this.playgrounds };
  }

  private applyEmoji({ op, emoji, emoji_id, data, realm_emoji }: WireEvent): void {
    if (op === 'update') this.emoji = realm_emoji as Record<string, Body>;
    else if (op === 'add') this.emoji[String((emoji as Body).id)] = emoji as Body;
    else {
      const known = this.emoji[String(emoji_id)];
      if (!known) throw new Error(`realm_emoji ${String(op)} of ${String(emoji_id)}`);
      Object.assign(known, data);
    }
  }
}
