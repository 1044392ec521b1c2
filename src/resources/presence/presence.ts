import type { PresenceStatus } from '../../../actors/presence-session.js';
import * as descriptors from '../../../schemas/presence/presence.js';
import { PRESENCE_HISTORY_LIMIT_DAYS } from '../../../schemas/limits.js';
import { badRequest } from '../../errors.js';
import type { PresenceTracker } from '../../organization/presence/presence-tracker.js';
import {
  legacyPresences,
  presenceReply,
  presenceTimes,
} from '../../organization/views/presence-view.js';
import { userNamed } from '../users/avatars.js';
import { handle, type AnyHandler } from '../kernel/handler.js';

/** The presence endpoints (specification-endpoints.md#update-presence; endpoints-users.md#presence-and-status). */
export function presenceHandlers(tracker: PresenceTracker): AnyHandler[] {
  return [report(tracker), ofUser, ofEverybody];
}

function report(tracker: PresenceTracker): AnyHandler {
  return handle(descriptors.updatePresence, (tx, { user, params, clientName }) => {
    tracker.report(tx, user, clientName, statusOf(params.status));
    const { last_update_id } = params;
    if (params.ping_only) return { presence_last_update_id: last_update_id ?? -1 };
    return presenceReply(tx.org, {
      slim: params.slim_presence || last_update_id !== undefined,
      historyDays: params.history_limit_days,
      lastUpdateId: last_update_id,
    });
  });
}

function statusOf(status: string): PresenceStatus {
  if (status !== 'active' && status !== 'idle') throw badRequest(`Invalid status: ${status}`);
  return status;
}

const ofUser = handle(descriptors.getUserPresence, ({ org }, { user, params }) => {
  const asked = params.user_id_or_email;
  const found = userNamed(org, user, asked);
  if (!found.is_active) throw badRequest('No such user');
  if (found.is_bot) throw badRequest('Presence is not supported for bot users.');
  const stored = org.realm.current.presence_disabled ? undefined : org.presences.get(found.user_id);
  if (!stored) throw badRequest(`No presence data for ${asked}`);
  return { presence: presenceTimes(found, stored) };
});

const ofEverybody = handle(descriptors.getRealmPresence, ({ org }) => {
  const query = { historyDays: PRESENCE_HISTORY_LIMIT_DAYS };
  const { presences, server_timestamp } = legacyPresences(org, query);
  return { presences, server_timestamp };
});
