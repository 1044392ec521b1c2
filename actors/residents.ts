import type { Actor, AnyStateMachine } from 'xstate';
import type { FlatSnapshot } from './persisted-actor.js';

/** A live actor and what its host knows about it. */
export class Resident<TContext> {
  /** Undefined until the actor has started. Set by {@link Residents}, which counts by it. */
  value: string | undefined;
  /** The form last written, or read from the store. */
  stored: FlatSnapshot<TContext> | undefined;
  /** True while the actor handles an event, when its snapshot is not yet the new one. */
  busy = false;

  constructor(
    readonly id: string,
    readonly actor: Actor<AnyStateMachine>,
  ) {}
}

/** The live actors of one host, counted by state as they change it. */
export class Residents<TContext> {
  readonly #byId = new Map<string, Resident<TContext>>();
  readonly #counts = new Map<string, number>();

  /** Number of live actors. */
  get size(): number {
    return this.#byId.size;
  }

  /** Ids of all live actors. */
  ids(): string[] {
    return [...this.#byId.keys()];
  }

  /** The resident of an id. */
  get(id: string): Resident<TContext> | undefined {
    return this.#byId.get(id);
  }

  /** False once the actor has left, even if another one took its id. */
  includes(resident: Resident<TContext>): boolean {
    return this.#byId.get(resident.id) === resident;
  }

  /** Adds a live actor. */
  add(resident: Resident<TContext>): void {
    this.#byId.set(resident.id, resident);
  }

  /** Removes a live actor. */
  remove(resident: Resident<TContext>): void {
    this.#byId.delete(resident.id);
    this.#leave(resident.value);
    resident.value = undefined;
  }

  /** Records that the actor entered state `value`. */
  enter(resident: Resident<TContext>, value: string): void {
    if (resident.value === value) return;
    this.#leave(resident.value);
    resident.value = value;
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
  }

  /** Number of live actors in each state that has any. */
  countByState(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }

  #leave(value: string | undefined): void {
    if (value === undefined) return;
    const left = (this.#counts.get(value) ?? 0) - 1;
    if (left > 0) this.#counts.set(value, left);
    else this.#counts.delete(value);
  }
}
