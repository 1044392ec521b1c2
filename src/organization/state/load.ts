import { nextTurn } from '../../platform/timers.js';
import type { QueueDocument } from '../../../schemas/queues/register.js';
import type { Queues } from '../../journal/queues/queues.js';
import {
  DamagedError,
  FencedError,
  StoreUnavailableError,
  type DocumentKey,
  type Store,
  type StoredEntry,
} from '../../store/port.js';
import { scanApart } from '../../store/scan-apart.js';
import { lossOf, readApart, type DamageReporter } from './damaged-documents.js';
import { assertDocument, documentFault } from './document-check.js';
import type { Organization } from './organization.js';
import { QUEUE_COLLECTION, QUEUES } from './queue-documents.js';
import type { MessageDocument } from '../../../schemas/messages/message.js';
import type { IndexFile } from './message-index/index-file.js';
import type { MessageSource } from './message-index/message-documents.js';

/** Documents read from the store at a time; bounds memory at the start. */
const BATCH = 2000;
const READING = { batch: BATCH, ahead: true };

/**
 * Loads the organization and its queues.
 * @throws DamagedError for a document that is damaged or does not match its schema
 */
export async function loadOrganization(
  store: Store,
  org: Organization,
  queues: Queues,
): Promise<void> {
  await loadCollections(store, org);
  await loadQueues(store, org, queues, () => undefined);
}

/**
 * Loads everything except the queues. A damaged message is reported and left out, as by whatever reads it later, and so is
 * what can be made anew or is missed by one client only ({@link lossOf}); anything else that is damaged is thrown.
 * @param indexFile where the index of messages is kept, so that not all of them need be read
 * @returns journal entries that were folded into the index that was kept; null where it was made anew
 */
export async function loadCollections(
  store: Pick<Store, 'scan' | 'description'>,
  org: Organization,
  indexFile: Pick<IndexFile, 'load'> | null = null,
): Promise<number | null> {
  let folded: number | null = null;
  for (const collection of org.loadable) {
    if (collection === org.messages && indexFile) {
      // Counters come before.
      const kept = await indexFile.load(org.counters.last('message'));
      if (kept) {
        org.messages.begin(kept.index);
        folded = kept.folded;
        continue;
      }
    }
    const reported = reporterOf(org, collection.name);
    const batches = reported
      ? scanApart(store, collection.name, reported, READING)
      : store.scan(collection.name, READING);
    for await (const batch of batches) {
      for (const { id, document } of batch) {
        try {
          assertDocument(store.description, collection, id, document);
        } catch (error) {
          if (!reported || !(error instanceof DamagedError)) throw error;
          reported(error);
          continue;
        }
        collection.load(document);
      }
      // An embedded store has the next batch at once: whoever asks how far the start is, and the lease, wait for this.
      await nextTurn();
    }
  }
  return folded;
}

/** Who is told of damaged documents of a collection that the organization is served without; null: of none. */
function reporterOf(org: Organization, collection: string): DamageReporter | null {
  if (collection === org.messages.name) return org.messages.reportDamage;
  return lossOf(collection) === undefined ? null : (error) => org.setAside.add(error);
}

/**
 * Loads the queues of the organization's history and reports the ids of the others, and of those that have ended:
 * clients of the others must register again, because they may have seen data that this history does not have. So must
 * those of damaged ones, which are set aside.
 * @param usedAt when a queue was used last; undefined: its idle time begins anew
 */
export async function loadQueues(
  store: Store,
  org: Organization,
  queues: Queues,
  foreign: (queueId: string) => void,
  usedAt: (queueId: string) => number | undefined = () => undefined,
): Promise<void> {
  const { began, idsFrom } = org.history;
  const damaged = (error: DamagedError): void => org.setAside.add(error);
  for await (const batch of scanApart(store, QUEUE_COLLECTION, damaged, READING)) {
    for (const { id, document } of batch) {
      const fault = documentFault(QUEUES, id, document);
      if (fault !== null) {
        damaged(new DamagedError(store.description, `${QUEUE_COLLECTION}:${id}`, `it ${fault}`));
        continue;
      }
      const queue = document as QueueDocument;
      const { queue_id, user_id, since, traits } = queue.context;
      const isOurs = since >= Math.max(began, idsFrom);
      if (!isOurs || !queues.load(queue, usedAt(queue_id))) foreign(queue_id);
      else org.watchers.record(user_id, traits);
    }
  }
}

/** The messages among documents: of a store, or as {@link followedDocuments} and {@link ledDocuments} hand them over. */
export function messageSource(documents: Pick<Store, 'getMany'>): MessageSource {
  return {
    getMany: async (ids) => {
      const keys: DocumentKey[] = ids.map((id) => ({ collection: 'message', id: String(id) }));
      const read = await readApart((some) => documents.getMany(some), keys);
      return read as (MessageDocument | DamagedError | undefined)[];
    },
  };
}

/** How far memory has the journal of a store that another node writes. */
interface FollowedMemory {
  /** Position of the newest entry in memory. */
  readonly position: () => number;
  /** Resolves when the changes of everything up to a position are in memory. */
  readonly reached: (seq: number) => Promise<void>;
  /** Waits likewise. Whether the entry there is this one; null where that is not known any more. */
  readonly cameAs: (entry: StoredEntry) => Promise<boolean | null>;
}

/** Reads that may each find something which is not durable, and durable with more behind it at once: a backstop. */
const MAX_READS = 20;

type FollowedStore = Pick<Store, 'getManyWithLast'>;

/**
 * Documents of a store that another node writes, and which may be ahead of memory. They are handed over once
 * memory is as new as they are; what changed meanwhile the collection then knows, and reads it again. So
 * readers never see a document that is newer than the rest, nor miss one that was deleted meanwhile. A store that went
 * back hands over nothing: what it has not, or has as it was before, is lost and not damaged, and another history begins.
 * @throws StoreUnavailableError from a store that lacks entries which memory has
 */
export function followedDocuments(store: FollowedStore, memory: FollowedMemory): Store['getMany'] {
  return async (keys) => {
    for (let attempts = 0; attempts < MAX_READS; attempts++) {
      const had = memory.position();
      const { documents, last, isUnsettled } = await store.getManyWithLast(keys);
      const newest = last?.seq ?? 0;
      if (newest < had) throw wentBack(new Error(`It is at ${newest}, this node had ${had}`));
      if (isUnsettled !== true) {
        await memory.reached(newest);
        return documents;
      }
      // What was not durable when it was read may be lost, and another entry take its place.
      const isSame = await memory.cameAs(last!);
      if (isSame === false) throw wentBack(new Error(`It had another entry at ${newest}`));
      if (isSame === true) return documents;
    }
    throw new StoreUnavailableError('The store changes faster than it can be read', undefined);
  };
}

/**
 * Documents of a store that this node writes. Where it lacks one that was asked for, it is asked whether it has what
 * this node committed: a document is missing only from a store that did not go back.
 * @param confirm rejects with FencedError where the store lost commits, or has another writer
 * @throws StoreUnavailableError then
 */
export function ledDocuments(
  store: Pick<Store, 'getMany'>,
  confirm: () => Promise<void>,
): Store['getMany'] {
  return async (keys) => {
    const documents = await store.getMany(keys);
    if (!documents.includes(undefined)) return documents;
    try {
      await confirm();
    } catch (error) {
      throw error instanceof FencedError ? wentBack(error) : error;
    }
    return documents;
  };
}

function wentBack(cause: Error): StoreUnavailableError {
  return new StoreUnavailableError('The store may lack what was acknowledged', cause);
}
