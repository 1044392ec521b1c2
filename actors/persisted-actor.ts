import type { AnyStateMachine, SnapshotFrom } from 'xstate';

/** A value that survives JSON unchanged. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** An actor as a stored JSON document. */
export interface PersistedActor {
  /** Name of the machine kind. */
  readonly machine: string;
  /** Version of the kind that wrote the document. */
  readonly version: number;
  /** State value; our machines are flat, so it is one name. */
  readonly value: string;
  readonly context: Readonly<Record<string, JsonValue>>;
}

/** A state value and a context: the part of an XState snapshot that is used outside its actor. */
export interface FlatSnapshot<TContext> {
  readonly value: string;
  readonly context: Readonly<TContext>;
}

/** A stored document that cannot become an actor. */
export class ActorRestoreError extends Error {
  override readonly name = 'ActorRestoreError';
}

/** The part of a machine kind that `revive` and `toDocument` use. */
interface DocumentedKind {
  readonly name: string;
  readonly version: number;
  readonly logic: AnyStateMachine;
  migrate?(old: PersistedActor): PersistedActor;
}

/** State value and context of an XState snapshot, typed. */
export function flatten<TContext>(snapshot: SnapshotFrom<AnyStateMachine>): FlatSnapshot<TContext> {
  const value: unknown = snapshot.value;
  if (typeof value !== 'string') throw new Error('The actor host takes flat machines only');
  return snapshot as FlatSnapshot<TContext>;
}

/**
 * The first snapshot of a machine whose initial state does nothing on entry, without the cost of an actor; null
 * for other machines. Event queues begin and end thousands of times a second.
 */
export function restingStart(
  logic: AnyStateMachine,
  input: unknown,
): FlatSnapshot<Record<string, JsonValue>> | null {
  const config = logic.config as Readonly<Record<string, unknown>>;
  const { context, initial, entry } = config;
  if (typeof context !== 'function' || typeof initial !== 'string') return null;
  const first = logic.states[initial]!.config as Readonly<Record<string, unknown>>;
  if (entry || first.entry || first.always || first.invoke) return null;
  const make = context as (args: { input: unknown }) => Record<string, JsonValue>;
  return { value: initial, context: make({ input }) };
}

/** Whether nothing changed at all: XState keeps the context object when no action assigns to it. */
export function sameSnapshot<T>(stored: FlatSnapshot<T>, current: FlatSnapshot<T>): boolean {
  return stored.value === current.value && stored.context === current.context;
}

/**
 * The document of an actor. A copy through JSON, because XState hands out its live context and the
 * store may write later.
 */
export function toDocument(kind: DocumentedKind, snapshot: FlatSnapshot<unknown>): PersistedActor {
  const context = JSON.parse(JSON.stringify(snapshot.context)) as Record<string, JsonValue>;
  return { machine: kind.name, version: kind.version, value: snapshot.value, context };
}

/**
 * The XState snapshot a document describes, and whether the document had to be migrated.
 *
 * @throws ActorRestoreError when the document is of another machine, of a version that cannot be
 *   migrated, or names an unknown or final state.
 */
export function revive(
  kind: DocumentedKind,
  persisted: PersistedActor,
): { snapshot: SnapshotFrom<AnyStateMachine>; migrated: boolean } {
  const current = upgrade(kind, persisted);
  const { logic, name } = kind;
  if (!Object.hasOwn(logic.states, current.value)) {
    throw new ActorRestoreError(`Machine ${name} has no state ${current.value}`);
  }
  // A copy through JSON: XState reuses the context it is given, and may write into it.
  const context: unknown = JSON.parse(JSON.stringify(current.context));
  const snapshot = logic.resolveState({ value: current.value, context });
  if (snapshot.status !== 'active') {
    throw new ActorRestoreError(`Machine ${name} has finished in state ${current.value}`);
  }
  return { snapshot, migrated: current !== persisted };
}

function upgrade(kind: DocumentedKind, persisted: PersistedActor): PersistedActor {
  const { name, version } = kind;
  if (persisted.machine !== name) {
    throw new ActorRestoreError(`A document of machine ${persisted.machine} is no ${name}`);
  }
  if (persisted.version === version) return persisted;
  const migrated = kind.migrate?.(persisted);
  if (migrated?.version !== version) {
    const versions = `version ${persisted.version} of machine ${name} to version ${version}`;
    throw new ActorRestoreError(`No way to migrate ${versions}`);
  }
  return migrated;
}
