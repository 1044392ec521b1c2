import { nextTurn } from '../../../platform/timers.js';
import { DamagedError, type DocumentKey, type Store } from '../../../store/port.js';
import { readApart } from '../../state/damaged-documents.js';
import type { Runtime } from '../../state/runtime.js';

/** Collection of archived messages, which stay in the store and are not loaded. */
export const ARCHIVE_COLLECTION = 'message_archive';
/** Due index of the deletion of archives, by the id of their document. */
export const ARCHIVE_INDEX = 'message_archive';

/** Key of an archive. */
export function archiveKey(id: number | string): DocumentKey {
  return { collection: ARCHIVE_COLLECTION, id: String(id) };
}

/** Ids asked for together, of archives that were mostly dropped. */
const ASKED_AT_ONCE = 500;

/** Where archives are. */
type ArchiveStore = Pick<Store, 'getMany' | 'scan' | 'scanDue'>;

/**
 * Schedules the archives that the due index lacks, which it is derived from: nothing would ever drop them. Ids ascend, so
 * those that are not in it are asked for, and mostly were dropped. Where none is there, the next one that is leads on:
 * another history skips ids, of which there would be tens of millions.
 * @returns how many it lacked
 */
export async function scheduleLost(
  runtime: Runtime,
  store: ArchiveStore,
  isStopped: () => boolean,
): Promise<number> {
  const known = new Set<number>();
  for await (const slots of store.scanDue(ARCHIVE_INDEX)) {
    for (const { id } of slots) known.add(Number(id));
  }
  const last = runtime.org.counters.last('message_archive');
  let lost = 0;
  for (let from = 1; from <= last && !isStopped(); await nextTurn()) {
    const end = Math.min(from + ASKED_AT_ONCE, last + 1);
    const ids: number[] = [];
    for (let id = from; id < end; id++) if (!known.has(id)) ids.push(id);
    const documents = await readApart((some) => store.getMany(some), ids.map(archiveKey));
    const there = ids.filter((_, i) => documents[i] !== undefined);
    const isBare = there.length === 0 && ids.length === end - from;
    from = isBare ? await nextThere(store, end) : end;
    if (there.length === 0 || isStopped()) continue;
    lost += there.length;
    // `drop` schedules those for their own time that are not to be dropped yet.
    runtime.transact((tx) => there.forEach((id) => tx.schedule(ARCHIVE_INDEX, String(id), tx.now)));
  }
  return lost;
}

/** Id of the first archive that is there, from this one on; infinite where none is. */
async function nextThere(store: ArchiveStore, from: number): Promise<number> {
  const after = String(from - 1);
  try {
    for await (const [archive] of store.scan(ARCHIVE_COLLECTION, { after, batch: 1 }))
      if (archive) return Number(archive.id);
  } catch (error) {
    const start = `${ARCHIVE_COLLECTION}:`;
    if (!(error instanceof DamagedError) || !error.subject.startsWith(start)) throw error;
    // A damaged one is there, too.
    return Number(error.subject.slice(start.length));
  }
  return Infinity;
}
