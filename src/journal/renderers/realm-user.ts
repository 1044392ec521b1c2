import type { EventFields } from '../../../schemas/events.js';
import type { RendererOf } from './event-renderer.js';

type RealmUserEvent = EventFields<'realm_user'>;

/** Stored form of `realm_user` events of op `add`. */
export type RealmUserAddData = Extract<RealmUserEvent, { op: 'add' }> & {
  /** Whether clients that declared `client_gravatar` compute the picture's address themselves. */
  readonly computable_avatar: boolean;
  /** A user whom the receivers may not see: not for queues with `user_list_incomplete`. */
  readonly is_unknown?: true;
};

type RealmUserData = RealmUserAddData | Exclude<RealmUserEvent, { op: 'add' }>;

/**
 * `realm_user` events (events-people.md#people). Only additions differ between queues; the visibility of
 * the address differs between viewers and makes two events.
 */
export const realmUserRenderer: RendererOf<'realm_user', RealmUserData> = {
  variant({ data }, { filter }) {
    const isUnknown = data.op === 'add' && data.is_unknown === true;
    if (isUnknown && filter.capabilities.user_list_incomplete) return null;
    return data.op === 'add' && data.computable_avatar && filter.client_gravatar ? 'gravatar' : '';
  },
  bodies({ type, data }, variant) {
    if (data.op !== 'add') return [{ type, ...data }];
    const { computable_avatar: _computable, is_unknown: _unknown, ...body } = data;
    // Entries from before the field do not have it; sharing is what nearly all did.
    const person = { ...body.person, presence_enabled: body.person.presence_enabled ?? true };
    if (variant === 'gravatar') person.avatar_url = null;
    return [{ type, ...body, person }];
  },
};
