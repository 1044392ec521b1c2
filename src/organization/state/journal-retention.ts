import type { Store } from '../../store/port.js';
import type { Queues } from '../../journal/queues/queues.js';
import type { Runtime } from './runtime.js';

/** How much of the journal is kept (architecture.md#retention). */
interface RetentionLimits {
  /** Trimming starts when more positions than this are no longer needed by queues. */
  readonly slack: number;
  /** Most positions kept; queues that need older ones end. */
  readonly maximum: number;
}

/** Queue documents written per transaction. */
const DOCUMENTS_PER_ENTRY = 500;

/**
 * Retention trims the part of the journal that no queue needs. A queue whose stored start lies in that part
 * gets a later start first, so that it can be restored after a restart.
 */
export class Retention {
  private running = false;

  constructor(
    private readonly runtime: Runtime,
    private readonly store: Store,
    private readonly limits: RetentionLimits,
    /** Position from which a start needs the journal, beside queues; null: it needs none. */
    private readonly needed: () => number | null = () => null,
  ) {}

  /** Runs one pass; called about once a minute. Does nothing while another pass runs. */
  async run(): Promise<void> {
    if (this.running || this.runtime.writer.isFailing) return;
    this.running = true;
    try {
      await this.trim();
    } finally {
      this.running = false;
    }
  }

  private async trim(): Promise<void> {
    const { writer: journal, queues } = this.runtime;
    const first = await this.store.firstSeq();
    const head = journal.durableHead.seq;
    if (first === null || head - first <= this.limits.slack) return;
    // Starts are moved up to the head, and what comes before its start a queue does not take any more.
    await new Promise<void>((done) => queues.fanOut.whenDelivered(done));
    const wanted = this.oldestKept(head);
    if (wanted - first <= this.limits.slack / 2) return;
    // Positions have gaps: a queue must be able to verify that no entry between them was trimmed.
    const [entry] = await this.store.readJournal(wanted, head, 1);
    const before = entry?.seq ?? head;
    // While the journal was read, a client may have gone on at another node: its queue needs older entries again. The next
    // pass looks what may go.
    if (this.oldestKept(head) < wanted) return;
    endOlderThan(queues, before);
    await this.moveStarts(queues, before);
    // Another process may have become the writer meanwhile.
    if (journal.isFailing) return;
    await this.store.trimJournal(before);
  }

  /** Position from which on the journal is kept: what is needed, and no more than the maximum. */
  private oldestKept(head: number): number {
    const oldest = Math.min(oldestNeeded(this.runtime.queues) ?? head, this.needed() ?? head);
    return Math.max(oldest, head - this.limits.maximum);
  }

  /** Moves the stored starts of queues to the start of the trimmed journal. */
  private async moveStarts(queues: Queues, before: number): Promise<void> {
    const lagging = [...queues.all()].filter(({ since }) => since < before - 1);
    for (let i = 0; i < lagging.length; i += DOCUMENTS_PER_ENTRY) {
      const batch = lagging.slice(i, i + DOCUMENTS_PER_ENTRY);
      this.runtime.transact(() => {
        for (const queue of batch) {
          // The queue may have ended while the previous batch was written.
          if (queues.get(queue.queueId) !== queue) continue;
          queues.beginLater(queue, before - 1);
        }
      });
      await this.runtime.journal.barrier();
    }
  }
}

/** Oldest position that a queue needs of what was delivered to it; null where none needs any. */
function oldestNeeded(queues: Queues): number | null {
  let oldest: number | null = null;
  for (const { oldestNeeded: needed } of queues.all()) {
    if (needed !== null && (oldest === null || needed < oldest)) oldest = needed;
  }
  return oldest;
}

/** Ends the queues that need entries before `seq`, which are about to be trimmed. */
function endOlderThan(queues: Queues, seq: number): void {
  for (const queue of queues.all()) {
    const { oldestNeeded: needed } = queue;
    if (needed !== null && needed < seq) queues.end(queue, 'overflow');
  }
}
