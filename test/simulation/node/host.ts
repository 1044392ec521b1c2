import { Disk } from './disk.js';
import type { SimProcess } from './process.js';
import type { Scheduler } from '../world/scheduler.js';

/** A clock: how fast it runs, 1 is right, and how far its wall time was set, milliseconds. */
export interface MachineClock {
  readonly rate: number;
  wallOffset: number;
  /** When the machine started, which begins its steady time anew. Milliseconds of the simulation. */
  startedAt: number;
}

/** A process of a machine, for others of it. */
export interface Running {
  readonly process: SimProcess;
  /** Another process has killed it. */
  readonly killed: () => void;
}

/** The machine below its processes: a disk, a clock, and sockets in its folders. */
export class Host {
  readonly disk: Disk;
  readonly clock: MachineClock;
  /** By process id. */
  readonly processes = new Map<number, Running>();
  /** Until then it sleeps, milliseconds of the simulation. */
  asleepUntil = 0;
  #pids = 100;

  /** @param start the wall clock when the simulation began, milliseconds since 1970 */
  constructor(
    /** Where sockets in folders listen, which no network leads to. */
    readonly name: string,
    scheduler: Scheduler,
    start: number,
    rate: number,
    /** Whether the system tells a figure that it is asked for now: not without /proc, or without a free descriptor. */
    readonly tells: () => boolean = () => true,
  ) {
    this.clock = { rate, wallOffset: 0, startedAt: 0 };
    this.disk = new Disk(() => Math.floor(start + this.clock.wallOffset + scheduler.now));
  }

  newPid(): number {
    return ++this.#pids;
  }
}
