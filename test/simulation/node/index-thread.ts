import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type {
  IndexAnswer,
  IndexBatch,
  IndexedDocument,
  IndexQuery,
  IndexRequest,
  OpenedIndex,
} from '../../../src/services/search-index/protocol.js';
import { messageWords, satisfies } from '../../../src/services/search/terms.js';
import type { SimProcess } from './process.js';

/** What an index takes to answer, milliseconds. */
const ANSWER_MS = 0.5;

/** An index without words. */
const EMPTY: OpenedIndex = {
  history: null,
  position: 0,
  coveredFrom: Number.MAX_SAFE_INTEGER,
  messages: 0,
  lastId: 0,
  problem: null,
};

interface Indexed extends IndexedDocument {
  readonly words: readonly string[];
}

/** What an index finds: by words that the product takes from a message, in memory alone. */
class Words {
  private readonly documents = new Map<number, Indexed>();

  /** Does what is asked, in the order in which it was. */
  do(request: IndexRequest): IndexAnswer | null {
    if (request.kind === 'reset') this.documents.clear();
    else if (request.kind === 'apply') this.apply(request.batch);
    else if (request.kind === 'find') return this.find(request.query);
    return null;
  }

  private apply({ documents, removed }: IndexBatch): void {
    for (const one of documents) this.documents.set(one.id, { ...one, words: messageWords(one) });
    for (const id of removed) this.documents.delete(id);
  }

  private find({ clauses, direction, limit, from, to, ...some }: IndexQuery): IndexAnswer {
    const { recipients, senders, ids } = some;
    const [least, most] = [Math.min(from, to), Math.max(from, to)];
    const found = [...this.documents.values()].filter(
      (one) =>
        one.id >= least &&
        one.id <= most &&
        (!recipients || recipients.includes(one.recipient_id)) &&
        (!senders || senders.includes(one.sender_id)) &&
        (!ids || ids.includes(one.id)) &&
        satisfies(one.words, clauses),
    );
    const sign = direction === 'up' ? 1 : -1;
    const sorted = found.map(({ id }) => id).sort((a, b) => sign * (a - b));
    const given = sorted.slice(0, limit);
    const isWhole = sorted.length <= limit;
    return { ids: given, next: isWhole ? undefined : given.at(-1)! + sign };
  }
}

/**
 * In place of the thread of the search index, whose files and words its own tests look at: it begins empty in each
 * process, and finds what it was given.
 */
export function indexThread(process: SimProcess): Worker {
  const thread = new EventEmitter();
  const words = new Words();
  const answer = (number: number, reply: () => unknown): void =>
    void process.io(ANSWER_MS).then(() => thread.emit('message', [number, reply()]));
  Object.assign(thread, {
    ref: () => thread,
    unref: () => thread,
    postMessage: ([number, request]: [number, IndexRequest]) =>
      answer(number, () => words.do(request)),
    terminate: () => process.io(ANSWER_MS),
  });
  answer(0, () => EMPTY);
  return thread as unknown as Worker;
}
