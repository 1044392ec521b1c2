import type { ActorHost, ActorSnapshot } from '../../../actors/host.js';
import type { Clock } from '../../../actors/clock.js';
import { StateCounts } from '../../../actors/state-counts.js';
import { isStoreAway } from '../../store/port.js';
import { Collection } from './collection.js';

/** Documents that are the snapshots of actors, counted by state. */
export class ActorCollection<D extends ActorSnapshot<object>> extends Collection<string, D> {
  readonly states = new StateCounts();
  /** Is told of each change, a reverted one too, on the node that wakes the actors. */
  onChange: (id: string, next: D | undefined) => void = () => undefined;

  protected override reindex(previous: D | undefined, next: D | undefined): void {
    this.states.move(previous?.value, next?.value);
    this.onChange(this.idOf((next ?? previous)!), next);
  }
}

/** The actors that are woken. */
interface Woken {
  readonly host: Pick<ActorHost<never>, 'wake' | 'failed' | 'isStopped'>;
  readonly clock: Pick<Clock, 'defer'>;
  /** Runs work as a transaction. */
  readonly transact: (work: () => void) => void;
  /** Arms the deadline of an actor again, so that the next tick asks anew. */
  readonly armAgain: (id: string) => void;
}

/** Actors that change in one transaction when their deadlines pass together: some milliseconds of work. */
const WAKE_AT_ONCE = 500;

/**
 * Wakes actors whose deadlines have passed, each 500 in a transaction; the rest of many follows after other work of the
 * event loop. While the store is away they are asked again at the next tick.
 */
export function wakeTogether(ids: readonly string[], woken: Woken): void {
  const { host, clock, transact, armAgain } = woken;
  if (host.isStopped) return;
  const some = ids.slice(0, WAKE_AT_ONCE);
  try {
    transact(() => some.forEach((id) => host.wake(id)));
  } catch (error) {
    for (const id of some) {
      if (isStoreAway(error)) armAgain(id);
      else host.failed(id, error);
    }
  }
  const rest = ids.slice(WAKE_AT_ONCE);
  if (rest.length > 0) clock.defer(() => wakeTogether(rest, woken));
}
