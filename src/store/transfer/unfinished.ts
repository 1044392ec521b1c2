/** The mark of a store whose import has not finished: a document that goes with the last write. */
import type { Document, DocumentKey, StoreReads, Write } from '../port.js';

/** No collection of an organization; left out of exports. */
export const MARK_COLLECTION = 'unfinished-import';
const MARK: DocumentKey = { collection: MARK_COLLECTION, id: '0' };

/** Id of the file whose import into the store has not finished, or null. */
export async function unfinishedImport(store: StoreReads): Promise<string | null> {
  const [mark] = await store.getMany([MARK]);
  if (mark === undefined) return null;
  return typeof mark['file'] === 'string' ? mark['file'] : '';
}

/** @throws Error when the store holds part of an import: nobody may serve or export it */
export async function refuseUnfinishedImport(store: StoreReads): Promise<void> {
  if ((await unfinishedImport(store)) === null) return;
  throw new Error(
    `An import into ${store.description} has not finished: run it again, with the same file`,
  );
}

/** How far the import got, as it noted that itself; null where it noted nothing. */
export async function importProgress(store: StoreReads): Promise<Document | null> {
  const [mark] = await store.getMany([MARK]);
  return (mark?.['progress'] as Document | undefined) ?? null;
}

/** Marks the store as being filled from the file with this id. @param progress where it can go on */
export function markUnfinished(file: string, progress?: Document): Write {
  const document: Document = progress === undefined ? { file } : { file, progress };
  return { op: 'set', key: MARK, document };
}

/** Takes the mark away. */
export const MARK_FINISHED: Write = { op: 'delete', key: MARK };
