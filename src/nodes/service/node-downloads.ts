import { exportRoute } from '../../http/files/export-routes.js';
import type { SpecialRoute } from '../../http/server.js';
import { recordAction } from '../../organization/state/audit.js';
import { LINK } from '../../organization/state/audited.js';
import type { Organization } from '../../organization/state/organization.js';
import type { Runtime } from '../../organization/state/runtime.js';
import type { OtherNodesNow } from '../../resources/queues/other-nodes.js';
import type { NodeParts } from '../node-parts.js';
import { backupRouteOf } from './server-deeds.js';

/**
 * Files that this node gives to whoever has their address: exports, which the audit log tells of, and backups. A follower
 * gives them itself, and has the leader write the log.
 */
export function downloadRoutes(
  parts: NodeParts & { readonly org: Organization },
  runtime: Runtime,
  others: OtherNodesNow,
): SpecialRoute[] {
  const record = (exportId: number): Promise<void> =>
    others()?.exportFetched(exportId) ?? recordFetched(runtime, exportId);
  return [exportRoute({ ...parts, record }), backupRouteOf(parts, parts.org)];
}

/** Resolves once it is recorded that somebody fetches the file of an export, on the leader. */
export async function recordFetched(
  runtime: Pick<Runtime, 'transact' | 'durable'>,
  exportId: number,
): Promise<void> {
  runtime.transact((tx) => {
    const one = tx.org.realmExports.get(exportId);
    if (!one) return;
    const { id, export_type: name } = one;
    const fields = [{ name: 'file', old: null, new: null }];
    recordAction(tx, { kind: 'export', id, name, action: 'done', fields });
  }, LINK);
  await runtime.durable;
}
