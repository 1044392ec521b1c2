import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { fork } from '../../platform/processes.js';
import { setTimeout, clearTimeout } from '../../platform/timers.js';
import { badImage, imageTooLarge, serviceUnavailable } from '../../errors/index.js';
import type { PictureJob, PictureKind, PictureMessage, PictureResults } from './job.js';

/** How long a process may take to begin, on a machine that is very busy. */
const MAX_START_MS = 30_000;

/** An idle process ends after this long, so that its memory is there for others. */
const IDLE_MS = 30_000;

const WORKER = fileURLToPath(new URL('./worker.js', import.meta.url));

interface Current {
  readonly resolve: (result: PictureResults[PictureKind]) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
  began: boolean;
}

/** A process that ended before it began to work: the system gave it no threads, for one. */
class NotStarted extends Error {
  override readonly name = 'NotStarted';
  /** As of a process that the system did not start at all. */
  readonly syscall = 'spawn';

  constructor(cause?: Error) {
    super('The process for pictures did not start', { cause });
  }
}

/** A process of its own that works on one picture at a time. It is killed with what it works on. */
export class PictureProcess {
  private readonly child: ChildProcess;
  private current: Current | undefined;
  private readonly idle: NodeJS.Timeout;
  private stopping = false;

  /**
   * @param maxWorkMs milliseconds one picture may take
   * @param ended called, perhaps several times, when the process takes nothing more
   */
  constructor(
    private readonly maxWorkMs: number,
    private readonly ended: () => void,
  ) {
    this.child = fork(WORKER, [], {
      // Nobody but this process needs the secrets that may lie in its environment.
      env: workerEnvironment(),
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.child.on('message', (message) => this.told(message as PictureMessage));
    this.child.on('error', (error) => this.end(error));
    this.child.on('exit', (_code, signal) => this.end(this.reasonOf(signal)));
    this.idle = setTimeout(() => this.kill(), IDLE_MS).unref();
    this.leaveAlone();
  }

  /**
   * @throws ApiError `BAD_IMAGE`, also for what takes too long or too much memory; 503 at the end
   * @throws Error of `spawn` where the process does not start
   */
  run<K extends PictureKind>(job: PictureJob & { readonly kind: K }): Promise<PictureResults[K]> {
    // Somebody waits for it: the event loop must not end before.
    this.child.ref();
    this.child.channel?.ref();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.kill(), MAX_START_MS);
      this.current = { resolve: resolve as Current['resolve'], reject, timer, began: false };
      this.child.send(job, (error) => {
        // It ended before it read that.
        if (error) this.end(this.current?.began === true ? error : new NotStarted(error));
      });
    });
  }

  /** Ends now; those who wait for a picture get 503. */
  stop(): void {
    this.stopping = true;
    this.kill();
  }

  private told(message: PictureMessage): void {
    const { current } = this;
    if (!current) return;
    if ('began' in message) {
      current.began = true;
      clearTimeout(current.timer);
      this.current = { ...current, timer: setTimeout(() => this.kill(), this.maxWorkMs) };
      return;
    }
    this.settled();
    this.idle.refresh();
    this.leaveAlone();
    if ('result' in message) current.resolve(message.result);
    else current.reject(message.refused === 'too_large' ? imageTooLarge() : badImage());
  }

  private settled(): void {
    if (this.current) clearTimeout(this.current.timer);
    this.current = undefined;
  }

  /** An idle process keeps nothing alive. */
  private leaveAlone(): void {
    this.child.unref();
    this.child.channel?.unref();
  }

  private kill(): void {
    // Before it is gone, so that it is given nothing more.
    this.ended();
    this.child.kill('SIGKILL');
  }

  private reasonOf(signal: NodeJS.Signals | null): Error {
    if (this.stopping) return serviceUnavailable('The server is stopping');
    if (!this.current?.began) return new NotStarted();
    // Killed for its time or its memory, or the library could not stand the file.
    return signal === 'SIGKILL' ? imageTooLarge() : badImage();
  }

  private end(error: Error): void {
    const { current } = this;
    this.settled();
    clearTimeout(this.idle);
    this.kill();
    current?.reject(error);
  }
}

function workerEnvironment(): NodeJS.ProcessEnv {
  const { PATH, LD_LIBRARY_PATH } = process.env;
  return { PATH, LD_LIBRARY_PATH, UV_THREADPOOL_SIZE: '1', MALLOC_ARENA_MAX: '2' };
}
