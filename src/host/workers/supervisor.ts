import { monotonicTime } from '../../platform/time.js';
import { pause as delay, setTimeout, clearTimeout } from '../../platform/timers.js';
import type { ProcessReport } from '../app-options.js';
import type { AppLog } from '../monitoring/log.js';
import { announcement, type Announcement } from '../output.js';
import type { WorkerFailure } from './messages.js';
import { Watchdog } from './watchdog.js';
import { WorkerProcess } from './worker-process.js';
import { inBackground, untold } from '../../turns/background.js';

/** Time limit of a worker that drains, milliseconds. */
const DRAIN_MS = 8000;
/**
 * Workers that follow have this much of it before the leader is told to end too, which answers what they forwarded.
 * Milliseconds.
 */
const FOLLOWERS_FIRST_MS = 3000;
/** A replaced worker that does not serve by then ends a rolling restart, milliseconds: it loads some seconds. */
const ROLL_PATIENCE_MS = 120_000;

/** A worker that is signalled waits so long for the supervisor's own signal, milliseconds. */
const SIGNAL_MS = 100;

/** Dependencies of a supervisor. */
export interface SupervisorOptions {
  readonly count: number;
  readonly port: number;
  /** Where the workers are reached, for operators. */
  readonly url: string;
  readonly log: AppLog;
  readonly announce: (said: Announcement) => void;
  /** Nothing is left to supervise: no worker can serve. */
  readonly failed: (failure: WorkerFailure) => void;
  /** A worker ended. */
  readonly ended: (index: number) => void;
}

/** The place of a worker, whichever process has it. */
interface Slot {
  readonly index: number;
  readonly backoff: Backoff;
  worker: WorkerProcess | null;
  /** A rolling restart ends its worker and starts the next. */
  replaced: boolean;
  timer: NodeJS.Timeout | undefined;
}

/**
 * Supervisor keeps the workers of one machine running. The first one starts alone, because an empty store gets its
 * organization once. A worker that dies is started again; those that are replaced, in a rolling restart, or ended go
 * one after another, and the leader last.
 */
export class Supervisor {
  /** Starts of workers in the place of ones that died. */
  restarts = 0;
  private readonly slots: readonly Slot[];
  private readonly watchdog: Watchdog;
  private readonly watchers = new Set<() => void>();
  private hasServed = false;
  private stopping: Promise<boolean> | undefined;
  private rolling = false;
  private lastText = '';

  constructor(private readonly options: SupervisorOptions) {
    this.watchdog = new Watchdog(() => this.workers, options.log);
    this.slots = Array.from({ length: options.count }, (_, i) => ({
      index: i + 1,
      backoff: new Backoff(),
      worker: null,
      replaced: false,
      timer: undefined,
    }));
  }

  /** Starts the workers. */
  start(): void {
    this.spawn(this.slots[0]!);
    this.watchdog.start();
  }

  /** The running workers. */
  get workers(): readonly WorkerProcess[] {
    return this.slots.flatMap(({ worker }) => (worker ? [worker] : []));
  }

  /** What each worker tells of itself, by its number; those that do not answer are left out. */
  async reports(withMetrics: boolean): Promise<Map<number, ProcessReport>> {
    const found = new Map<number, ProcessReport>();
    const ask = async (worker: WorkerProcess): Promise<void> => {
      const report = await worker.report(withMetrics);
      if (report) found.set(worker.place.index, report);
    };
    await Promise.all(this.workers.map(ask));
    return new Map([...found].sort(([a], [b]) => a - b));
  }

  /** Ends all workers, the leader last, so that none takes over. @returns whether all ended in good order */
  stop(): Promise<boolean> {
    this.stopping ??= this.stopAll();
    return this.stopping;
  }

  /** Replaces the workers one after another, the leader last. Does nothing but say so while it does so already. */
  async roll(): Promise<void> {
    const { log } = this.options;
    if (this.rolling) log.warn({}, 'a rolling restart is under way: this signal starts no other');
    if (this.rolling || this.stopping) return;
    this.rolling = true;
    const began = monotonicTime();
    log.info({ workers: this.slots.length }, 'rolling restart begins');
    const left = new Set(this.slots);
    try {
      while (left.size > 0 && !this.stopping) {
        const slot = [...left].find(({ worker }) => worker?.state !== 'leads') ?? [...left][0]!;
        left.delete(slot);
        if ((await this.replace(slot)) || this.stopping) continue;
        log.error({ worker: slot.index }, 'rolling restart ends: the new worker does not serve');
        return;
      }
      const ms = Math.round(monotonicTime() - began);
      if (!this.stopping) log.info({ ms }, 'rolling restart is over');
    } finally {
      this.rolling = false;
    }
  }

  private async replace(slot: Slot): Promise<boolean> {
    slot.replaced = true;
    await slot.worker?.stop(DRAIN_MS, true);
    slot.replaced = false;
    if (this.stopping) return false;
    this.spawn(slot);
    return this.until(
      () => slot.worker?.serves ?? false,
      ROLL_PATIENCE_MS,
      () => !slot.worker,
    );
  }

