import type { Round, RoundReport } from '../exchange/jobs.js';

/** A load generator: prepares its connections, then runs rounds. */
export interface Generator {
  prepare(): Promise<void>;
  run(round: Round): Promise<RoundReport>;
  close(): void;
}
