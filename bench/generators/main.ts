/** A load generator's process: takes one job, then runs rounds until told to stop. */
import type { FromGenerator, Job, RoundReport, ToGenerator } from '../exchange/jobs.js';
import { Consumers } from './consumers.js';
import type { Generator } from './generator.js';
import { Requesters } from './requesters.js';

let generator: Generator | null = null;

function tell(message: FromGenerator): void {
  process.send?.(message);
}

function create(job: Job): Generator {
  return job.role === 'consume' ? new Consumers(job) : new Requesters(job);
}

/** Runs a round, and tells meanwhile how far it is. */
async function counted(
  generator: Generator,
  { round, tallyMs }: Extract<ToGenerator, { type: 'round' }>,
): Promise<RoundReport> {
  const tally = (): void => tell({ type: 'tally', operations: generator.operations });
  const timer = tallyMs === undefined ? undefined : setInterval(tally, tallyMs);
  try {
    return await generator.run(round);
  } finally {
    clearInterval(timer);
  }
}

async function handle(message: ToGenerator): Promise<void> {
  switch (message.type) {
    case 'job':
      generator = create(message.job);
      await generator.prepare();
      return tell({ type: 'ready' });
    case 'round':
      if (!generator) throw new Error('A round before its job');
      return tell({ type: 'report', report: await counted(generator, message) });
    case 'stop':
      generator?.close();
      process.disconnect();
  }
}

process.on('message', (message) => {
  handle(message as ToGenerator).catch((error: unknown) => {
    tell({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
  });
});
// The coordinator is gone: nobody wants the figures any more.
process.on('disconnect', () => process.exit(0));
