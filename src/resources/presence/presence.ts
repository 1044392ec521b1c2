import type { PresenceStatus } from '../../../actors/presence-session.js';
import * as descriptors from '../../../schemas/presence/presence.js';
import { PRESENCE_HISTORY_LIMIT_DAYS } from '../../../schemas/limits.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest } from '../../errors/index.js';
import { seenBy } from '../../organization/access/user-access.js';
import type { TextSource } from '../snapshot-fragments/fragment-cache.js';
import { limitedPresenceText } from '../snapshot-fragments/limited-sources.js';
import type { Organization } from '../../organization/state/organization.js';
import type { PresenceTracker } from '../../organization/presence/presence-tracker.js';
import { presenceText } from '../snapshot-fragments/fragment-sources.js';
import { JsonParts } from '../snapshot-fragments/json-parts.js';
import { sharedTexts } from '../snapshot-fragments/shared-texts.js';
import { bothForms, presenceReply, presenceTimes } from '../../organization/views/presence-view.js';
import { ConcurrencyLimiter } from '../../turns/concurrency-limiter.js';
import { userNamed } from '../users/avatars.js';
import { handle, handlePrepared, type AnyHandler } from '../kernel/handler.js';
import { EncodedReply } from '../kernel/route.js';

const EVERYBODY = { slim: false, historyDays: PRESENCE_HISTORY_LIMIT_DAYS };

/** Requests that wait until their texts are encoded; more are refused with 503, which clients retry. */
const MAX_WAITING = 10_000;

/** The presence endpoints (specification-endpoints.md#update-presence; endpoints-users.md#presence-and-status). */
export function presenceHandlers(tracker: PresenceTracker): AnyHandler[] {
  return [report(tracker), ofUser, ofEverybody()];
}

function report(tracker: PresenceTracker): AnyHandler {
  return handle(descriptors.updatePresence, (tx, { user, params, clientName }) => {
    tracker.report(tx, user, clientName, statusOf(params.status));
    const { last_update_id } = params;
    if (params.ping_only) return { presence_last_update_id: last_update_id ?? -1 };
    return presenceReply(tx.org, {
      viewer: user,
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
  const server_timestamp = org.now() / 1000;
  return { presence: bothForms(presenceTimes(found, stored), server_timestamp), server_timestamp };
});

/** The presence of all users is joined from the cached texts of snapshots, by user, not by time. */
function ofEverybody(): AnyHandler {
  const turns = new ConcurrencyLimiter(1, MAX_WAITING, 'Too many requests for all presence');
  return handlePrepared(
    descriptors.getRealmPresence,
    async (org, { user }) => {
      const texts = sharedTexts(org);
      if (org.realm.current.presence_disabled) return texts;
      await turns.take(
        () =>
          texts.prepare(
            () => [everybodysText(org, user)],
            () => org.users.ranges,
          ),
        user.user_id,
      );
      return texts;
    },
    ({ org }, { user }, texts) => {
      const out = new JsonParts();
      out.text(',"presences":{');
      if (!org.realm.current.presence_disabled) {
        out.ranges(texts, everybodysText(org, user), org.users.ranges);
      }
      out.text('}');
      out.field('server_timestamp', org.now() / 1000);
      return new EncodedReply(out.end(), {}, out.shared);
    },
  );
}

function everybodysText(org: Organization, user: UserDocument): TextSource {
  const seen = seenBy(org, user);
  if (!seen) return presenceText(org, EVERYBODY);
  return limitedPresenceText(org, { user, seen }, EVERYBODY);
}
