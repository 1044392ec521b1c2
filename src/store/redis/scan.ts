/** Reading a collection in order, a bounded amount at a time. */
import type { Document } from '../port.js';
import { numericId } from '../commits.js';
import { fetchDocuments, type DocumentSource } from './documents.js';
import { assertUnlisted } from './listing-check.js';

/** Documents asked for at first, while their size is not known. */
const FIRST_FETCH = 64;
/** Text one batch should have, in UTF-16 units; large documents come in smaller batches. */
const BATCH_SIZE = 1024 * 1024;

type ScanBatch = { id: string; document: Document }[];

/** How far a scan has come. */
interface Position {
  /** Whether numbered documents are still to come; they come first. */
  readonly numbers: boolean;
  readonly last: string | undefined;
  /** Documents to ask for next. */
  readonly count: number;
}

/**
 * Numbered documents by number, then the others by bytes; at most `limit` in a batch.
 * @param ahead whether to fetch a batch while the caller has the one before
 */
export async function* scan(
  source: DocumentSource,
  collection: string,
  after: string | undefined,
  limit: number,
  ahead: boolean,
): AsyncGenerator<ScanBatch> {
  const read = (position: Position) => readOn(source, collection, position, limit);
  const numbers = after === undefined || numericId(after) >= 0;
  let reading = read({ numbers, last: after, count: Math.min(limit, FIRST_FETCH) });
  for (;;) {
    const { batch, next } = await reading;
    if (ahead && next !== null) {
      reading = read(next);
      // The caller may end here, and never ask for it.
      reading.catch(() => undefined);
    }
    if (batch.length > 0) yield batch;
    if (next === null) return;
    if (!ahead) reading = read(next);
  }
}

/** The documents from a position on, and where to go on, null at the end. */
async function readOn(
  source: DocumentSource,
  collection: string,
  { numbers, last, count }: Position,
  limit: number,
): Promise<{ batch: ScanBatch; next: Position | null }> {
  const ids = await listIds(source, collection, numbers, last, count);
  if (ids.length === 0) {
    return { batch: [], next: numbers ? { numbers: false, last: undefined, count } : null };
  }
  const { batch, size } = await fetchBatch(source, collection, ids);
  const fitting = Math.floor((BATCH_SIZE * ids.length) / (size + 1));
  const next = { numbers, last: ids.at(-1), count: Math.max(1, Math.min(limit, fitting)) };
  return { batch, next };
}

/** The next ids after `last`: of the numbers, which come first, or of the names. */
async function listIds(
  { connection, keys }: DocumentSource,
  collection: string,
  numbers: boolean,
  last: string | undefined,
  count: number,
): Promise<string[]> {
  const index = keys.index(collection);
  const command = numbers
    ? ['ZRANGEBYSCORE', index.numbers, last === undefined ? '-inf' : `(${last}`, '+inf']
    : ['ZRANGEBYLEX', index.names, last === undefined ? '-' : `(${last}`, '+'];
  command.push('LIMIT', '0', String(count));
  return (await connection.retry(() => connection.send(command))) as string[];
}

/**
 * The documents of these ids, without those deleted meanwhile, and the length of their texts.
 * @throws DamagedError for one that is listed and not there
 */
async function fetchBatch(
  source: DocumentSource,
  collection: string,
  ids: readonly string[],
): Promise<{ batch: ScanBatch; size: number }> {
  const keys = ids.map((id) => ({ collection, id }));
  const found = await source.connection.retry(() => fetchDocuments(source, keys));
  const batch: ScanBatch = [];
  let size = 0;
  const missing = keys.filter((_, i) => found[i] === null);
  if (missing.length > 0) await assertUnlisted(source, missing);
  found.forEach((each, i) => {
    if (each === null) return;
    size += each.size;
    batch.push({ id: ids[i]!, document: each.document });
  });
  return { batch, size };
}
