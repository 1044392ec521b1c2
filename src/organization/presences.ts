import type { PresenceDocument } from '../../schemas/documents/presence.js';
import { Collection, type Recorder } from './collection.js';

interface Change {
  readonly userId: number;
  readonly updateId: number;
}

/**
 * Stored presence, with a log of its changes, so that "what changed since" costs only what changed.
 * The log holds at most twice as many rows as there are users.
 */
export class PresenceCollection extends Collection<number, PresenceDocument> {
  private log: Change[] = [];
  /** The log is not what the documents say, and is made anew when it is asked for. */
  private stale = false;

  constructor(recorder: Recorder) {
    super('presence', recorder, (presence) => presence.user_id);
  }

  /** Newest update id that was given, or -1. */
  get lastUpdateId(): number {
    this.refresh();
    return this.log[this.log.length - 1]?.updateId ?? -1;
  }

  /** Presences that changed after `updateId`, newest change first. */
  since(updateId: number): PresenceDocument[] {
    this.refresh();
    const found: PresenceDocument[] = [];
    for (let i = this.log.length - 1; i >= 0 && this.log[i]!.updateId > updateId; i--) {
      const { userId, updateId: id } = this.log[i]!;
      const presence = this.get(userId);
      if (presence?.update_id === id) found.push(presence);
    }
    return found;
  }

  protected override reindex(_previous?: PresenceDocument, next?: PresenceDocument): void {
    if (this.stale) return;
    const last = this.log[this.log.length - 1];
    // Loading comes in the order of users, not of changes; other steps back take a write back.
    if (!next || (last && last.updateId >= next.update_id)) {
      this.stale = true;
      return;
    }
    this.log.push({ userId: next.user_id, updateId: next.update_id });
    if (this.log.length > 2 * this.size + 64) this.compact();
  }

  private refresh(): void {
    if (!this.stale) return;
    this.log = Array.from(this.values(), ({ user_id, update_id }) => {
      return { userId: user_id, updateId: update_id };
    });
    this.log.sort((a, b) => a.updateId - b.updateId);
    this.stale = false;
  }

  private compact(): void {
    this.log = this.log.filter((row) => this.get(row.userId)?.update_id === row.updateId);
  }
}
