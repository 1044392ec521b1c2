import { registerQueue } from '../../../schemas/queues/register.js';
import { SessionGate } from '../../http/auth/session-gate.js';
import { logOutRoute, webAppRoutes } from '../../http/files/web-app-page.js';
import type { Service, SpecialRoute } from '../../http/server.js';
import type { ActivityTracker } from '../../organization/presence/activity-tracker.js';
import type { Runtime } from '../../organization/state/runtime.js';
import { sessionHandlers } from '../../resources/accounts/sessions.js';
import type { HandlerParts } from '../../resources/handler-parts.js';
import { bind } from '../../resources/kernel/bind.js';
import type { Route } from '../../resources/kernel/route.js';
import type { Organization } from '../../organization/state/organization.js';
import type { NodeParts } from '../node-parts.js';

type SessionService = NonNullable<Service['sessions']>;

/** What serves browsers with sessions, in either role. */
export function sessionService(
  runtime: Runtime,
  activity: ActivityTracker,
  parts: HandlerParts,
): SessionService {
  const { org } = runtime;
  return {
    gate: new SessionGate(parts.sessions, activity, () => org.site.url),
    routes: sessionHandlers(parts).map((handler) => bind(runtime, handler)),
    catchUp: async () => parts.otherNodes()?.catchUp(),
  };
}

/** The page of the web app; none where there is none. */
export function webAppOf(
  org: Organization,
  { webApp, server }: NodeParts,
  routes: readonly Route[],
  service: SessionService,
): SpecialRoute[] {
  if (!webApp) return [];
  const register = routes.find(({ endpoint }) => endpoint === registerQueue)!;
  const logOut = logOutRoute(service.routes);
  return webAppRoutes({
    ...{
      webApp,
      org,
      gate: service.gate,
      sessions: service.gate.sessions,
      server,
      register,
      logOut,
    },
  });
}
