import { PRESENCE_ACTIVE_WINDOW_SECONDS } from '../../../schemas/limits.js';
import type { EventRenderer, RenderableEvent } from './event-renderer.js';

/** When a user was last active, and last online at all; UNIX seconds. */
export interface PresenceTimes {
  readonly active_timestamp: number;
  readonly idle_timestamp: number;
}

/** Data of a `presence` event; all three variants follow from it. */
export interface PresenceEventData extends PresenceTimes {
  readonly user_id: number;
  /** API e-mail. */
  readonly email: string;
  /** UNIX seconds with a fraction. */
  readonly server_timestamp: number;
}

/** Presence at one client in the legacy form. */
interface LegacyEntry {
  readonly client: string;
  readonly status: 'active' | 'idle';
  readonly timestamp: number;
}

/**
 * Presence no longer distinguishes clients: all are shown under this name
 * (register-structures.md#presences).
 */
export const LEGACY_CLIENT = 'website';

/** The legacy status: `active` where the last activity was shortly before the user was last online. */
export function legacyEntry(times: PresenceTimes): LegacyEntry {
  const { active_timestamp, idle_timestamp } = times;
  const active = idle_timestamp - active_timestamp <= PRESENCE_ACTIVE_WINDOW_SECONDS;
  return {
    client: LEGACY_CLIENT,
    status: active ? 'active' : 'idle',
    timestamp: active ? active_timestamp : idle_timestamp,
  };
}

/** `presence` events: modern, slim or legacy by what the queue declared (events-people.md#people). */
export const presenceRenderer: EventRenderer = {
  variant(_event, { filter }) {
    if (filter.capabilities.simplified_presence_events) return 'modern';
    return filter.slim_presence ? 'slim' : 'legacy';
  },
  bodies(event, variant) {
    return [{ type: event.type, ...(variant === 'modern' ? modern(event) : slim(event, variant)) }];
  },
};

function dataOf(event: RenderableEvent): PresenceEventData {
  return event.data as unknown as PresenceEventData;
}

function modern(event: RenderableEvent): Record<string, unknown> {
  const { user_id, active_timestamp, idle_timestamp } = dataOf(event);
  return { presences: { [user_id]: { active_timestamp, idle_timestamp } } };
}

function slim(event: RenderableEvent, variant: string): Record<string, unknown> {
  const data = dataOf(event);
  return {
    user_id: data.user_id,
    ...(variant === 'legacy' ? { email: data.email } : {}),
    server_timestamp: data.server_timestamp,
    presence: { [LEGACY_CLIENT]: { ...legacyEntry(data), pushable: false } },
  };
}
