import { PRESENCE_ACTIVE_WINDOW_SECONDS } from '../../../schemas/limits.js';
import type { RendererOf } from './event-renderer.js';

/** When a user was last active, and last online at all; UNIX seconds. */
export type PresenceTimes = {
  readonly active_timestamp: number;
  readonly idle_timestamp: number;
};

/** Data of a `presence` event; all three variants follow from it. */
export type PresenceEventData = PresenceTimes & {
  readonly user_id: number;
  /** API e-mail. */
  readonly email: string;
  /** UNIX seconds with a fraction. */
  readonly server_timestamp: number;
  /** Receivers who may not see the user, only their presence, and the address that they get instead. */
  readonly unknown_to?: { readonly users: readonly number[]; readonly email: string };
};

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

/**
 * `presence` events: modern, slim or legacy by what the queue declared, the last without the address for
 * receivers who may not see the user (events-people.md#people).
 */
export const presenceRenderer: RendererOf<'presence', PresenceEventData> = {
  variant({ data }, { filter, userId }) {
    if (filter.capabilities.simplified_presence_events) return 'modern';
    if (filter.slim_presence) return 'slim';
    return data.unknown_to?.users.includes(userId) ? 'unknown' : 'legacy';
  },
  bodies({ type, data }, variant) {
    return [{ type, ...(variant === 'modern' ? modern(data) : slim(data, variant)) }];
  },
};

function modern({ user_id, active_timestamp, idle_timestamp }: PresenceEventData) {
  return { presences: { [user_id]: { active_timestamp, idle_timestamp } } };
}

function slim(data: PresenceEventData, variant: string) {
  return {
    user_id: data.user_id,
    ...(variant === 'legacy' ? { email: data.email } : {}),
    ...(variant === 'unknown' ? { email: data.unknown_to!.email } : {}),
    server_timestamp: data.server_timestamp,
    presence: { [LEGACY_CLIENT]: { ...legacyEntry(data), pushable: false } },
  };
}
