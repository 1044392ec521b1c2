import type { EventFields } from '../../../schemas/events.js';
import type { RealmExportDocument } from '../../../schemas/realm/exports.js';
import { newToken } from '../../services/auth/random-token.js';
import { isAdministrator } from '../access/permissions.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';

type RealmExport = EventFields<'realm_export'>['exports'][number];

/** All exports, the oldest first (endpoints-organization.md#exports). */
export function exportList(org: Organization): RealmExport[] {
  return [...org.realmExports.values()]
    .sort((a, b) => a.id - b.id)
    .map(({ token: _token, address: _address, parts: _parts, ...one }) => ({
      ...one,
      export_url: exportUrl(org, one.id),
      export_from_prior_server: false,
    }));
}

/** Name of the file that is downloaded. */
export function exportFileName(id: number): string {
  return `parley-export-${id}.jsonl.gz`;
}

/** Whether a file is there. */
function isMade({ pending, failed_timestamp, deleted_timestamp }: RealmExportDocument): boolean {
  return !pending && failed_timestamp === null && deleted_timestamp === null;
}

function exportUrl(org: Organization, id: number): string | null {
  const one = org.realmExports.get(id)!;
  return isMade(one) ? `${org.site.url}/exports/${exportAddress(one)}/${exportFileName(id)}` : null;
}

/** The part of the address that nobody can guess. */
export function exportAddress({ address, token }: RealmExportDocument): string {
  return address ?? token;
}

/**
 * Gives the files of all exports new addresses, because somebody who knows the present ones is no administrator any more;
 * emits them to those who are.
 */
export function renewExportAddresses(tx: Transaction): void {
  const { realmExports } = tx.org;
  const made = [...realmExports.values()].filter(isMade);
  if (made.length === 0) return;
  for (const { id } of made) realmExports.update(id, { address: newToken() });
  emitExports(tx);
}

/** Tells all administrators of all exports. */
export function emitExports(tx: Transaction): void {
  const users = [...tx.org.users.active].filter((id) => isAdministrator(tx.org.users.get(id)!));
  const exports = exportList(tx.org);
  tx.emit('realm_export', { to: 'users', users: users.sort((a, b) => a - b) }, { exports });
}
