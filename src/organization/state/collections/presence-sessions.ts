import type { PresenceSessionDocument } from '../../../../schemas/presence/presence-session-document.js';
import { ActorCollection } from '../actor-collection.js';
import { addTo, removeFrom, type Recorder } from '../collection.js';

const NONE: ReadonlySet<string> = new Set();

/** The id of the session of a client, by which it is stored. */
export function sessionId(userId: number, client: string): string {
  return `${userId}:${client}`;
}

/** The snapshots of the presence sessions, as they were last written; by user, and counted by state. */
export class PresenceSessionCollection extends ActorCollection<PresenceSessionDocument> {
  private readonly ids = new Map<number, Set<string>>();

  constructor(recorder: Recorder) {
    super('presence_session', recorder, ({ context }) =>
      sessionId(context.user_id, context.client),
    );
  }

  /** Users with a session. */
  get users(): number {
    return this.ids.size;
  }

  /** Ids of a user's sessions. */
  of(userId: number): ReadonlySet<string> {
    return this.ids.get(userId) ?? NONE;
  }

  protected override reindex(
    previous?: PresenceSessionDocument,
    next?: PresenceSessionDocument,
  ): void {
    const { context } = (next ?? previous)!;
    const id = sessionId(context.user_id, context.client);
    if (next) addTo(this.ids, context.user_id, id);
    else removeFrom(this.ids, context.user_id, id);
    super.reindex(previous, next);
  }
}
