import { MAX_EXPORTS, MAX_EXPORTS_A_WEEK } from '../../../schemas/limits.js';
import type { ExportType, RealmExportDocument } from '../../../schemas/realm/exports.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest } from '../../errors/index.js';
import { newToken } from '../../services/auth/random-token.js';
import type { Transaction } from '../state/transaction.js';
import { emitExports } from '../views/realm-exports.js';

const WEEK_SECONDS = 7 * 86_400;

/** Key of a part of the file in the store of files. */
export function exportPartKey({ token }: RealmExportDocument, part: number): string {
  return `exports/${token}/${part}`;
}

/**
 * Begins an export.
 * @param removed takes keys of files that nobody needs any more, once that is durable
 * @throws ApiError while another one is made, and for one too many in a week
 */
export function beginExport(
  tx: Transaction,
  user: UserDocument,
  export_type: ExportType,
  removed: (keys: readonly string[]) => void,
): RealmExportDocument {
  const { realmExports, counters } = tx.org;
  const all = [...realmExports.values()].sort((a, b) => a.id - b.id);
  if (all.some(({ pending }) => pending)) throw badRequest('An export is being made.');
  const recent = all.filter(({ export_time }) => export_time > tx.seconds - WEEK_SECONDS);
  if (recent.length >= MAX_EXPORTS_A_WEEK) throw badRequest('Exceeded rate limit.');
  for (const old of all.slice(0, Math.max(0, all.length - MAX_EXPORTS + 1))) {
    realmExports.delete(old.id);
    dropFile(tx, old, removed);
  }
  const begun = realmExports.insert({
    id: counters.next('realm_export'),
    acting_user_id: user.user_id,
    export_type,
    export_time: tx.seconds,
    token: newToken(),
    pending: true,
    failed_timestamp: null,
    deleted_timestamp: null,
    parts: [],
  });
  emitExports(tx);
  return begun;
}

/** The file is there. */
export function finishExport(tx: Transaction, id: number, parts: readonly number[]): void {
  tx.org.realmExports.update(id, { pending: false, parts: [...parts] });
  emitExports(tx);
}

/** There will be no file. */
export function failExport(tx: Transaction, id: number): void {
  tx.org.realmExports.update(id, { pending: false, failed_timestamp: tx.seconds });
  emitExports(tx);
}

/**
 * Deletes the file of an export; the list says when.
 * @param removed takes the keys of its parts, once that is durable
 * @throws ApiError where there is none
 */
export function deleteExport(
  tx: Transaction,
  id: number,
  removed: (keys: readonly string[]) => void,
): void {
  const one = tx.org.realmExports.get(id);
  if (!one) throw badRequest('Invalid data export ID');
  if (one.deleted_timestamp !== null) throw badRequest('Export already deleted');
  if (one.failed_timestamp !== null) throw badRequest('Export failed, nothing to delete');
  if (one.pending) throw badRequest('Export still in progress');
  tx.org.realmExports.update(id, { deleted_timestamp: tx.seconds, parts: [] });
  dropFile(tx, one, removed);
  emitExports(tx);
}

function dropFile(
  tx: Transaction,
  one: RealmExportDocument,
  removed: (keys: readonly string[]) => void,
): void {
  const keys = one.parts.map((_size, part) => exportPartKey(one, part));
  tx.onceDurable(() => removed(keys));
}
