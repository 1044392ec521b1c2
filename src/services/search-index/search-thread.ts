/** The thread of a search index; or one that merges for it, and ends. Started by `thread-client.ts` and by itself. */
import { setPriority } from 'node:os';
import { readlinkSync } from '../../platform/files.js';
import { parentPort, startThread, workerData } from '../../platform/threads.js';
import { merge, type Merged, type MergeJob } from './merge.js';
import { SearchIndex } from './search-index.js';
import { type IndexReplies, type IndexRequest, type ThreadOptions, ALONE } from './protocol.js';
import { onceSettled } from '../../turns/background.js';

const THREAD = new URL('./search-thread.js', import.meta.url);

/** What the thread is started with. */
type Start = { readonly index: ThreadOptions } | { readonly merge: MergeJob };

const start = workerData() as Start;
if ('merge' in start) {
  giveWay();
  parentPort()!.postMessage(merge(start.merge));
} else serve(start.index);

function serve({ folder }: ThreadOptions): void {
  const index = SearchIndex.open(folder, mergeApart);
  parentPort()!.on('message', ([number, request]: [number, IndexRequest]) => {
    onceSettled(
      answer(index, request),
      (reply) => parentPort()!.postMessage([number, reply]),
      // Ends the thread: the caller opens the index again.
      (error) => {
        throw error as Error;
      },
    );
  });
  parentPort()!.postMessage([0, index.opened]);
}

async function answer(
  index: SearchIndex,
  request: IndexRequest,
): Promise<IndexReplies[IndexRequest['kind']]> {
  switch (request.kind) {
    case 'find':
      return index.find(request.query);
    case 'apply':
      await index.apply(request.batch);
      return null;
    case 'reset':
      index.reset(request.state);
      return null;
    case 'close':
      index.close();
      return null;
  }
}

function mergeApart(job: MergeJob): Promise<Merged> {
  return new Promise((resolve, reject) => {
    const thread = startThread(THREAD, { ...ALONE, workerData: { merge: job } });
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('The files of the search index were not written')));
  });
}

/** Lets everything else go first; nobody waits for a merge. */
function giveWay(): void {
  try {
    // Linux has a priority for each thread.
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').pop()), 10);
  } catch {
    // It merges all the same.
  }
}
