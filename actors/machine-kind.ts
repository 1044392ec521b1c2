import type { AnyStateMachine, ContextFrom, EventFrom } from 'xstate';
import type { ActorSnapshot } from './snapshot.js';

/**
 * What the actor host needs to know about one kind of machine. The machine's own type says which
 * events it takes, what its context holds and what its actors start from.
 *
 * The machine must be flat (no nested or parallel states), keep only plain JSON in its context, and
 * not use `after`: delayed transitions do not survive a stored snapshot, and the host refuses
 * them. It waits by keeping an absolute time in its context instead, see `deadlineOf`.
 */
export interface MachineKind<TMachine extends AnyStateMachine> {
  /** Stored with every snapshot. */
  readonly name: string;
  /** Raise it when the states or the context change their meaning, with a migration of the stored documents. */
  readonly version: number;
  /** One machine for all actors of the kind; what an actor must know of itself is in its context. */
  readonly logic: TMachine;
  /**
   * The absolute time (milliseconds) at which the actor wants its deadline event, or null. On that event the machine
   * must move its deadline or finish; one that leaves it where it was gets the event again on every tick.
   */
  deadlineOf(snapshot: ActorSnapshot<ContextFrom<TMachine>>): number | null;
  /**
   * The event that says a deadline has passed.
   * @param now by the clock of the host, never earlier than the deadline
   */
  deadlineEvent(now: number, context: Readonly<ContextFrom<TMachine>>): EventFrom<TMachine>;
  /**
   * Whether `current` needs no writing because `stored` (the snapshot last written) says all that must
   * survive a crash. Default: every change of state or context is written.
   */
  readonly sameDurable?: (
    stored: ActorSnapshot<ContextFrom<TMachine>>,
    current: ActorSnapshot<ContextFrom<TMachine>>,
  ) => boolean;
}
