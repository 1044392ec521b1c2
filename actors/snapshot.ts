import type { AnyStateMachine, SnapshotFrom } from 'xstate';

/** A value that survives JSON unchanged. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/**
 * The snapshot of an actor, which is also its stored document: all that its machine has decided, and nothing else has
 * decided it. Snapshots are immutable: a transition makes a new one.
 */
export interface ActorSnapshot<TContext = Readonly<Record<string, JsonValue>>> {
  /** Name of the machine kind. */
  readonly machine: string;
  /** Version of the kind that wrote it. */
  readonly version: number;
  /** State; our machines are flat, so it is one name. */
  readonly value: string;
  readonly context: Readonly<TContext>;
}

/** A stored snapshot that is not one of its machine. */
export class ActorRestoreError extends Error {
  override readonly name = 'ActorRestoreError';
}

/** The part of a machine kind that this file uses. */
interface NamedKind {
  readonly name: string;
  readonly version: number;
  readonly logic: AnyStateMachine;
}

/**
 * Checks that a stored snapshot is one of the machine.
 * @throws ActorRestoreError for another machine or version, and for a state that the machine does not have
 */
export function assertOfKind(
  { name, version, logic }: NamedKind,
  stored: ActorSnapshot<unknown>,
): void {
  if (stored.machine !== name) {
    throw new ActorRestoreError(`is of machine ${stored.machine}, not ${name}`);
  }
  if (stored.version !== version) {
    throw new ActorRestoreError(
      `has version ${stored.version} of machine ${name}, this software knows ${version}`,
    );
  }
  if (!Object.hasOwn(logic.states, stored.value)) {
    throw new ActorRestoreError(`has state ${stored.value}, which machine ${name} does not have`);
  }
}

/** Whether a state of the machine is final: its actor has ended, and takes no event. */
export function isFinal({ logic }: Pick<NamedKind, 'logic'>, value: string): boolean {
  return logic.states[value]?.type === 'final';
}

/**
 * Snapshots of a machine as XState makes them, one for each state. Of another context only the context differs, and to
 * copy it costs a tenth of resolving its state anew.
 */
export class Templates {
  readonly #byState = new Map<string, SnapshotFrom<AnyStateMachine>>();

  constructor(private readonly logic: AnyStateMachine) {}

  /** The snapshot as XState takes it. */
  of({ value, context }: ActorSnapshot<unknown>): SnapshotFrom<AnyStateMachine> {
    let template = this.#byState.get(value);
    if (!template) {
      template = this.logic.resolveState({ value, context });
      this.#byState.set(value, template);
    }
    return { ...template, context };
  }
}

/**
 * The state and context in which an actor of the machine begins, where its initial state does nothing on entry; null
 * for other machines. It costs a tenth of what XState's own way does: queues begin and end thousands of times a second.
 */
export function restingStart(
  { config, states }: AnyStateMachine,
  input: unknown,
): Pick<ActorSnapshot<unknown>, 'value' | 'context'> | null {
  const { context, initial, entry } = config as Readonly<Record<string, unknown>>;
  if (typeof context !== 'function' || typeof initial !== 'string' || entry) return null;
  const first = states[initial]!.config as Readonly<Record<string, unknown>>;
  if (first.entry || first.always || first.invoke) return null;
  return { value: initial, context: (context as (from: object) => object)({ input }) };
}

/** The snapshot that XState made, as it is stored. */
export function snapshotOf<TContext>(
  { name, version }: Pick<NamedKind, 'name' | 'version'>,
  made: { readonly value: unknown; readonly context: unknown },
): ActorSnapshot<TContext> {
  const value: unknown = made.value;
  if (typeof value !== 'string') throw new Error('Machines of stored actors are flat');
  return { machine: name, version, value, context: made.context as Readonly<TContext> };
}
