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
    reason = `${have} of ${wanted} replicas of the store have the newest change`,
  ) {
    super(reason, undefined);
    this.name = 'TooFewReplicasError';
  }
}

/**
 * Enough replicas have the newest commit, and those who promote replicas do not confirm that their master still is one:
 * another may have taken its place, without the commit.
 */
export class UnconfirmedMasterError extends TooFewReplicasError {
  constructor(have: number, wanted: number) {
    super(have, wanted, 'Nobody who may replace the master of the store says that it still is one');
    this.name = 'UnconfirmedMasterError';
  }
}

/** Why commits of a store wait, where that is known: too few replicas have the newest one. Null where enough do. */
export function tooFewReplicas({ replicas }: Pick<Store, 'replicas'>): TooFewReplicasError | null {
  if (!replicas || replicas.have >= replicas.wanted) return null;
  return new TooFewReplicasError(replicas.have, replicas.wanted);
}
