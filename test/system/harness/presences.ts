import { PRESENCE_ACTIVE_WINDOW_SECONDS } from '../../../schemas/limits.js';
import type { Body, WireEvent } from './client.js';

interface Modern {
  readonly active_timestamp: number;
  readonly idle_timestamp: number;
}

interface Legacy {
  readonly client: string;
  readonly status: string;
  readonly timestamp: number;
  readonly pushable?: boolean;
}

/**
 * The `presences` of a snapshot, modern by user id or legacy by e-mail, and any of the three forms of
 * the event (events-people.md#people) applied to it.
 */
export class Presences {
  readonly byKey: Body;

  /** @param modern whether the snapshot was asked for in the modern form */
  constructor(
    snapshot: Body | undefined,
    private readonly modern: boolean,
  ) {
    this.byKey = structuredClone(snapshot ?? {});
  }

  apply(event: WireEvent, emailOf: (userId: number) => string): void {
    if (event.presences !== undefined) {
      for (const [id, modern] of Object.entries(event.presences as Record<string, Modern>)) {
        this.put(Number(id), modern, emailOf);
      }
      return;
    }
    const { website } = event.presence as { website: Legacy };
    const modern = { active_timestamp: website.timestamp, idle_timestamp: website.timestamp };
    this.put(Number(event.user_id), modern, emailOf);
  }

  /** Legacy keys follow a changed address. */
  rename(former: string, email: string): void {
    if (!(former in this.byKey)) return;
    this.byKey[email] = this.byKey[former];
    delete this.byKey[former];
  }

  /** What is known of a user who was deactivated is dropped. */
  forget(userId: number, email: string): void {
    delete this.byKey[this.modern ? String(userId) : email];
  }

  private put(userId: number, modern: Modern, emailOf: (userId: number) => string): void {
    if (this.modern) this.byKey[userId] = modern;
    else this.byKey[emailOf(userId)] = legacyForm(modern);
  }
}

function legacyForm({ active_timestamp, idle_timestamp }: Modern): Record<string, Legacy> {
  const active = idle_timestamp - active_timestamp <= PRESENCE_ACTIVE_WINDOW_SECONDS;
  const now = {
    client: 'website',
    status: active ? 'active' : 'idle',
    timestamp: active ? active_timestamp : idle_timestamp,
  };
  return { aggregated: now, website: { ...now, pushable: false } };
}
