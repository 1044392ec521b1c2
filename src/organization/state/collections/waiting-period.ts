import { Collection, type Recorder } from '../collection.js';

/** How far the passing of waiting periods has been announced. */
interface WaitingPeriodDocument {
  /** Milliseconds since 1970: who was past the waiting period by then is a full member. */
  readonly counted_until: number;
}

/**
 * The single document that turns the passing of time into a change of state like any other: members
 * become full members when it moves on, in the entry that announces them, not when a clock is read.
 */
export class WaitingPeriodCollection extends Collection<'waiting_period', WaitingPeriodDocument> {
  constructor(recorder: Recorder) {
    super('waiting_period', recorder, () => 'waiting_period');
  }

  /** The moment that decides who is a full member, or undefined before anybody was counted. */
  get countedUntil(): number | undefined {
    return this.get('waiting_period')?.counted_until;
  }
}
