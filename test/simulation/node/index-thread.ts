import { EventEmitter } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type { IndexRequest, OpenedIndex } from '../../../src/services/search-index/protocol.js';
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
};

/**
 * In place of the thread of the search index: it takes everything and finds nothing. No client of the simulation
 * searches; the tests of the index do.
 */
export function indexThread(process: SimProcess): Worker {
  const thread = new EventEmitter();
  const answer = (number: number, reply: unknown): void =>
    void process.io(ANSWER_MS).then(() => thread.emit('message', [number, reply]));
  Object.assign(thread, {
    ref: () => thread,
    unref: () => thread,
    postMessage: ([number, { kind }]: [number, IndexRequest]) =>
      answer(number, kind === 'find' ? { ids: [], next: undefined } : null),
    terminate: () => process.io(ANSWER_MS),
  });
  answer(0, EMPTY);
  return thread as unknown as Worker;
}
