import type { ConsoleParams } from '../../../schemas/queues/console.js';
import { backupRoute, type BackupLink } from '../../http/files/backup-route.js';
import type { SpecialRoute } from '../../http/server.js';
import type { Organization } from '../../organization/state/organization.js';
import { wallTime } from '../../platform/time.js';
import type { ServerDeeds } from '../../resources/administration/server.js';
import type { Console } from '../../resources/queues/console.js';
import type { ScheduledBackups } from '../upkeep/scheduled-backups.js';
import { reachLazyServices } from '../../host/reach-services.js';
import { supportBundle } from './support-bundle.js';
import { secretsOf, withoutSecrets } from '../../host/monitoring/without-secrets.js';
import type { NodeParts } from '../node-parts.js';

/** How long the address of a backup works, milliseconds: a click's time. */
const LINK_MS = 60_000;

/** How long a trial of a service may take, milliseconds: somebody waits for it. */
const TRIAL_MS = 5000;

/** What a support bundle has of the console. */
const BUNDLED: ConsoleParams = {
  ...{ with_queues: false, queue_filter: '', queue_order: 'events', queues_ascending: false },
  ...{ with_troubles: true, with_log: true, log_level: 'info', log_filter: '' },
  ...{ with_actors: true, with_charts: false, with_operation: true },
  ...{ with_history: false, with_logins: false },
};

interface Served {
  readonly org: Organization;
  readonly console: Console;
  readonly backups: ScheduledBackups;
}

/** What administrators have a node do. */
export function serverDeeds(
  { config, backupLinks, figureHistory }: NodeParts,
  { org, console, backups }: Served,
): ServerDeeds {
  const secrets = secretsOf(config);
  return {
    backups,
    backupUrl: (name, user_id, now) => {
      const link: BackupLink = { name, user_id };
      return `/backups/${backupLinks.seal(link, now + LINK_MS)}/${encodeURIComponent(name)}`;
    },
    tryServices: async () => {
      const reached = await reachLazyServices(config, TRIAL_MS);
      return reached.map(({ service, fault }) => ({
        service: withoutSecrets(service, secrets),
        fault: fault && withoutSecrets(fault, secrets),
      }));
    },
    bundle: async (withAudit) => {
      await console.prepare(BUNDLED);
      await console.hear(BUNDLED);
      const look = console.look(BUNDLED);
      return supportBundle({ org, look, history: figureHistory.figures(), secrets, withAudit });
    },
  };
}

/** The address at which a node gives backups. */
export function backupRouteOf(
  { config, backupLinks, server }: NodeParts,
  { users }: Organization,
): SpecialRoute {
  const folder = config.backup?.folder ?? null;
  return backupRoute({ folder, links: backupLinks, users, now: wallTime, server });
}
