import type { Clock } from './clock.js';
import type { DeadlineWheel, Deadlines } from './deadline-wheel.js';
import {
  type PersistedActor,
  flatten,
  restingStart,
  revive,
  sameSnapshot,
  toDocument,
  type FlatSnapshot,
} from './persisted-actor.js';
import {
  createActor,
  type Actor,
  type AnyStateMachine,
  type ContextFrom,
  type EventFrom,
  type InputFrom,
  type SnapshotFrom,
} from 'xstate';
import type { MachineKind } from './machine-kind.js';
import { Resident, Residents } from './residents.js';

export type { MachineKind } from './machine-kind.js';
export { ActorRestoreError, type JsonValue, type PersistedActor } from './persisted-actor.js';

/** Dependencies of a host. Callbacks may call the host again, also for the same actor. */
export interface ActorHostOptions {
  readonly clock: Clock;
  /** Shared by all hosts of the process; each host has a key set of its own on it. */
  readonly wheel: DeadlineWheel;
  /**
   * Called when an actor failed and has left the registry, or one of the other callbacks threw. The
   * stored document is unchanged: the caller decides whether to restore the actor or to delete it.
   */
  readonly onError: (id: string, error: unknown) => void;
  /** Called when the durable part of an actor changed; null when it reached a final state. */
  readonly persist?: (id: string, persisted: PersistedActor | null) => void;
  /** Called when an actor reached the final state `value` and has left the registry. */
  readonly onDone?: (id: string, value: string) => void;
  /**
   * Looks up the document of an actor that is not live. With it, the host remembers nothing about
   * passivated actors but their deadlines; without it, it keeps their documents in memory.
   */
  readonly restoreWith?: (id: string) => PersistedActor | undefined;
}

/** A live actor of a machine, with the relevant part of its snapshot. */
type ResidentOf<TMachine extends AnyStateMachine> = Resident<ContextFrom<TMachine>>;
type FlatSnapshotOf<TMachine extends AnyStateMachine> = FlatSnapshot<ContextFrom<TMachine>>;

/** Throws where a machine uses `after`, whose timers would be lost after a restart. */
const noTimers = {
  setTimeout(): never {
    throw new Error('Delayed transitions are not durable: keep a deadline in the context');
  },
  clearTimeout(): void {},
};

/**
 * The registry of all actors of one kind. Every actor is a root actor of its own, because a parent
 * with thousands of children makes each spawn and each stop slow.
 *
 * The host watches every transition: it keeps the actor's deadline armed on the wheel, hands the
 * durable part to `persist` when that changed, and drops actors that finished or failed. An error
 * in an actor never leaves the host but through `onError`.
 */
export class ActorHost<TMachine extends AnyStateMachine> {
  readonly #kind: MachineKind<TMachine>;
  readonly #options: ActorHostOptions;
  readonly #deadlines: Deadlines;
  readonly #live = new Residents<ContextFrom<TMachine>>();
  /** Documents of passivated actors; stays empty when `restoreWith` can find them. */
  readonly #passive = new Map<string, PersistedActor>();
  #stopped = false;
  /** Told of each event that an actor got, and the state that it is in then, while somebody watches. */
  watcher: ((id: string, event: string, state: string) => void) | null = null;

  constructor(kind: MachineKind<TMachine>, options: ActorHostOptions) {
    this.#kind = kind;
    this.#options = options;
    this.#deadlines = options.wheel.keySet();
  }

  /** Number of live actors. */
  get size(): number {
    return this.#live.size;
  }

  /** Live actors by state, for metrics. */
  countByState(): Record<string, number> {
    return this.#live.countByState();
  }

  /** Whether the actor is in memory, not passivated. */
  isLive(id: string): boolean {
    return this.#live.get(id) !== undefined;
  }

  /** Whether a `send` would find the actor. May look the actor up through `restoreWith`. */
  has(id: string): boolean {
    return this.isLive(id) || this.#lookUp(id) !== undefined;
  }

  /**
   * Creates and starts an actor.
   *
   * @throws Error when the id is taken or the host has stopped.
   */
  spawn(id: string, input: InputFrom<TMachine>): void {
    this.#assertFree(id);
    this.#start(id, createActor(this.#kind.logic, { clock: noTimers, input }), undefined);
  }

