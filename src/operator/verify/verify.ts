/** `parley verify`: reads a whole store and reports what is damaged. */
import type { MessageDocument } from '../../../schemas/messages/message.js';
import type { AttachmentDocument } from '../../../schemas/uploads/uploads.js';
import type { Config } from '../../config/config.js';
import { changesOf, readEntry } from '../../journal/entry-reading.js';
import { storedFault } from '../../organization/state/stored-fault.js';
import { attachmentKey } from '../../organization/uploads/attachments.js';
import type { FileStore } from '../../services/blob-store.js';
import { fileFault } from '../../services/file-checksum.js';
import { openStore } from '../../store/open.js';
import { DamagedError, VERIFY_ADVICE, type Document, type Store } from '../../store/port.js';
import { scanApart } from '../../store/scan-apart.js';
import { assertStoreThere } from '../../store/transfer/command.js';
import { openFiles } from '../../host/data-folder/files.js';
import { keptPlaces } from '../../host/data-folder/places.js';
import { reportingLog } from '../../host/monitoring/log.js';
import type { Outcome } from '../../host/output.js';
import { DerivedCheck } from './verify-derived.js';
import { MessageIndexCheck } from './verify-message-index.js';
import { SearchIndexCheck } from './verify-search-index.js';

/** Journal entries read at a time. */
const ENTRIES = 256;

/** Numbers of documents and entries read, and of damaged ones. */
interface Verdict {
  readonly documents: number;
  readonly entries: number;
  readonly due: number;
  readonly faults: number;
}

/** Where processes of this machine keep what they made of the store. */
export interface KeptPlaces {
  /** Files with an index of messages, by process. */
  readonly messageIndexes: readonly string[];
  /** The folder of the search indexes of all processes. */
  readonly searchIndexes: string;
}

/**
 * Reads a whole store, even while it is served, and changes nothing. What the store keeps twice is compared, and so is what
 * processes made of it.
 * @param fault called with one line per damaged document or entry
 */
export async function verifyStore(
  store: Store,
  fault: (line: string) => void,
  places: KeptPlaces | null = null,
): Promise<Verdict> {
  const count = { documents: 0, entries: 0, due: 0, faults: 0 };
  const reported = new Set<string>();
  const report = (line: string): void => {
    // What several reads need is damaged once.
    if (reported.has(line)) return;
    reported.add(line);
    count.faults += 1;
    fault(line);
  };
  for (const error of (await store.faults?.()) ?? []) report(describe(error));
  const derived = new DerivedCheck(store, report);
  const indexes = places === null ? [] : indexChecks(store, places, report);
  const message = (document: Document): void => {
    for (const index of indexes) index.add(document as unknown as MessageDocument);
  };
  for (const collection of await store.collections()) {
    const seen = collection === 'message' ? message : () => undefined;
    count.documents += await verifyCollection(store, collection, { derived, report, seen });
  }
  count.entries = await verifyJournal(store, report);
  for (const index of await store.dueIndexes()) {
    for await (const batch of store.scanDue(index)) count.due += batch.length;
  }
  await derived.finish();
  for (const index of indexes) await index.finish();
  return count;
}

function indexChecks(
  store: Store,
  { messageIndexes, searchIndexes }: KeptPlaces,
  report: (line: string) => void,
): (MessageIndexCheck | SearchIndexCheck)[] {
  return [
    ...messageIndexes.map((path) => new MessageIndexCheck(store, path, report)),
    new SearchIndexCheck(store, searchIndexes, report),
  ];
}

/** Who is told of what a collection has. */
interface Reading {
  readonly derived: DerivedCheck;
  readonly report: (line: string) => void;
  /** Is given each document that is whole. */
  readonly seen: (document: Document) => void;
}

/** Checks a collection. @returns how many documents could be read */
async function verifyCollection(
  store: Store,
  collection: string,
  { derived, report, seen }: Reading,
): Promise<number> {
  let read = 0;
  const damaged = (error: DamagedError): void => {
    derived.skip(error.subject);
    report(describe(error));
  };
  try {
    for await (const batch of scanApart(store, collection, damaged)) {
      for (const { id, document } of batch) {
        read += 1;
        const problem = storedFault(collection, id, document);
        if (problem === null) {
          derived.add(collection, id, document);
          seen(document);
        } else {
          derived.skip(`${collection}:${id}`);
          report(`${collection}:${id}: it ${problem}`);
        }
      }
    }
  } catch (error) {
    // Damage that cannot be skipped ends the collection.
    derived.skipAll(collection);
    report(describe(error));
  }
  return read;
}

