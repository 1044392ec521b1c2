import * as descriptors from '../../../schemas/realm/exports.js';
import type { RealmExportDocument } from '../../../schemas/realm/exports.js';
import { beginExport, deleteExport } from '../../organization/realm/exports.js';
import { exportList } from '../../organization/views/realm-exports.js';
import { handle, type AnyHandler } from '../kernel/handler.js';
import { removeBlobs, type PictureParts } from '../users/picture-upload.js';

interface ExportParts extends Pick<PictureParts, 'blobs' | 'onBlobError'> {
  /** Makes the file of an export, once that is durable. */
  readonly runExport: (begun: RealmExportDocument) => void;
}

/** Exports of the organization (endpoints-organization.md#exports). */
export function exportHandlers(parts: ExportParts): AnyHandler[] {
  const remove = (keys: readonly string[]): void => removeBlobs(parts, keys);
  return [
    handle(descriptors.getRealmExports, ({ org }) => ({ exports: exportList(org) })),
    handle(descriptors.exportRealm, (tx, { user, params: { export_type } }) => {
      const begun = beginExport(tx, user, export_type, remove);
      tx.onceDurable(() => parts.runExport(begun));
      return { id: begun.id };
    }),
    handle(descriptors.deleteRealmExport, (tx, { params: { export_id } }) => {
      deleteExport(tx, export_id, remove);
      return {};
    }),
  ];
}
