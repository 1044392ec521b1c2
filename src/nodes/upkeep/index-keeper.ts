import { nextTurn } from '../../platform/timers.js';
import type { IndexFile } from '../../organization/state/message-index/index-file.js';
import type { Runtime } from '../../organization/state/runtime.js';

/**
 * Positions of the journal after which the file is written anew: folding that many takes a third of a second at the
 * start.
 */
const LEAST_POSITIONS = 10_000;
/** A file of many messages is written again after so many positions per message, so that writing costs little. */
const POSITIONS_PER_MESSAGE = 0.01;

/**
 * IndexKeeper writes the file with the index of messages while the node leads, so that a start after a kill
 * has little to read of the journal. It copies the index in steps of a millisecond.
 */
export class IndexKeeper {
  private running = false;

  constructor(
    private readonly runtime: Runtime,
    private readonly file: Pick<IndexFile, 'save' | 'position' | 'isKept'>,
  ) {}

  /** Writes the file at once, of an index that is what the store has at a position. */
  async save(seq: number): Promise<void> {
    if (!this.file.isKept) return;
    const { messages, counters } = this.runtime.org;
    await this.file.save({ image: messages.index.image(), seq, lastId: counters.last('message') });
  }

  /** Writes the file where the journal has grown enough since; called about once a minute. */
  async run(): Promise<void> {
    const { runtime, file } = this;
    if (!file.isKept) return;
    const { writer: journal, org } = runtime;
    const grown = journal.durableHead.seq - (file.position ?? 0);
    const enough = Math.max(LEAST_POSITIONS, org.messages.size * POSITIONS_PER_MESSAGE);
    if (this.running || journal.isFailing || grown < enough) return;
    this.running = true;
    try {
      await this.copy();
    } finally {
      this.running = false;
    }
  }

  private async copy(): Promise<void> {
    const { runtime, file } = this;
    const { journal, org } = runtime;
    const { takenBackEntries } = runtime;
    const seq = runtime.mark();
    const lastId = org.counters.last('message');
    const copy = org.messages.index.beginCopy();
    try {
      while (copy.step()) await nextTurn();
    } finally {
      copy.end();
    }
    const image = copy.image();
    // What was copied may have come after the mark.
    await journal.barrier();
    // Something that was copied is not there: the next run tries again.
    if (!image || runtime.takenBackEntries !== takenBackEntries) return;
    await file.save({ image, seq, lastId });
  }
}