/** Checks the journal. @returns how many entries there are */
async function verifyJournal(store: Store, report: (line: string) => void): Promise<number> {
  const newest = (await store.lastEntry())?.seq;
  let next = await store.firstSeq();
  let expected = next;
  let count = 0;
  // A new history skips positions.
  const [history] = await store.getMany([{ collection: 'history', id: 'history' }]);
  const began = Number(history?.['began'] ?? 0);
  while (newest !== undefined && next !== null) {
    const batch = await store.readJournal(next, newest, ENTRIES);
    for (const entry of batch) {
      count += 1;
      if (expected !== null && entry.seq > expected && entry.seq > began) {
        report(`journal: entries ${expected} to ${entry.seq - 1} are missing`);
      }
      const read = readEntry(entry);
      if (!read)
        report(
          `entry ${entry.seq}: ${entry.damaged ? 'its checksum differs' : 'it is not an entry'}`,
        );
      expected = read ? entry.seq + read.position.span : null;
    }
    const last = batch.at(-1);
    if (last === undefined) break;
    next = last.seq + 1;
  }
  return count;
}

/** A line about damage. @throws the error when it is about something else */
function describe(error: unknown): string {
  if (!(error instanceof DamagedError)) throw error;
  return `${error.subject}: ${error.problem}`;
}

/** Numbers of uploaded files: read, and without a checksum, because they were stored before there were any. */
interface FileCount {
  read: number;
  unsealed: number;
}

/**
 * Reads the uploaded files of a store.
 * @param fault called with one line per file that is missing or not what was stored
 * @throws Error where the place of files does not answer
 */
async function verifyFiles(
  store: Store,
  files: FileStore,
  fault: (line: string) => void,
): Promise<FileCount> {
  const count: FileCount = { read: 0, unsealed: 0 };
  for await (const batch of scanApart(store, 'attachment', () => undefined)) {
    for (const { id, document } of batch) {
      // It was named already.
      if (storedFault('attachment', id, document) !== null) continue;
      const attachment = document as AttachmentDocument;
      const { size, sha256 } = attachment;
      count.read += 1;
      if (sha256 === undefined) count.unsealed += 1;
      const found = await fileFault(files, { key: attachmentKey(attachment), size, sha256 });
      // One that was removed meanwhile is not missed.
      const isThere = async (): Promise<boolean> =>
        (await store.getMany([{ collection: 'attachment', id }]))[0] !== undefined;
      if (found !== null && (await isThere())) fault(`file of attachment:${id}: ${found}`);
    }
  }
  return count;
}

/** What `parley verify` found. */
interface Verified {
  readonly store: string;
  /** What is damaged, a sentence each. */
  readonly faults: readonly string[];
  /** How much could be read; null where the store cannot be opened for its damage. */
  readonly read: (Omit<Verdict, 'faults'> & { readonly files: FileCount | null }) | null;
}

/**
 * Prints one line per damaged document or entry, and a last line with what was read.
 * @param place where uploaded files are, to read them too; null leaves them out
 * @param state where processes keep what is their own; null: where they do by themselves
 * @returns what was found, with status 1 where something is damaged
 * @throws Error when the store cannot be read at all
 */
export async function runVerify(
  url: string,
  place: Config | null,
  print: (line: string) => void,
  state: string | null = null,
): Promise<Outcome & { readonly value: Verified }> {
  assertStoreThere(url);
  let store: Store;
  try {
    store = await openStore(url, { readChanges: changesOf });
  } catch (error) {
    const message = withoutAdvice((error as Error).message);
    // Pages that LMDB must not see, or keys without which nothing else can be read.
    if (!/ is damaged: | cut short/.test(message)) throw error;
    print(message);
    return { value: { store: url, faults: [message], read: null }, status: 1 };
  }
  const files = place === null ? null : await openFiles(place, reportingLog(print));
  try {
    const faults: string[] = [];
    const fault = (line: string): void => {
      faults.push(line);
      print(line);
    };
    const { documents, entries, due } = await verifyStore(
      store,
      fault,
      keptPlaces({ store: url, state }),
    );
    let words = `${documents} documents, ${entries} journal entries, ${due} due times`;
    const count = files === null ? null : await verifyFiles(store, files, fault);
    if (count !== null) words += `, ${describeFiles(count)}`;
    const found = faults.length === 0 ? 'No damage found' : `${faults.length} damaged`;
    print(`${found}: ${words} read`);
    const read = { documents, entries, due, files: count };
    return {
      value: { store: store.description, faults, read },
      status: faults.length === 0 ? 0 : 1,
    };
  } catch (error) {
    if (error instanceof Error) error.message = withoutAdvice(error.message);
    throw error;
  } finally {
    files?.close();
    await store.close();
  }
}

/** Files that were read, in words. */
export function describeFiles({ read, unsealed }: FileCount): string {
  const without = unsealed === 0 ? '' : ` (${unsealed} of them without a checksum)`;
  return `${read} uploaded files${without}`;
}

/** What others say of damage ends with the advice to run this command. */
function withoutAdvice(message: string): string {
  return message.replace(VERIFY_ADVICE, 'Restore the store from a backup');
}
