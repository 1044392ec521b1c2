import type {
  HistoryDocument,
  HistoryRequestDocument,
} from '../../../../schemas/store/history-document.js';
import { Collection, type Recorder } from '../collection.js';

/** The single document of the history. */
export class HistoryCollection extends Collection<'history', HistoryDocument> {
  constructor(recorder: Recorder) {
    super('history', recorder, () => 'history');
  }

  /** Undefined in a store from before there were any. */
  get current(): HistoryDocument | undefined {
    return this.get('history');
  }

  /** Queues that start before this position are of an earlier history. */
  get began(): number {
    return this.current?.began ?? 0;
  }

  /** Presence updates up to this id are of an earlier history; -1 where there was none. */
  get earlierPresence(): number {
    return this.current?.presence_update || -1;
  }
}

/** What a tool asked of the next start; gone once it was done. */
export class HistoryRequestCollection extends Collection<'history', HistoryRequestDocument> {
  constructor(recorder: Recorder) {
    super('history_request', recorder, () => 'history');
  }
}
