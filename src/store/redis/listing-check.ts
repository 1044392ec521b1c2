/** Whether the sorted sets that list ids have all that was put in them. */
import { DamagedError, type DocumentKey } from '../port.js';
import type { DocumentSource } from './documents.js';
import type { Connection } from './connection.js';
import type { KeySpace } from './keys.js';
import { keysLike, lookThrough } from './listing.js';
import type { Scripts } from './scripts.js';

/** Where to look. */
export interface ListingCheckSource {
  readonly connection: Connection;
  readonly keys: KeySpace;
  readonly scripts: Scripts;
  readonly description: string;
}

/**
 * @param subject what they list, e.g. `list of user`
 * @param sets their keys
 * @throws DamagedError where one has more or fewer members than were put in it
 */
export async function assertCounted(
  { connection, keys, scripts, description }: ListingCheckSource,
  subject: string,
  sets: readonly string[],
): Promise<void> {
  const reply = (await connection.retry(() =>
    scripts.run(connection, 'listings', [keys.writer, ...sets], []),
  )) as (number | string | null)[];
  sets.forEach((_, i) => {
    const members = Number(reply[2 * i]);
    const counted = reply[2 * i + 1];
    if (counted === null || counted === undefined || Number(counted) === members) return;
    const problem = `it names ${members} and should name ${counted}`;
    throw new DamagedError(description, subject, problem);
  });
}

/**
 * Whether documents that were not found are still listed, which those deleted meanwhile are not: a commit
 * does both at once.
 * @throws DamagedError for the first that is
 */
export async function assertUnlisted(
  { connection, keys, description }: DocumentSource,
  missing: readonly DocumentKey[],
): Promise<void> {
  for (const { collection, id } of missing) {
    const { key } = keys.listing(collection, id);
    const isListed = async (): Promise<boolean> =>
      (await connection.retry(() => connection.send(['ZSCORE', key, id]))) !== null;
    const isThere = async (): Promise<boolean> =>
      (await connection.retry(() => connection.send(['EXISTS', keys.document(collection, id)]))) ===
      1;
    if ((await isListed()) && !(await isThere()) && (await isListed())) {
      throw new DamagedError(description, `${collection}:${id}`, 'it is missing');
    }
  }
}

/**
 * Compares the lists of ids with the documents, item by item: those that no list has, or has in another place. Those that
 * a list has and that are not there are found by whoever reads the collection.
 */
export async function unlistedDocuments(source: ListingCheckSource): Promise<DamagedError[]> {
  const { connection, keys, description } = source;
  const faults: DamagedError[] = [];
  /** Whether a document is there, and not where it is to be listed. */
  const isMisplaced = async (key: string, { collection, id }: DocumentKey): Promise<boolean> => {
    const { key: list, score } = keys.listing(collection, id);
    const [found, isThere] = await Promise.all([
      connection.send(['ZSCORE', list, id]),
      connection.send(['EXISTS', key]),
    ]);
    return isThere === 1 && (found === null || Number(found) !== Number(score));
  };
  for await (const found of keysLike(connection, keys.all)) {
    const documents = found.flatMap((key) => {
      const document = keys.documentAt(key);
      return document === null ? [] : [{ key, document }];
    });
    const misplaced = await Promise.all(
      documents.map(({ key, document }) => isMisplaced(key, document)),
    );
    for (const [i, { key, document }] of documents.entries()) {
      // One that is written or deleted meanwhile is asked for once more.
      if (!misplaced[i] || !(await isMisplaced(key, document))) continue;
      const subject = `${document.collection}:${document.id}`;
      faults.push(new DamagedError(description, subject, 'no list of its collection has it'));
    }
  }
  return faults;
}

/** Counts what an older build left, which kept no counts. For the writer, before it writes. */
export async function countAll(connection: Connection, keys: KeySpace): Promise<void> {
  for (const set of await lookThrough(connection, keys, () => true)) {
    const members = await connection.send(['ZCARD', set]);
    await connection.send(['HSETNX', keys.writer, `count:${set}`, String(members)]);
  }
}
