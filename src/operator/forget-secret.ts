import type { AuditChange } from '../../schemas/realm/audit-log.js';
import { holdsOrganization } from '../nodes/history/first-start.js';
import { FINGERPRINT } from '../nodes/history/key-secret.js';
import { commitOffline } from '../organization/state/audit.js';
import { wallTime } from '../platform/time.js';
import { openStore } from '../store/open.js';
import { assertStoreThere } from '../store/transfer/command.js';
import { withLease } from '../store/transfer/held.js';

const SECRET_FORGOTTEN = { kind: 'server', id: 0, name: 'secret', action: 'removed' } as const;

/**
 * `parley forget-secret`: removes the fingerprint, so that the next start accepts any secret.
 * @throws Error when the store is served
 */
export async function forgetSecret(
  url: string,
  report: (line: string) => void,
): Promise<{ readonly store: string }> {
  assertStoreThere(url);
  const store = await openStore(url);
  try {
    await withLease(store, async ({ lease }) => {
      // The fingerprint is not the organization's: no entry has it.
      const writes = [{ op: 'delete' as const, key: FINGERPRINT }];
      await store.commit(lease, { entries: [], writes, due: [] });
      if (!(await holdsOrganization(store))) return;
      const told: AuditChange = { ...SECRET_FORGOTTEN, fields: [] };
      await commitOffline(store, lease, wallTime(), { writes: [], told: [told] });
    });
    report(`${store.description} accepts the secret of the next start; all API keys change`);
    return { store: store.description };
  } finally {
    await store.close();
  }
}