  private async stopAll(): Promise<boolean> {
    const until = monotonicTime() + DRAIN_MS;
    this.watchdog.stop();
    const { workers } = this;
    for (const { timer } of this.slots) clearTimeout(timer);
    const leader = workers.find(({ state }) => state === 'leads');
    const followers = workers.filter((worker) => worker !== leader);
    const stopped = Promise.all(followers.map((worker) => worker.stop(DRAIN_MS, false)));
    const patience = new AbortController();
    await Promise.race([
      stopped,
      delay(FOLLOWERS_FIRST_MS, undefined, { signal: patience.signal }).catch(() => undefined),
    ]);
    patience.abort();
    await leader?.stop(until - monotonicTime(), false);
    await stopped;
    return workers.every(({ status }) => status === 0);
  }

  private spawn(slot: Slot): void {
    const { port, log } = this.options;
    clearTimeout(slot.timer);
    slot.timer = undefined;
    const worker = new WorkerProcess(
      { index: slot.index, port },
      {
        changed: () => this.changed(),
        said: (said) => this.options.announce(said),
        signalled: (signal) => this.signalled(slot, signal),
        exited: (code, signal) => this.exited(slot, code, signal),
      },
    );
    slot.worker = worker;
    log.info({ worker: slot.index, process: worker.pid }, 'a worker starts');
  }

  private changed(): void {
    this.tellOperator();
    if (!this.hasServed && this.workers.some(({ serves }) => serves)) {
      this.hasServed = true;
      for (const slot of this.slots) if (!slot.worker && !this.stopping) this.spawn(slot);
    }
    for (const watcher of [...this.watchers]) watcher();
  }

  /** Prints what the workers do together, when that changed. */
  private tellOperator(): void {
    const listening = this.workers.filter(({ listens }) => listens);
    const { url, count } = this.options;
    const shown =
      listening.find(({ state }) => state === 'leads') ??
      listening.find(({ state }) => state === 'follows') ??
      listening.at(-1);
    if (!shown?.saidOfState) return;
    const { state } = shown;
    let { text } = shown.saidOfState;
    if (state === 'leads') text = `Parley is listening on ${url} with ${count} workers`;
    if (state === 'follows') {
      text = `Parley follows on ${url} with ${count} workers: they send writes to the leader`;
    }
    if (text === this.lastText) return;
    this.lastText = text;
    this.options.announce(announcement(text, { state, url, workers: count }));
  }

  /** A worker alone was signalled: it ends in good order and is started again. */
  private signalled({ worker, index }: Slot, signal: string): void {
    // Where the whole group was signalled, the supervisor was too and is about to know it.
    setTimeout(() => {
      if (this.stopping || !worker || worker.isStopping) return;
      this.options.log.info({ worker: index, signal }, 'a worker was told to end');
      inBackground(() => worker.stop(DRAIN_MS, true), untold);
    }, SIGNAL_MS).unref();
  }

  private exited(slot: Slot, code: number | null, signal: string | null): void {
    const { worker } = slot;
    if (!worker) return;
    slot.worker = null;
    this.options.ended(slot.index);
    const { failure } = worker;
    if (!this.stopping) {
      if (failure) this.failed(slot, failure);
      else if (!worker.isStopping) {
        this.options.log.warn({ worker: slot.index, code, signal }, 'a worker ended unexpectedly');
      }
    }
    if (!this.stopping) this.restart(slot, worker);
    for (const watcher of [...this.watchers]) watcher();
  }

  /** A fault that every start has ends everything, unless others serve: they are better than nothing. */
  private failed(slot: Slot, failure: WorkerFailure): void {
    const isFirst = !this.hasServed;
    if (isFirst || (failure.isLasting && !this.workers.some(({ serves }) => serves))) {
      this.options.failed(failure);
    } else {
      this.options.log.error({ worker: slot.index, reason: failure.text }, 'a worker cannot serve');
    }
  }

  private restart(slot: Slot, { startedAt, isStopping, failure }: WorkerProcess): void {
    if (slot.replaced) return;
    const livedMs = isStopping && !failure ? Infinity : monotonicTime() - startedAt;
    slot.timer = setTimeout(() => {
      this.restarts += 1;
      this.spawn(slot);
    }, slot.backoff.next(livedMs));
  }

  /** Whether a condition comes true in time, and before `over` does. */
  private until(holds: () => boolean, withinMs: number, over: () => boolean): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (result: boolean): void => {
        clearTimeout(timer);
        this.watchers.delete(look);
        resolve(result);
      };
      const look = (): void => {
        if (holds()) end(true);
        else if (over()) end(false);
      };
      const timer = setTimeout(() => end(false), withinMs);
      this.watchers.add(look);
      look();
    });
  }
}

/** First pause before a worker that ended is started again, milliseconds: long enough for no busy loop. */
const FIRST_MS = 50;
/** Longest pause, milliseconds: what was wrong may have been put right. */
const LONGEST_MS = 10_000;
/** A worker that lived for so long had no fault that each start has, milliseconds. */
const STEADY_MS = 30_000;

/** Pauses between starts of one worker, doubled while it ends soon after each. */
export class Backoff {
  private pause = 0;

  /** @param livedMs how long the ended worker had lived. @returns milliseconds until the next start */
  next(livedMs: number): number {
    const isFirst = this.pause === 0 || livedMs >= STEADY_MS;
    this.pause = isFirst ? FIRST_MS : Math.min(this.pause * 2, LONGEST_MS);
    return this.pause;
  }
}
