import { NEVER } from '../../organization/state/scheduled/next-due.js';
import { Retention } from '../../organization/state/journal-retention.js';
import type { Runtime, Transactor } from '../../organization/state/runtime.js';
import type { IndexKeeper } from './index-keeper.js';
import type { NodeParts } from '../node-parts.js';
import type { Config } from '../../config/config.js';
import { MessageRetention } from '../../organization/messages/retention/message-retention.js';
import type { Store } from '../../store/port.js';
import type { AppLog } from '../../host/monitoring/log.js';
import type { ResumableUploads } from '../../organization/uploads/resumable-uploads.js';
import { UnclaimedUploads } from '../../organization/uploads/unclaimed-uploads.js';
import { removeAbandonedDrafts } from '../../services/abandoned-drafts.js';
import type { BlobStore } from '../../services/blob-store.js';
import { filesFolder } from '../../host/data-folder/files.js';
import { isEmbedded } from '../../host/data-folder/places.js';
import type { Organization } from '../../organization/state/organization.js';
import type { Looked } from '../../host/monitoring/figure-history.js';
import { inBackground, onceSettled, untold } from '../../turns/background.js';
import { every, hourly, NOTHING, type Background } from './background-service.js';

/** Upkeep of what is stored, and backups of it. */
export function upkeepOf(
  runtime: Runtime,
  resumable: ResumableUploads,
  backups: Background,
  parts: NodeParts,
): Background[] {
  return [
    journalUpkeep(runtime, parts),
    uploadUpkeep(runtime, resumable, parts),
    draftSweep(parts),
    messageUpkeep(runtime, parts),
    auditUpkeep(runtime, parts),
    backups,
  ];
}

/** Journal entries kept beyond those that queues need, and journal entries kept at most. */
const JOURNAL_LIMITS = { slack: 100_000, maximum: 2_000_000 };
const MINUTE_MS = 60_000;

/** Removes journal entries that no queue needs, every minute. */
export function journalUpkeep(
  runtime: Runtime,
  { store, log, indexFile }: Pick<NodeParts, 'store' | 'log' | 'indexFile'>,
): Background {
  const retention = new Retention(runtime, store, JOURNAL_LIMITS, () => indexFile.position);
  return every(MINUTE_MS, () => {
    inBackground(
      () => retention.run(),
      (error) => log.error({ err: error }, 'trimming failed'),
    );
  });
}

/** Keeps figures of the last hours, every minute, and those of the start at once. */
export function figuresUpkeep(
  served: { readonly org: Pick<Organization, 'mails'>; look(): Looked },
  { figureHistory }: Pick<NodeParts, 'figureHistory'>,
): Background {
  const note = (): void =>
    inBackground(() => figureHistory.note(served.look(), served.org.mails.size), untold);
  const rounds = every(MINUTE_MS, note);
  return {
    start: () => {
      note();
      rounds.start();
    },
    stop: () => rounds.stop(),
    nextDue: () => rounds.nextDue(),
  };
}

/** Keeps the index of messages, every minute. */
export function indexUpkeep(keeper: IndexKeeper, { log }: Pick<NodeParts, 'log'>): Background {
  return every(MINUTE_MS, () => {
    inBackground(
      () => keeper.run(),
      (error) => log.warn({ err: error }, 'the index of messages could not be kept'),
    );
  });
}

/** Applies the retention of messages, soon after the start and every hour. */
export function messageUpkeep(
  runtime: Runtime,
  parts: { readonly config: Config; readonly store: Store; readonly log: AppLog },
): Background {
  const { config, store, log } = parts;
  const retention = new MessageRetention({
    ...{ runtime, store, keepMs: config.keepRemovedMessagesMs },
    remade: (missing) =>
      log.warn({ missing }, 'the due index lacked archives of messages, and was made anew'),
  });
  const rounds = hourly({
    run: async () => {
      const result = await retention.run();
      if (result.removed + result.dropped > 0)
        log.info({ ...result }, 'messages past their retention were removed');
    },
    failed: (error) => log.error({ err: error }, 'the retention of messages failed'),
    due: () => retention.nextDue(),
    now: () => runtime.org.now(),
  });
  return {
    ...rounds,
    stop: () => {
      rounds.stop();
      retention.stop();
    },
  };
}

