import type { Config } from '../config.js';
import type { Runtime } from '../organization/runtime.js';
import { UnclaimedUploads } from '../organization/unclaimed-uploads.js';
import type { BlobStore } from '../services/blob-store.js';
import { every, type Background } from './background.js';
import type { AppLog } from './log.js';

const ROUND_MS = 3_600_000;

/** Removes uploaded files that no message links, an hour after the start and every hour. */
export function uploadUpkeep(
  runtime: Runtime,
  parts: { readonly config: Config; readonly blobs: BlobStore; readonly log: AppLog },
): Background {
  const { config, blobs, log } = parts;
  if (config.keepUploadsMs === null) return { start: () => undefined, stop: () => undefined };
  const uploads = new UnclaimedUploads(runtime.org, {
    keepMs: config.keepUploadsMs,
    transact: (work) => runtime.transact(work),
    durable: () => runtime.journal.barrier(),
    removeBytes: (key) =>
      void blobs.delete(key).catch((error: unknown) => {
        log.error({ err: error, key }, 'a file could not be removed');
      }),
  });
  const rounds = every(ROUND_MS, () => {
    uploads.run().catch((error: unknown) => {
      log.error({ err: error }, 'unclaimed uploads were not removed');
    });
  });
  return {
    start: () => rounds.start(),
    stop: () => {
      rounds.stop();
      uploads.stop();
    },
  };
}
