import {
  createActor,
  type ActorScope,
  type AnyStateMachine,
  type ContextFrom,
  type EventFrom,
  type ExecutableActionObject,
  type InputFrom,
  type SnapshotFrom,
} from 'xstate';
import type { Clock } from './clock.js';
import type { DeadlineWheel, Deadlines } from './deadline-wheel.js';
import type { MachineKind } from './machine-kind.js';
import {
  assertOfKind,
  isFinal,
  restingStart,
  snapshotOf,
  Templates,
  type ActorSnapshot,
} from './snapshot.js';

export type { MachineKind } from './machine-kind.js';
export { ActorRestoreError, type ActorSnapshot, type JsonValue } from './snapshot.js';

/** Where the snapshots of one kind are: in a collection of the organization, or beside what serves the entity. */
export interface Snapshots<TContext> {
  /** The snapshot of an entity; undefined where there is none. */
  get(id: string): ActorSnapshot<TContext> | undefined;
  /** The snapshot last written, where memory may have a newer one; absent: `get` is what was written. */
  stored?(id: string): ActorSnapshot<TContext> | undefined;
  /**
   * Keeps the snapshot after a transition.
   * @param durable whether it must survive a crash: then it is written in the transaction that is open, so that it is
   *   of one journal entry with the events that the transition causes
   */
  put(id: string, next: ActorSnapshot<TContext>, durable: boolean): void;
  /** Removes the entity's document, in the transaction that is open. @param last of a final state */
  end(id: string, last: ActorSnapshot<TContext>): void;
}

/** Dependencies of a host. Callbacks may call the host again, also for the same actor. */
export interface ActorHostOptions<TContext> {
  /** Of the wheel: it never steps. */
  readonly clock: Pick<Clock, 'now' | 'defer'>;
  /** Shared by all hosts of the process; each host has a key set of its own on it. */
  readonly wheel: Pick<DeadlineWheel, 'keySet'>;
  /**
   * The clock of the times in contexts, where it is another one than the wheel's: the wall clock, for what is stored.
   * A deadline is then armed by how far away it is, so that it fires in time when the wall clock is set.
   */
  readonly wall?: () => number;
  readonly snapshots: Snapshots<TContext>;
  /**
   * Deadlines have passed. The owner opens a transaction and calls `wake` for each of them; absent: each is woken at
   * once, without a transaction.
   */
  readonly due?: (ids: readonly string[]) => void;
  /** A transition or an effect threw at a deadline; the actor gets its next event as any other. */
  readonly onError: (id: string, error: unknown) => void;
}

type Scope = ActorScope<SnapshotFrom<AnyStateMachine>, EventFrom<AnyStateMachine>>;

/** Throws where a machine uses `after`, whose timers would be lost after a restart. */
const noTimers = {
  setTimeout(): never {
    throw new Error('Delayed transitions are not durable: keep a deadline in the context');
  },
  clearTimeout(): void {},
};

/** Pause before an actor whose transition failed at its deadline is woken again, milliseconds. */
const RETRY_MS = 60_000;

/**
 * The actors of one kind, all of them virtual: an actor is there as soon as its entity is, and is its stored snapshot.
 * An event, or the deadline that its snapshot names, makes it act: the machine's transition of the snapshot gives the
 * next one. That costs 2 µs, and no actor is kept in memory.
 *
 * The host is the only way from a snapshot to behaviour, and from a transition to what is kept. It keeps each actor's
 * deadline armed on the wheel. Effects run after the snapshot is kept, in the same transaction.
 */
export class ActorHost<TMachine extends AnyStateMachine> {
  readonly #kind: MachineKind<TMachine>;
  readonly #options: ActorHostOptions<ContextFrom<TMachine>>;
  readonly #deadlines: Deadlines;
  readonly #templates: Templates;
  readonly #scope: Scope;
  /** Effects of the transition under way. */
  #effects: ExecutableActionObject[] = [];
  /** Actors whose deadlines passed in this tick. */
  #due: string[] = [];
  #stopped = false;
  /** Told of each event that an actor got, and the state that it is in then, while somebody watches. */
  watcher: ((id: string, event: string, state: string) => void) | null = null;

  constructor(kind: MachineKind<TMachine>, options: ActorHostOptions<ContextFrom<TMachine>>) {
    this.#kind = kind;
    this.#options = options;
    this.#deadlines = options.wheel.keySet();
    this.#templates = new Templates(kind.logic);
    this.#scope = this.#scopeOf(kind.logic);
  }