/** Removes what the audit log has kept for long enough, soon after the start and every hour. */
export function auditUpkeep(
  runtime: Runtime,
  { config, log }: { readonly config: Config; readonly log: AppLog },
): Background {
  const { keepAuditMs } = config;
  if (keepAuditMs === null) return NOTHING;
  return hourly({
    run: async () => {
      const removed = await expireAudit(runtime, keepAuditMs);
      if (removed > 0) log.info({ removed }, 'audit records past their retention were removed');
    },
    failed: (error) => log.error({ err: error }, 'old audit records were not removed'),
    due: () => runtime.org.audit.oldestAt + keepAuditMs,
    now: () => runtime.org.now(),
  });
}

/** Minimal age of drafts in a folder that processes may share: every upload takes less. Milliseconds. */
const SHARED_DRAFT_MS = 600_000;

/** Removes uploaded files that no message links, and uploads in pieces that nobody went on with, soon after the start and every hour. */
export function uploadUpkeep(
  runtime: Runtime,
  resumable: ResumableUploads,
  parts: { readonly config: Config; readonly blobs: BlobStore; readonly log: AppLog },
): Background {
  const { config, blobs, log } = parts;
  const { keepUploadsMs } = config;
  const uploads =
    keepUploadsMs === null
      ? null
      : new UnclaimedUploads(runtime.org, {
          keepMs: keepUploadsMs,
          transact: (work) => runtime.transact(work),
          durable: () => runtime.journal.barrier(),
          removeBytes: (key) =>
            inBackground(
              () => blobs.delete(key),
              (error) => log.error({ err: error, key }, 'a file could not be removed'),
            ),
        });
  const rounds = hourly({
    run: async () => {
      await uploads
        ?.run()
        .catch((error: unknown) => log.error({ err: error }, 'unclaimed uploads were not removed'));
      await resumable.removeExpired();
    },
    failed: (error) => log.error({ err: error }, 'expired uploads were not removed'),
    due: (since) => Math.min(uploads?.nextDue(since) ?? NEVER, resumable.nextDue()),
    now: () => runtime.org.now(),
  });
  return {
    ...rounds,
    stop: () => {
      rounds.stop();
      uploads?.stop();
    },
  };
}

/** Removes, once after the start, drafts of uploads that a killed process left behind. */
export function draftSweep({
  config,
  log,
}: {
  readonly config: Config;
  readonly log: AppLog;
}): Background {
  const folder = filesFolder(config);
  // A bucket has no drafts: it shows a file when it has all of it.
  if (folder === null) return NOTHING;
  const ending = new AbortController();
  const isAlone = isEmbedded(config) && config.files === null && config.workers === 1;
  const options = {
    minAgeMs: isAlone ? 0 : SHARED_DRAFT_MS,
    signal: ending.signal,
  };
  return {
    start: () => {
      onceSettled(
        removeAbandonedDrafts(folder, options),
        (count) => {
          if (count > 0) log.info({ count }, 'removed partial uploads that a crash left');
        },
        (error: unknown) => {
          if (ending.signal.aborted) return;
          log.warn({ err: error }, 'partial uploads that a crash left were not removed');
        },
      );
    },
    stop: () => ending.abort(),
    nextDue: () => NEVER,
  };
}

/** Records removed per transaction. */
const BATCH = 1000;

/**
 * Removes what the audit log has kept for long enough.
 * @returns how many records were removed
 */
export async function expireAudit(runtime: Transactor, keepMs: number): Promise<number> {
  let removed = 0;
  for (;;) {
    const until = runtime.org.now() - keepMs;
    const due = runtime.org.audit.olderThan(until, BATCH);
    if (due.length === 0) return removed;
    runtime.transact(({ org }) => due.forEach((id) => org.audit.delete(id)));
    await runtime.journal.barrier();
    removed += due.length;
  }
}
