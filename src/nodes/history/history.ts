/** Decides which history a term serves: the store's or a new one. */
import type { HistoryReason } from '../../../schemas/store/history-document.js';
import type { Journal } from '../../journal/journal.js';
import {
  beginHistory,
  countersOf,
  firstPosition,
  hasOldIds,
  nameHistory,
  newHistoryId,
  renewIds,
} from '../../organization/state/history.js';
import type { Runtime } from '../../organization/state/runtime.js';
import { endedHistory, verdict, type StoredHistory } from './history-check.js';
import type { AppLog } from '../../host/monitoring/log.js';
import { digestOf, type Seen, type Witness } from './witness.js';

/** Log texts, by reason. */
const REASONS: Readonly<Record<HistoryReason, string>> = {
  created: 'the organization is new',
  found: 'the store had none',
  went_back: 'the store has less than was acknowledged, or something else in its place',
  copied: 'the folder of the store is a copy',
  imported: 'the store was filled from a backup',
  requested: 'it was requested',
};

/** The parts of a term that settling uses. */
interface SettlingParts {
  readonly runtime: Runtime;
  readonly journal: Journal;
  readonly witness: Witness;
  /** Whether the witness lies beside the store. */
  readonly besideStore: boolean;
  readonly log: AppLog;
}

/**
 * Decides which history is served, before any queue is loaded.
 * @param stored the store's state before this term wrote to it
 * @throws ApiError 503 when the store fails meanwhile
 */
export async function settleHistory(parts: SettlingParts, stored: StoredHistory): Promise<void> {
  const { runtime, journal, witness, besideStore, log } = parts;
  const { org } = runtime;
  const { seen, isNew, isCopy } = witness;
  const reason = verdict(stored, { seen, isNew, isCopy, besideStore });
  if (reason === null) {
    // Before the store is changed, so that the node's file exists whatever happens next.
    if (besideStore && isNew) await witness.save();
    const { seq } = journal.durableHead;
    const renews = hasOldIds(org, seq);
    if (renews) {
      log.info({ position: seq }, 'event ids begin anew: all clients register again');
    }
    runtime.transact((tx) => {
      if (stored.history === undefined) nameHistory(tx, newHistoryId(), 'found');
      else if (renews) renewIds(tx);
      tx.org.historyRequest.delete('history');
    });
    await journal.barrier();
    return;
  }
  const ended = endedHistory(org, stored.newest, witness, org.now());
  const id = newHistoryId();
  journal.skipTo(firstPosition(ended));
  runtime.transact((tx) => {
    beginHistory(tx, id, reason, ended);
    tx.org.historyRequest.delete('history');
  });
  log.warn(
    { history: id, former: stored.history?.id, reason, position: journal.nextSeq - 1 },
    `a new history begins, because ${REASONS[reason]}: all clients register again`,
  );
  await journal.barrier();
}

/** Reads what a term has made durable, for the witness. */
export function observer({ runtime, journal }: Pick<SettlingParts, 'runtime' | 'journal'>) {
  const { org } = runtime;
  let last: Pick<Seen, 'seq' | 'entry'> = { seq: -1, entry: '' };
  return (): Seen => {
    const { seq } = journal.durableHead;
    if (seq !== last.seq) last = { seq, entry: digestOf(journal.durableText) };
    const history = org.history.current?.id ?? null;
    return { history, ...last, counters: countersOf(org), at: org.now() };
  };
}
