import type {
  HistoryDocument,
  HistoryRequestDocument,
} from '../../../../schemas/store/history-document.js';
import { EventIds } from '../../../journal/entry.js';
import { Collection, type Recorder } from '../collection.js';

/** The single document about the history of the store. */
export class HistoryCollection extends Collection<'history', HistoryDocument> {
  /** Ids of events and cursors in this history. */
  readonly ids = new EventIds(() => this.idsFrom);

  constructor(recorder: Recorder) {
    super('history', recorder, () => 'history');
  }

  /** Undefined in stores older than this document. */
  get current(): HistoryDocument | undefined {
    return this.get('history');
  }

  /** Queues that start before this position belong to an earlier history. */
  get began(): number {
    return this.current?.began ?? 0;
  }

  /** Position from which event ids count. Queues that start before it have ended. */
  get idsFrom(): number {
    return this.current?.ids_from ?? 0;
  }

  /** Presence updates up to this id belong to an earlier history; -1 without one. */
  get earlierPresence(): number {
    return this.current?.presence_update || -1;
  }
}

/** A request of a tool to the next start, which deletes it. */
export class HistoryRequestCollection extends Collection<'history', HistoryRequestDocument> {
  constructor(recorder: Recorder) {
    super('history_request', recorder, () => 'history');
  }
}
