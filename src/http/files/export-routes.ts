import { exportFile, type RealmExportDocument } from '../../../schemas/realm/exports.js';
import { fileNotFound } from '../../errors/index.js';
import { exportPartKey } from '../../organization/realm/exports.js';
import type { Organization } from '../../organization/state/organization.js';
import { exportAddress, exportFileName } from '../../organization/views/realm-exports.js';
import type { BlobStore } from '../../services/blob-store.js';
import type { Exchange } from '../reply/exchange.js';
import type { HttpServer, SpecialRoute } from '../server.js';

interface ExportRouteParts {
  readonly org: Organization;
  readonly blobs: BlobStore;
  readonly server: Pick<HttpServer, 'fail'>;
  /** Records that somebody fetches the file of an export. */
  readonly record: (exportId: number) => Promise<void>;
}

/** `GET /exports/…`, at the root: the file of an export (endpoints-organization.md#exports). */
export function exportRoute({ org, blobs, server, record }: ExportRouteParts): SpecialRoute {
  return {
    endpoint: exportFile,
    atRoot: true,
    respond: (exchange, { params }) => {
      const { token } = params as { token: string };
      const one = [...org.realmExports.values()].find((found) => exportAddress(found) === token);
      // Its parts are empty while it is made, where it failed, and when it was deleted.
      if (!one || one.parts.length === 0) throw fileNotFound();
      give(exchange, blobs, one, async () => {
        if (exchange.method !== 'HEAD') await record(one.id);
      }).catch((error: unknown) => server.fail(exchange, error));
    },
  };
}

/** @param fetched called before anything is sent */
async function give(
  exchange: Exchange,
  blobs: BlobStore,
  one: RealmExportDocument,
  fetched: () => Promise<void>,
): Promise<void> {
  const size = one.parts.reduce((sum, part) => sum + part, 0);
  let held: { readonly from: number; readonly bytes: Buffer } | null = null;
  const read = async (offset: number): Promise<Buffer> => {
    if (!held || offset < held.from || offset >= held.from + held.bytes.length) {
      held = await partAt(blobs, one, offset);
    }
    return held.bytes.subarray(offset - held.from);
  };
  // Before the head is sent: a file that is gone is not found.
  await read(0);
  await fetched();
  const headers = {
    'Content-Disposition': `attachment; filename="${exportFileName(one.id)}"`,
    'Cache-Control': 'private, no-store',
  };
  await exchange.replyChunks({ headers, mediaType: 'application/gzip', size, read });
}

/** The part of a file that has the byte at an offset, and where it begins. @throws ApiError where it is gone */
async function partAt(
  blobs: BlobStore,
  one: RealmExportDocument,
  offset: number,
): Promise<{ readonly from: number; readonly bytes: Buffer }> {
  let from = 0;
  for (const [part, size] of one.parts.entries()) {
    if (offset < from + size) {
      const bytes = await blobs.get(exportPartKey(one, part));
      if (!bytes) throw fileNotFound();
      return { from, bytes };
    }
    from += size;
  }
  throw fileNotFound();
}
