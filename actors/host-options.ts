import type { Clock } from './clock.js';
import type { DeadlineWheel } from './deadline-wheel.js';
import type { PersistedActor } from './persisted-actor.js';

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
