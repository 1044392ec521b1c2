import { setTimeout, clearTimeout } from '../../platform/timers.js';
import type { AppLog } from '../monitoring/log.js';
import type { WorkerProcess } from './worker-process.js';
import { onceSettled } from '../../turns/background.js';

/** Time between two questions, milliseconds. */
const ASK_MS = 5000;
/**
 * A worker that answers none of this many questions is killed: with the time limit of a report some 35 s, far above the
 * longest turn of an event loop, and as long as load balancers commonly wait.
 */
const SILENT_ANSWERS = 5;

/** What the watchdog needs of a worker. */
export type Watched = Pick<
  WorkerProcess,
  'place' | 'listens' | 'isStopping' | 'pid' | 'report' | 'kill'
>;

/**
 * Watchdog kills workers that hang: the kernel keeps giving them connections, which nobody answers. The
 * supervisor starts another in their place.
 */
export class Watchdog {
  private readonly silent = new WeakMap<Watched, number>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly workers: () => readonly Watched[],
    private readonly log: AppLog,
  ) {}

  start(): void {
    this.timer = setTimeout(() => {
      const again = (): void => {
        if (this.timer) this.start();
      };
      onceSettled(this.ask(), again, again);
    }, ASK_MS);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Asks every worker once, and kills those that were silent too often. */
  async ask(): Promise<void> {
    await Promise.all(this.workers().map((worker) => this.askOne(worker)));
  }

  private async askOne(worker: Watched): Promise<void> {
    // One that starts reads the store; one that ends has a time limit of its own.
    if (!worker.listens || worker.isStopping) return;
    const answer = await worker.report(false);
    const silent = answer ? 0 : (this.silent.get(worker) ?? 0) + 1;
    this.silent.set(worker, silent);
    if (silent < SILENT_ANSWERS || worker.isStopping) return;
    this.log.error(
      { worker: worker.place.index, process: worker.pid },
      'a worker does not answer: it is killed, and another is started',
    );
    worker.kill();
  }
}
