import { join } from 'node:path';
import { backupFile, linkBackup } from '../../../schemas/administration/server.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { fileNotFound } from '../../errors/index.js';
import { couldCall } from '../../organization/access/endpoint-access.js';
import { stat } from '../../platform/files.js';
import type { SealedState } from '../../services/auth/sealed-state.js';
import type { Exchange } from '../reply/exchange.js';
import type { HttpServer, SpecialRoute } from '../server.js';
import { preconditionsOf, type Preconditions } from './conditional.js';
import { giveDiskFile } from './disk-file.js';
import { inBackground } from '../../turns/background.js';

interface BackupRouteParts {
  /** Null where no folder is named for backups. */
  readonly folder: string | null;
  readonly links: SealedState;
  readonly users: { get(id: number): UserDocument | undefined };
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly server: Pick<HttpServer, 'fail'>;
}

/** What an address says. */
export interface BackupLink {
  readonly name: string;
  /** Who got the address: it ends with their right to get one. */
  readonly user_id: number;
}

/** `GET /backups/…`, at the root: a backup, by an address that an owner just got. */
export function backupRoute({ folder, links, users, now, server }: BackupRouteParts): SpecialRoute {
  return {
    endpoint: backupFile,
    atRoot: true,
    respond: (exchange, { params }) => {
      const { token } = params as { token: string };
      const opened = links.open(token, now()) as BackupLink | null;
      if (!opened || folder === null) throw fileNotFound();
      if (!couldCall(linkBackup, users.get(opened.user_id))) throw fileNotFound();
      const conditions = preconditionsOf(exchange);
      inBackground(
        () => give(exchange, join(folder, opened.name), conditions),
        (error) => server.fail(exchange, error),
      );
    },
  };
}

async function give(exchange: Exchange, path: string, conditions: Preconditions): Promise<void> {
  const found = await stat(path).catch(() => null);
  // Rotated away, or made on another machine.
  if (!found) throw fileNotFound();
  const file = {
    ...{ path, size: found.size, modifiedAt: found.mtimeMs, gzip: null },
    ...{ contentType: 'application/octet-stream', cacheControl: 'private, no-store' },
  };
  await giveDiskFile(exchange, file, conditions, '');
}
