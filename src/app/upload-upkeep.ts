import { join } from 'node:path';
import type { Config } from '../config.js';
import type { Runtime } from '../organization/state/runtime.js';
import { UnclaimedUploads } from '../organization/uploads/unclaimed-uploads.js';
import { removeAbandonedDrafts } from '../services/abandoned-drafts.js';
import type { BlobStore } from '../services/blob-store.js';
import { every, type Background } from './background.js';
import type { AppLog } from './log.js';
import { folderOf, isEmbedded } from './places.js';

const ROUND_MS = 3_600_000;
/** Processes of several organizations on Redis may share a folder: what they write takes less. Milliseconds. */
const SHARED_DRAFT_MS = 600_000;

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

/** Removes, once after the start, what a process left behind that was killed in the middle of an upload. */
export function draftSweep({
  config,
  log,
}: {
  readonly config: Config;
  readonly log: AppLog;
}): Background {
  const ending = new AbortController();
  const options = {
    minAgeMs: isEmbedded(config) ? 0 : SHARED_DRAFT_MS,
    signal: ending.signal,
  };
  return {
    start: () => {
      removeAbandonedDrafts(join(folderOf(config), 'files'), options).then(
        (count) => {
          if (count > 0) log.info({ count }, 'removed drafts of uploads that a crash cut off');
        },
        (error: unknown) => {
          if (ending.signal.aborted) return;
          log.warn({ err: error }, 'drafts of uploads that a crash cut off were not removed');
        },
      );
    },
    stop: () => ending.abort(),
  };
}
