import type { Deadlines } from '../../../../actors/deadline-wheel.js';
import { ActorHost, type ActorSnapshot } from '../../../../actors/host.js';
import {
  scheduledMessageKind,
  type ScheduledMessageEvent,
  type ScheduledMessageMachine,
} from '../../../../actors/scheduled-message.js';
import type { ScheduledState } from '../../../../schemas/scheduling/scheduled-messages.js';

/** What the context of a scheduled message and that of a reminder have in common. */
type ScheduledContext = {
  readonly id: number;
  readonly user_id: number;
  readonly content: string;
  readonly rendered_content: string;
  /** UNIX seconds. */
  readonly deliver_at: number;
  readonly failure: string | null;
};

/** A stored scheduled message or reminder: the snapshot of its actor. */
export type ScheduledDocument = Omit<ActorSnapshot<ScheduledContext>, 'value'> & {
  readonly value: ScheduledState;
};

/** The part of a transaction that these collections use. */
export interface DueRecorder {
  /** Position of the transaction's entry. */
  readonly seq: number;
  /** Schedules an id of a due index for a time (milliseconds since 1970), or unschedules it (null). */
  schedule(index: string, id: string, at: number | null): void;
}

/** The open transaction. */
type OpenTransaction = DueRecorder & { readonly now: number };

/** The part of a collection that its actors use. */
interface Documents<D> {
  set(tx: DueRecorder, document: D, before?: D): D;
  deliver(tx: DueRecorder, document: D): void;
  delete(tx: DueRecorder, id: number): void;
}

/** A step under way. */
interface Step<D> {
  readonly tx: OpenTransaction;
  readonly before: D | undefined;
  after: D | undefined;
}

/** Deadlines are places in the store's due index, of which the scheduler arms those that come soon. */
const IN_THE_STORE: Deadlines = {
  size: 0,
  has: () => false,
  dueAt: () => undefined,
  arm: () => undefined,
  disarm: () => false,
};

/**
 * The actors of one kind of scheduled items. Whoever changes an item hands its actor an event, in the open transaction;
 * its document, which may be a million's, is read before.
 */
export class ScheduledActors<D extends ScheduledDocument> {
  private readonly host: ActorHost<ScheduledMessageMachine>;
  private step: Step<D> | null = null;

  constructor(private readonly documents: Documents<D>) {
    this.host = new ActorHost(scheduledMessageKind, {
      clock: { now: () => this.current.tx.now, defer: () => () => undefined },
      wheel: { keySet: () => IN_THE_STORE },
      snapshots: {
        get: () => this.current.before,
        put: (_id, next) => {
          const { tx, before } = this.current;
          this.current.after = documents.set(tx, next as D, before);
        },
        end: (_id, last) => this.end(last as D),
      },
      onError: (_id, error) => {
        throw error;
      },
    });
  }

  /** Makes an item. */
  begin(tx: OpenTransaction, context: D['context']): D {
    return this.within(tx, undefined, () => this.host.begin(String(context.id), context))!;
  }

  /** Whether an item would take an event. */
  takes(document: D, event: ScheduledMessageEvent): boolean {
    return this.host.takes(document, event);
  }

  /**
   * Hands an item an event.
   * @param document as it is now
   * @returns it afterwards
   * @throws Error where its state takes no such event: ask `takes` where that may be
   */
  send(tx: OpenTransaction, document: D, event: ScheduledMessageEvent): D {
    const { context, value } = document;
    const after = this.within(tx, document, () => this.host.send(String(context.id), event));
    if (!after) throw new Error(`Item ${context.id} is ${value}, and takes no ${event.type}`);
    return after;
  }

  /** Tells an item that waits that its time has come. @returns it afterwards */
  wake(tx: OpenTransaction, document: D): D {
    const id = String(document.context.id);
    return this.within(tx, document, () => this.host.wake(id)) ?? document;
  }

  private get current(): Step<D> {
    if (!this.step) throw new Error('No item is being changed');
    return this.step;
  }

  private within(tx: OpenTransaction, before: D | undefined, work: () => unknown): D | undefined {
    const step: Step<D> = { tx, before, after: undefined };
    this.step = step;
    try {
      work();
    } finally {
      this.step = null;
    }
    return step.after;
  }

  private end(last: D): void {
    const { documents } = this;
    const { tx } = this.current;
    if (last.value === 'sent') documents.deliver(tx, last);
    else documents.delete(tx, last.context.id);
    this.current.after = last;
  }
}
