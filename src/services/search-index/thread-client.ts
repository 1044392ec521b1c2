import type { Worker } from 'node:worker_threads';
import { startThread } from '../../platform/threads.js';
import {
  type IndexAnswer,
  type IndexBatch,
  type IndexQuery,
  type IndexReplies,
  type IndexRequest,
  type IndexState,
  type OpenedIndex,
  ALONE,
} from './protocol.js';

const THREAD = new URL('./search-thread.js', import.meta.url);

interface Waiting {
  readonly resolve: (reply: never) => void;
  readonly reject: (error: Error) => void;
}

/** The thread of a search index, from the server's side: everything it is asked is answered in order of its work. */
export class IndexThread {
  private readonly waiting = new Map<number, Waiting>();
  private asked = 0;
  private isEnded = false;

  private constructor(private readonly worker: Worker) {
    worker.on('message', ([number, reply]: [number, never]) => {
      this.waiting.get(number)?.resolve(reply);
      this.waiting.delete(number);
      // An idle thread keeps nothing alive.
      if (this.waiting.size === 0) worker.unref();
    });
    worker.on('error', (error) =>
      this.end(error instanceof Error ? error : new Error(String(error))),
    );
    worker.on('exit', () => this.end(new Error('The thread of the search index ended')));
  }

  /** Starts a thread on a folder, which no other thread may have. @param ended called once when it ended unasked */
  static async start(
    folder: string,
    ended: (error: Error) => void,
  ): Promise<{ thread: IndexThread; state: OpenedIndex }> {
    const worker = startThread(THREAD, { ...ALONE, workerData: { index: { folder } } });
    const thread = new IndexThread(worker);
    const state = await new Promise<OpenedIndex>((resolve, reject) => {
      thread.waiting.set(0, { resolve, reject });
    });
    thread.onEnd = ended;
    return { thread, state };
  }

  reset(state: IndexState): Promise<null> {
    return this.ask({ kind: 'reset', state });
  }

  apply(batch: IndexBatch): Promise<null> {
    return this.ask({ kind: 'apply', batch });
  }

  find(query: IndexQuery): Promise<IndexAnswer> {
    return this.ask({ kind: 'find', query });
  }

  /** Ends it in good order. */
  async close(): Promise<void> {
    this.onEnd = () => undefined;
    if (this.isEnded) return;
    await this.ask({ kind: 'close' }).catch(() => undefined);
    await this.worker.terminate();
  }

  private onEnd: (error: Error) => void = () => undefined;

  private ask<R extends IndexRequest>(request: R): Promise<IndexReplies[R['kind']]> {
    return new Promise((resolve, reject) => {
      if (this.isEnded) {
        reject(new Error('The thread of the search index ended'));
        return;
      }
      const number = ++this.asked;
      // Somebody waits for it: the event loop must not end before.
      this.worker.ref();
      this.waiting.set(number, { resolve, reject });
      this.worker.postMessage([number, request]);
    });
  }

  private end(error: Error): void {
    if (this.isEnded) return;
    this.isEnded = true;
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
    this.onEnd(error);
  }
}
