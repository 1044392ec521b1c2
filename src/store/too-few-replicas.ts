/** A store whose replicas must have a commit, and too few have it. */
import { StoreUnavailableError, type Store } from './port.js';

/**
 * Fewer replicas of the store than were asked for have the newest commit. It may yet be lost, so nobody is told of it until
 * they have: the same commit is to be given again, before any other, and is not written twice.
 */
export class TooFewReplicasError extends StoreUnavailableError {
  /**
   * @param have how many have it
   * @param wanted how many are asked for
   */
  constructor(
    readonly have: number,
    readonly wanted: number,
  ) {
    super(`${have} of ${wanted} replicas of the store have the newest change`, undefined);
    this.name = 'TooFewReplicasError';
  }
}

/** Why commits of a store wait, where that is known: too few replicas have the newest one. Null where enough do. */
export function tooFewReplicas({ replicas }: Pick<Store, 'replicas'>): TooFewReplicasError | null {
  if (!replicas || replicas.have >= replicas.wanted) return null;
  return new TooFewReplicasError(replicas.have, replicas.wanted);
}
