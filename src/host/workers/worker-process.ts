import type { ChildProcess } from 'node:child_process';
import * as nodeModule from 'node:module';
import { fork } from '../../platform/processes.js';
import { monotonicTime } from '../../platform/time.js';
import { setTimeout, clearTimeout } from '../../platform/timers.js';
import type { NodeState, ProcessReport } from '../app-options.js';
import type { Announcement } from '../output.js';
import { HANGING_MS } from '../ending.js';
import { WORKER_VARIABLE, type FromWorker, type ToWorker, type WorkerFailure } from './messages.js';
import type { WorkerPlace } from './messages.js';
import { onceSettled, untold } from '../../turns/background.js';

/** A worker that has not reported for this long is left out, milliseconds: it may hang. */
const REPORT_MS = 2000;
/** After the time at which a worker that hangs ends itself, it is killed, milliseconds. */
const KILL_MS = 200;

/** What happens to a worker. */
interface WorkerListener {
  /** It does something else, or listens now. */
  changed(): void;
  /** Something for the operator that is no change of state. */
  said(said: Announcement): void;
  signalled(signal: string): void;
  exited(code: number | null, signal: string | null): void;
}

/** WorkerProcess is one process of a worker, from its start to its end. */
export class WorkerProcess {
  /** What it does, and how it said so; null while it starts. */
  state: NodeState | null = null;
  saidOfState: Announcement | null = null;
  /** Whether it takes connections. */
  listens = false;
  failure: WorkerFailure | null = null;
  readonly ended: Promise<void>;
  readonly startedAt = monotonicTime();
  private readonly child: ChildProcess;
  private readonly asked = new Map<number, (report: ProcessReport) => void>();
  private nextId = 1;
  private stopping = false;
  private code: number | null = null;

  /** Starts this program again with its own arguments. */
  constructor(
    readonly place: WorkerPlace,
    private readonly listener: WorkerListener,
  ) {
    const [, program, ...args] = process.argv;
    this.child = fork(program!, args, {
      env: { ...process.env, ...compileCache(), [WORKER_VARIABLE]: `${place.index}:${place.port}` },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.child.on('message', (message) => this.heard(message as FromWorker));
    this.ended = new Promise((resolve) => {
      this.child.once('exit', (code, signal) => {
        this.code = code;
        resolve();
        listener.exited(code, signal);
      });
      this.child.on('error', () => {
        // A process that could not be started does not exit either.
        if (this.child.pid !== undefined) return;
        resolve();
        listener.exited(null, null);
      });
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Whether it answers requests. */
  get serves(): boolean {
    return this.listens && (this.state === 'leads' || this.state === 'follows') && !this.stopping;
  }

  /** Whether it was asked to end. */
  get isStopping(): boolean {
    return this.stopping;
  }

  /** How it ended; null before, and for one that a signal ended. */
  get status(): number | null {
    return this.code;
  }

  /** Tells it to drain and end, and kills it when it does not. @param othersGoOn other workers go on */
  async stop(deadlineMs: number, othersGoOn: boolean): Promise<void> {
    this.stopping = true;
    this.send({ kind: 'stop', deadlineMs, othersGoOn });
    const timer = setTimeout(() => this.kill(), deadlineMs + HANGING_MS + KILL_MS);
    await this.ended;
    clearTimeout(timer);
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  /** Its report; null where it does not answer in time. */
  async report(withMetrics: boolean): Promise<ProcessReport | null> {
    const id = this.nextId++;
    let timer: NodeJS.Timeout | undefined;
    const told = new Promise<ProcessReport | null>((resolve) => {
      timer = setTimeout(() => resolve(null), REPORT_MS);
      onceSettled(this.ended, () => resolve(null), untold);
      this.asked.set(id, resolve);
    });
    this.send({ kind: 'report', id, withMetrics });
    const report = await told;
    clearTimeout(timer);
    this.asked.delete(id);
    return report;
  }

  private heard(message: FromWorker): void {
    switch (message.kind) {
      case 'said':
        if (message.state === null) {
          this.listener.said(message.said);
          return;
        }
        this.state = message.state;
        this.saidOfState = message.said;
        this.listener.changed();
        return;
      case 'listens':
        this.listens = true;
        this.listener.changed();
        return;
      case 'failed':
        this.failure = message;
        return;
      case 'signalled':
        this.listener.signalled(message.signal);
        return;
      case 'report':
        this.asked.get(message.id)?.(message.report);
    }
  }

  private send(message: ToWorker): void {
    if (this.child.connected) this.child.send(message, () => undefined);
  }
}

/** Machine code that this process keeps for later starts serves workers too; Node 22 and newer. */
function compileCache(): Record<string, string> {
  const { getCompileCacheDir } = nodeModule as { getCompileCacheDir?: () => string | undefined };
  const folder = getCompileCacheDir?.();
  return folder ? { NODE_COMPILE_CACHE: folder } : {};
}
