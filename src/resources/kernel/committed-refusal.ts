import type { ApiError } from '../../errors.js';

/**
 * The answer of a handler that did a part of what was asked and refuses the rest: unlike a thrown
 * refusal, it leaves what was done standing. The client gets the error once that is durable.
 */
export class CommittedRefusal {
  constructor(readonly error: ApiError) {}
}