  /**
   * Makes a live actor from a stored document, in the same state, without replaying entry actions.
   * A deadline that has passed meanwhile fires on the next tick.
   *
   * @throws ActorRestoreError when the document is of another machine or version, names an unknown
   *   or final state; Error when the id is taken or the host has stopped.
   */
  restore(id: string, persisted: PersistedActor): void {
    this.#assertFree(id);
    this.#restore(id, persisted);
  }

  /**
   * Registers a passivated actor by its deadline alone; `restoreWith` must be able to find it. This
   * is how a process that starts takes over actors without loading them.
   */
  adopt(id: string, deadlineMs: number | null): void {
    this.#assertFree(id);
    this.#setDeadline(id, deadlineMs);
  }

  /** Hands an event to an actor, restoring a passivated one. False when there is no such actor. */
  send(id: string, event: EventFrom<TMachine>): boolean {
    const resident = this.#live.get(id) ?? this.#wake(id);
    if (!resident) return false;
    this.#deliver(resident, event);
    return true;
  }

  /** The document of an actor that would begin with this input. */
  documentOf(input: InputFrom<TMachine>): PersistedActor {
    return toDocument(this.#kind, restingStart(this.#kind.logic, input) ?? this.#started(input));
  }

  /** Not by XState's `getInitialSnapshot`, which tries an actor without input first, at the cost of an error. */
  #started(input: InputFrom<TMachine>): FlatSnapshotOf<TMachine> {
    return flatten(createActor(this.#kind.logic, { clock: noTimers, input }).getSnapshot());
  }

  /** When the deadline of an actor fires, live or passivated; undefined where none is armed. */
  deadlineOf(id: string): number | undefined {
    return this.#deadlines.dueAt(id);
  }

  /** State of an actor, live or passivated; undefined when there is no such actor. */
  valueOf(id: string): string | undefined {
    return this.#live.get(id)?.value ?? this.#lookUp(id)?.value;
  }

  /** The document of an actor as it is now; undefined when there is no such actor. */
  snapshotOf(id: string): PersistedActor | undefined {
    const resident = this.#live.get(id);
    return resident
      ? toDocument(this.#kind, flatten(resident.actor.getSnapshot()))
      : this.#lookUp(id);
  }

  /**
   * Takes a live actor out of memory. Its deadline stays armed, and the next event or the deadline
   * restores it. Returns its document, which with `restoreWith` is the caller's to keep.
   *
   * @throws Error when called by the actor's own action, whose outcome is not known yet.
   */
  passivate(id: string): PersistedActor | undefined {
    const resident = this.#live.get(id);
    if (!resident) return undefined;
    if (resident.busy)
      throw new Error(`Actor ${id} cannot be passivated while it handles an event`);
    const document = toDocument(this.#kind, flatten(resident.actor.getSnapshot()));
    this.#live.remove(resident);
    resident.actor.stop();
    if (!this.#options.restoreWith) this.#passive.set(id, document);
    return document;
  }

  /**
   * Forgets an actor and its deadline; the stored document stays. Neither `persist` nor `onDone` is
   * called. Returns whether there was anything to forget.
   */
  stop(id: string): boolean {
    const passive = this.#passive.delete(id);
    const armed = this.#deadlines.disarm(id);
    const resident = this.#live.get(id);
    if (resident) {
      this.#live.remove(resident);
      resident.actor.stop();
    }
    return passive || armed || resident !== undefined;
  }

  /** Stops all live actors, and ignores sends and deadlines from now on. */
  stopAll(): void {
    this.#stopped = true;
    for (const id of [...this.#live.ids(), ...this.#passive.keys()]) this.stop(id);
  }

  #assertFree(id: string): void {
    if (this.#stopped) throw new Error(`The ${this.#kind.name} host has stopped`);
    if (this.isLive(id) || this.#passive.has(id)) {
      throw new Error(`There is already an actor ${this.#kind.name} ${id}`);
    }
  }

  #lookUp(id: string): PersistedActor | undefined {
    return this.#passive.get(id) ?? this.#options.restoreWith?.(id);
  }

  /** Brings a passivated actor back. A document that cannot be restored is reported. */
  #wake(id: string): ResidentOf<TMachine> | undefined {
    if (this.#stopped) return undefined;
    try {
      const document = this.#lookUp(id);
      if (!document) return undefined;
      const resident = this.#restore(id, document);
      this.#passive.delete(id);
      return resident;
    } catch (error) {
      this.#report(id, error);
      return undefined;
    }
  }

  #restore(id: string, persisted: PersistedActor): ResidentOf<TMachine> | undefined {
    const { snapshot, migrated } = revive(this.#kind, persisted);
    const logic: AnyStateMachine = this.#kind.logic;
    const actor = createActor(logic, { clock: noTimers, snapshot });
    return this.#start(id, actor, migrated ? undefined : flatten<ContextFrom<TMachine>>(snapshot));
  }

  #start(
    id: string,
    actor: Actor<AnyStateMachine>,
    stored: FlatSnapshotOf<TMachine> | undefined,
  ): ResidentOf<TMachine> | undefined {
    const resident = new Resident<ContextFrom<TMachine>>(id, actor);
    resident.stored = stored;
    this.#live.add(resident);
    actor.subscribe({
      next: (snapshot) => this.#settle(resident, snapshot),
      error: (error) => this.#fail(resident, error),
    });
    resident.busy = true;
    actor.start();
    resident.busy = false;
    return this.#live.includes(resident) ? resident : undefined;
  }

  #deliver(resident: ResidentOf<TMachine>, event: EventFrom<TMachine>): void {
    const nested = resident.busy;
    resident.busy = true;
    resident.actor.send(event);
    resident.busy = nested;
    const { watcher } = this;
    if (!watcher) return;
    const { type } = event as { readonly type: string };
    watcher(resident.id, type, String(resident.actor.getSnapshot().value));
  }

  /** Runs after every transition. XState rethrows in a timer what an observer throws. */
  #settle(resident: ResidentOf<TMachine>, snapshot: SnapshotFrom<AnyStateMachine>): void {
    if (!this.#live.includes(resident)) return;
    try {
      const flat = flatten<ContextFrom<TMachine>>(snapshot);
      if (snapshot.status === 'done') {
        this.#finish(resident, flat.value);
        return;
      }
      this.#live.enter(resident, flat.value);
      this.#setDeadline(resident.id, this.#kind.deadlineOf(flat.context));
      this.#persistIfChanged(resident, flat);
    } catch (error) {
      this.#report(resident.id, error);
    }
  }

  #persistIfChanged(resident: ResidentOf<TMachine>, current: FlatSnapshotOf<TMachine>): void {
    const { stored } = resident;
    if (stored) {
      const same = this.#kind.sameDurable ?? sameSnapshot;
      if (same(stored, current)) return;
    }
    this.#options.persist?.(resident.id, toDocument(this.#kind, current));
    resident.stored = current;
  }

  #finish(resident: ResidentOf<TMachine>, value: string): void {
    const { id } = resident;
    this.#live.remove(resident);
    this.#setDeadline(id, null);
    try {
      this.#options.persist?.(id, null);
    } finally {
      this.#options.onDone?.(id, value);
    }
  }

  #fail(resident: ResidentOf<TMachine>, error: unknown): void {
    if (this.#live.includes(resident)) {
      this.#live.remove(resident);
      this.#setDeadline(resident.id, null);
    }
    this.#report(resident.id, error);
  }

  #report(id: string, error: unknown): void {
    try {
      this.#options.onError(id, error);
    } catch {
      // `onError` itself threw. Rethrowing would end the process because of one actor.
    }
  }

  #setDeadline(id: string, deadline: number | null): void {
    if (deadline === null) this.#deadlines.disarm(id);
    else this.#deadlines.arm(id, deadline, this.#onDeadline);
  }

  /** One callback for all actors of the host: an armed key costs no closure. */
  readonly #onDeadline = (id: string): void => {
    const resident = this.#live.get(id) ?? this.#wake(id);
    if (!resident) return;
    const now = this.#options.clock.now();
    const { context } = flatten<ContextFrom<TMachine>>(resident.actor.getSnapshot());
    const deadline = this.#kind.deadlineOf(context);
    if (deadline !== null && deadline <= now) {
      this.#deliver(resident, this.#kind.deadlineEvent(now, context));
    } else {
      // The restored document has a later deadline than the one that fired.
      this.#setDeadline(id, deadline);
    }
  };
}
