/** What a tool asks of the next start about the history of the organization. */
import type { HistoryRequestDocument } from '../../../schemas/store/history-document.js';
import type { DocumentKey, StoreReads, Write } from '../port.js';
import type { Header } from './format.js';

const REQUEST: DocumentKey = { collection: 'history_request', id: 'history' };
const HISTORY: DocumentKey = { collection: 'history', id: 'history' };

/** A move takes minutes. A file that is older, or from the future, is taken for a backup. Milliseconds. */
const MOVE_MS = 86_400_000;

/** Id of the history of a store; null where it knows of none. */
export async function historyOf(store: StoreReads): Promise<string | null> {
  const [history] = await store.getMany([HISTORY]);
  return typeof history?.['id'] === 'string' ? history['id'] : null;
}

/** Asks for something at the next start. */
export function request(document: HistoryRequestDocument): Write {
  return { op: 'set', key: REQUEST, document };
}

/**
 * What the next start of a store that was just filled from a file has to do: a moved organization goes on
 * with its history, a backup begins another.
 */
export async function requestAfterImport(
  store: StoreReads,
  { moved, exported_at }: Header,
  now: number,
): Promise<HistoryRequestDocument> {
  const [asked] = await store.getMany([REQUEST]);
  // Filled from a backup itself, and moved on before it was served.
  if (asked?.['next'] === 'begin') return asked as HistoryRequestDocument;
  const isMove = moved === true && Math.abs(now - Date.parse(exported_at)) <= MOVE_MS;
  return isMove ? { next: 'go_on' } : { next: 'begin', reason: 'imported' };
}
