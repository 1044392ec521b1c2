import type { EventData } from '../entry.js';
import type { EventRenderer } from './event-renderer.js';

/** Stored form of `realm_user` events of op `add`. */
export interface RealmUserAddData extends EventData {
  readonly op: 'add';
  readonly person: Readonly<Record<string, unknown>>;
  /** Whether clients that declared `client_gravatar` compute the picture's address themselves. */
  readonly computable_avatar: boolean;
}

/**
 * `realm_user` events (events-people.md#people). Only additions differ between queues; the visibility of
 * the address differs between viewers and makes two events.
 */
export const realmUserRenderer: EventRenderer = {
  variant(event, { filter }) {
    return event.data.computable_avatar === true && filter.client_gravatar ? 'gravatar' : '';
  },
  bodies(event, variant) {
    const { computable_avatar: _internal, ...data } = event.data;
    if (variant !== 'gravatar') return [{ type: event.type, ...data }];
    const person = { ...(data.person as Record<string, unknown>), avatar_url: null };
    return [{ type: event.type, ...data, person }];
  },
};