  /** The first snapshot of an actor. Its effects run once it is kept. */
  begin(id: string, input: InputFrom<TMachine>): ActorSnapshot<ContextFrom<TMachine>> {
    const effects = this.#collect();
    const logic: AnyStateMachine = this.#kind.logic;
    const first = snapshotOf<ContextFrom<TMachine>>(
      this.#kind,
      restingStart(logic, input) ?? logic.getInitialSnapshot(this.#scope, input),
    );
    this.#options.snapshots.put(id, first, true);
    this.arm(id, first);
    this.#run(effects);
    return first;
  }

  /**
   * Takes over an actor from its stored snapshot, in the same state, without repeating what was done on entry. A
   * deadline that passed meanwhile fires on the next tick.
   * @throws ActorRestoreError for a snapshot that is not one of this machine and version
   */
  restore(id: string, stored: ActorSnapshot<ContextFrom<TMachine>>): void {
    assertOfKind(this.#kind, stored);
    this.arm(id, stored);
  }

  /** Whether it ignores events and deadlines. */
  get isStopped(): boolean {
    return this.#stopped;
  }

  /** Whether an actor with this snapshot has ended: its document is left by a store that was changed by hand. */
  hasEnded({ value }: ActorSnapshot<unknown>): boolean {
    return isFinal(this.#kind, value);
  }

  /** Whether an actor would take an event in its present state; false where there is no such actor. */
  can(id: string, event: EventFrom<TMachine>): boolean {
    const snapshot = this.#options.snapshots.get(id);
    return snapshot !== undefined && this.takes(snapshot, event);
  }

  /** Whether an actor with this snapshot would take an event. */
  takes(snapshot: ActorSnapshot<ContextFrom<TMachine>>, event: EventFrom<TMachine>): boolean {
    return !isFinal(this.#kind, snapshot.value) && this.#templates.of(snapshot).can(event);
  }

  /**
   * Hands an event to an actor.
   * @returns false where there is no such actor, or its state takes no such event: then nothing has changed
   */
  send(id: string, event: EventFrom<TMachine>): boolean {
    if (this.#stopped) return false;
    const before = this.#options.snapshots.get(id);
    if (!before || isFinal(this.#kind, before.value)) return false;
    const former = this.#templates.of(before);
    const effects = this.#collect();
    const made = this.#kind.logic.transition(former, event, this.#scope as never);
    // XState hands back what it was given where no transition is enabled, or one that changes nothing.
    const taken = made !== former || effects.length > 0;
    if (taken) this.#keep(id, before, snapshotOf(this.#kind, made), effects);
    this.watcher?.(id, (event as { readonly type: string }).type, String(made.value));
    return taken;
  }

  /** Hands an actor its deadline event, unless the deadline was moved since it fired. @throws what an effect throws */
  wake(id: string): void {
    if (this.#stopped) return;
    const snapshot = this.#options.snapshots.get(id);
    if (!snapshot || isFinal(this.#kind, snapshot.value)) return;
    const deadline = this.#kind.deadlineOf(snapshot);
    // An event has moved the deadline since it fired.
    if (deadline === null || this.#deadlines.has(id)) return;
    const event = this.#kind.deadlineEvent(Math.max(this.#now(), deadline), snapshot.context);
    // A state that takes no such event is asked again, as is one that leaves its deadline in the past.
    if (!this.send(id, event)) this.arm(id, snapshot);
  }

  /** Arms the deadline of a snapshot, as after each change that did not pass through here; none disarms it. */
  arm(id: string, snapshot: ActorSnapshot<ContextFrom<TMachine>> | undefined): void {
    const deadline =
      !snapshot || this.#stopped || isFinal(this.#kind, snapshot.value)
        ? null
        : this.#kind.deadlineOf(snapshot);
    if (deadline === null) this.#deadlines.disarm(id);
    else this.#armAt(id, deadline);
  }

  /** When the deadline of an actor fires, by the clock of the wheel; undefined where none is armed. */
  deadlineOf(id: string): number | undefined {
    return this.#deadlines.dueAt(id);
  }

  /** Ignores events and deadlines from now on; the snapshots stay. */
  stop(): void {
    this.#stopped = true;
  }

  #now(): number {
    const { clock, wall } = this.#options;
    return wall ? wall() : clock.now();
  }

  #armAt(id: string, deadline: number): void {
    const { clock, wall } = this.#options;
    const at = wall ? clock.now() + Math.max(0, deadline - wall()) : deadline;
    this.#deadlines.arm(id, at, this.#fire);
  }

  #keep(
    id: string,
    before: ActorSnapshot<ContextFrom<TMachine>>,
    next: ActorSnapshot<ContextFrom<TMachine>>,
    effects: readonly ExecutableActionObject[],
  ): void {
    const { snapshots } = this.#options;
    if (isFinal(this.#kind, next.value)) {
      this.#deadlines.disarm(id);
      snapshots.end(id, next);
    } else {
      const same = this.#kind.sameDurable ?? unchanged;
      const stored = snapshots.stored?.(id) ?? before;
      if (!unchanged(before, next)) snapshots.put(id, next, !same(stored, next));
      this.arm(id, next);
    }
    this.#run(effects);
  }

  #collect(): ExecutableActionObject[] {
    return (this.#effects = []);
  }

  #run(effects: readonly ExecutableActionObject[]): void {
    for (const { exec, info, params } of effects) exec?.(info, params);
  }

  /** One callback for all actors of the host: an armed key costs no closure. */
  readonly #fire = (id: string): void => {
    if (this.#stopped) return;
    const { due } = this.#options;
    if (!due) return this.#wakeAlone(id);
    this.#due.push(id);
    if (this.#due.length > 1) return;
    this.#options.clock.defer(() => {
      const ids = this.#due;
      this.#due = [];
      if (!this.#stopped) due(ids);
    });
  };

  #wakeAlone(id: string): void {
    try {
      this.wake(id);
    } catch (error) {
      this.failed(id, error);
    }
  }

  /** Reports that an actor could not be woken; it is woken again in a minute. */
  failed(id: string, error: unknown): void {
    this.#options.onError(id, error);
    if (this.#stopped || this.#deadlines.has(id)) return;
    this.#deadlines.arm(id, this.#options.clock.now() + RETRY_MS, this.#fire);
  }

  /** What a transition is given in place of an actor that lives: its effects are collected, and it has no timers. */
  #scopeOf(logic: AnyStateMachine): Scope {
    const self = createActor(logic, { clock: noTimers });
    return {
      self,
      id: '',
      sessionId: '',
      system: self.system,
      logger: () => undefined,
      emit: () => undefined,
      stopChild: () => undefined,
      defer: (run) => run(),
      actionExecutor: (action) => this.#effects.push(action),
    };
  }
}

/** Whether nothing changed at all: XState keeps the context object when no action assigns to it. */
function unchanged<T>(before: ActorSnapshot<T>, next: ActorSnapshot<T>): boolean {
  return before.value === next.value && before.context === next.context;
}
