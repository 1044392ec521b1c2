import type { Round, RoundReport } from '../exchange/jobs.js';

/** A load generator: prepares its connections, then runs rounds. */
export interface Generator {
  /** Operations since the last round began. */
  readonly operations: number;
  prepare(): Promise<void>;
  run(round: Round): Promise<RoundReport>;
  close(): void;
}
