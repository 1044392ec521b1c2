import type { Figures, Files, Platform, Time, Timers } from '../../../src/platform/platform.js';
import type { Task } from '../world/scheduler.js';
import type { Disk } from './disk.js';
import { filesOn } from './files.js';
import type { SimProcess } from './process.js';
import { webOf } from '../services/web.js';
import { networkOf } from './sockets.js';
import { indexThread } from './index-thread.js';

/** A timer, as the program has it. */
class Timer {
  #task: Task | null = null;

  constructor(
    private readonly process: SimProcess,
    private readonly start: (timer: Timer) => Task,
  ) {
    this.refresh();
  }

  /** No process waits for a timer here. */
  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return false;
  }

  refresh(): this {
    this.close();
    this.#task = this.start(this);
    return this;
  }

  close(): this {
    if (this.#task) this.process.cancel(this.#task);
    return this;
  }
}

/** The platform of one process of the simulation. What it lacks, it refuses by name. */
export function platformOf(process: SimProcess, disk: Disk): Platform {
  return {
    time: timeOf(process),
    figures: figuresOf(process, disk),
    timers: timersOf(process),
    randomness: randomnessOf(process),
    files: refusing<Files>('files', filesOn(disk, process)),
    processes: refusing<Platform['processes']>('processes', {
      kill: (pid: number, signal: NodeJS.Signals | 0) => {
        const running = process.machine.host.processes.get(pid);
        if (!running) throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' });
        if (signal === 'SIGKILL') process.send(() => running.killed());
        return true;
      },
    }),
    threads: refusing<Platform['threads']>('threads', {
      startThread: (program: URL) => {
        if (program.pathname.endsWith('search-thread.js')) return indexThread(process);
        throw new Error(`This platform has no thread for ${program.pathname}`);
      },
    }),
    network: refusing<Platform['network']>('network', {
      ...networkOf(process, disk),
      ...webOf(process),
    }),
  };
}

function timeOf(process: SimProcess): Time {
  return refusing<Time>('time', {
    wallTime: () => process.wall,
    monotonicTime: () => process.steady,
    machineTime: () => BigInt(Math.round(process.steady * 1e6)),
    uptime: () => (process.machine.scheduler.now - process.startedAt) / 1000,
    monitorEventLoopDelay: () => ({
      enable: () => true,
      disable: () => true,
      reset: () => undefined,
      percentile: () => 0,
      ...{ min: 0, max: 0, mean: 0, stddev: 0, exceeds: 0, count: 0 },
    }),
  });
}

/** What the machine tells of itself, where it does. */
function figuresOf({ machine }: SimProcess, disk: Disk): Figures {
  const told = <T>(figure: T): T => {
    if (!machine.host.tells()) throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
    return figure;
  };
  return {
    residentBytes: () => told(100e6),
    heapBytes: () => told(50e6),
    cpuUsage: () => told({ user: 0, system: 0 }),
    limits: () => told(''),
    freeBytes: () => told(disk.freeBytes),
    machineBytes: () => told(4e9),
    processors: () => told(2),
  };
}

function timersOf(process: SimProcess): Timers {
  const { machine } = process;
  /** By the clock of the machine, and never sooner than a millisecond, as Node has it. */
  const after = (ms: number): number =>
    machine.scheduler.now + Math.max(1, ms >= 1 ? ms : 1) / machine.host.clock.rate;
  const clear = (timer: unknown): void => void (timer as Timer | undefined)?.close();
  const timers: Timers = {
    setTimeout: (callback, ms) =>
      new Timer(process, () =>
        process.at(after(ms), () => callback()),
      ) as unknown as NodeJS.Timeout,
    clearTimeout: clear,
    setInterval: (callback, ms) =>
      new Timer(process, (timer) =>
        process.at(after(ms), () => {
          timer.refresh();
          callback();
        }),
      ) as unknown as NodeJS.Timeout,
    clearInterval: clear,
    setImmediate: (callback) =>
      new Timer(process, () => process.run(() => callback())) as unknown as NodeJS.Immediate,
    clearImmediate: clear,
    queueMicrotask: (callback) => globalThis.queueMicrotask(callback),
    timeoutSignal: (ms) => {
      const timeout = new AbortController();
      const late = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
      // Node forgets it with its signal, as where a request is over.
      process.uncounted(after(ms), () => timeout.abort(late));
      return timeout.signal;
    },
  };
  return timers;
}

function randomnessOf({ machine: { random } }: SimProcess): Platform['randomness'] {
  return {
    random: () => random.next(),
    randomBytes: (size) => random.bytes(size),
    randomFillSync: (buffer) => buffer.set(random.bytes(buffer.length)),
    randomInt: (least, end) => random.int(least, end),
    randomUUID: () =>
      random
        .bytes(16)
        .toString('hex')
        .replace(/^(.{8})(.{4}).(.{3}).(.{3})/, '$1-$2-4$3-8$4-'),
  };
}

/** A part of the platform that has what is given, and fails with the name of anything else. */
export function refusing<T extends object>(part: string, own: object): T {
  return new Proxy(own, {
    get(target, name) {
      if (Reflect.has(target, name)) return Reflect.get(target, name) as unknown;
      return () => {
        throw new Error(`This platform has no ${part}.${String(name)}`);
      };
    },
  }) as T;
}
