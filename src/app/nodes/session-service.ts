import { SessionGate } from '../../http/auth/session-gate.js';
import type { Service } from '../../http/server.js';
import type { ActivityTracker } from '../../organization/presence/activity-tracker.js';
import type { Runtime } from '../../organization/state/transaction.js';
import { sessionHandlers } from '../../resources/accounts/sessions.js';
import type { HandlerParts } from '../../resources/handler-parts.js';
import { bind } from '../../resources/kernel/bind.js';

/** What serves browsers with sessions, in either role. */
export function sessionService(
  runtime: Runtime,
  activity: ActivityTracker,
  parts: HandlerParts,
): Service['sessions'] {
  const { org } = runtime;
  return {
    gate: new SessionGate(parts.sessions, activity, () => org.site.url),
    routes: sessionHandlers(parts).map((handler) => bind(runtime, handler)),
    catchUp: async () => parts.otherNodes()?.catchUp(),
  };
}
