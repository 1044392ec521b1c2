import { FEATURE_LEVEL, ZULIP_VERSION } from '../../schemas/limits.js';
import type { ServerDocument } from './organization.js';
import type { Transaction } from './transaction.js';

/** Version of Parley itself; raised with every release. */
export const SOFTWARE_VERSION = '0.1.0';

const CURRENT: ServerDocument = {
  zulip_version: ZULIP_VERSION,
  zulip_feature_level: FEATURE_LEVEL,
  software_version: SOFTWARE_VERSION,
};

/**
 * Notes which software serves the organization. When it is another one than before, every queue hears
 * of it by a `restart` event (events.md section 2.7); a restart of the same software tells nobody.
 */
export function noteSoftware(tx: Transaction): void {
  const former = tx.org.server.get('server');
  if (former && isCurrent(former)) return;
  tx.org.server.insert(CURRENT);
  if (!former) return;
  tx.emit(
    'restart',
    { to: 'all' },
    {
      zulip_version: ZULIP_VERSION,
      zulip_merge_base: ZULIP_VERSION,
      zulip_feature_level: FEATURE_LEVEL,
      server_generation: tx.org.site.generation,
    },
  );
}

function isCurrent(former: ServerDocument): boolean {
  return (
    former.zulip_version === CURRENT.zulip_version &&
    former.zulip_feature_level === CURRENT.zulip_feature_level &&
    former.software_version === CURRENT.software_version
  );
}
