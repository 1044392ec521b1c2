import { workStopwatch } from '../../../platform/figures.js';
import { nextTurn } from '../../../platform/timers.js';
import type { MessageDocument } from '../../../../schemas/messages/message.js';
import type { MessageColumns } from '../../state/message-index/message-columns.js';
import { untold } from '../../../turns/background.js';

/** Messages brought at a time; their documents take some 5 ms to read where they are not in memory. */
export const BATCH = 256;
/** Batches that the index has been given and has not taken: its thread never waits for the next. */
const BATCHES_UNDER_WAY = 4;
/** After so much work the main thread is left to others for as long, milliseconds; they have their turns in between. */
const PAUSED_MS = 16;

/** Where older messages come from, and where they go. */
interface OlderMessages {
  readonly columns: Pick<MessageColumns, 'idsBelow'>;
  documents(ids: readonly number[]): Promise<readonly MessageDocument[]>;
  /** Gives the index a batch, at once. @param lowest what it has everything from then */
  give(documents: readonly MessageDocument[], lowest: number): Promise<void>;
  wait(ms: number): Promise<void>;
  isOver(): boolean;
}

/**
 * Brings an index what is older than all that it has, as long as there is some. The next documents are read while the
 * index takes the last ones, and the main thread works half of the time.
 */
export async function bringOlder(covered: number, older: OlderMessages): Promise<void> {
  const taking: Promise<void>[] = [];
  let owedMs = 0;
  for (let lowest = covered; lowest > 0 && !older.isOver();) {
    const workedMs = workStopwatch();
    const ids = older.columns.idsBelow(lowest, BATCH);
    lowest = ids.length < BATCH ? 0 : ids[ids.length - 1]!;
    const documents = await older.documents(ids);
    if (taking.length === BATCHES_UNDER_WAY) await taking.shift();
    const taken = older.give(documents, lowest);
    // Its failure is told when it is awaited.
    taken.catch(untold);
    taking.push(taken);
    owedMs += workedMs();
    if (owedMs < PAUSED_MS) await nextTurn();
    else {
      await older.wait(owedMs);
      owedMs = 0;
    }
  }
  await Promise.all(taking);
}
