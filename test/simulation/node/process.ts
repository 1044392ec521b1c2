import type { End, Network } from '../world/network.js';
import type { ReplicatedStore } from '../redis/replicated-store.js';
import type { Random } from '../world/random.js';
import type { Scheduler, Task } from '../world/scheduler.js';
import type { Host } from './host.js';

/** Thrown at what a process does after it died, in the rest of the step in which it did. */
export class DeadError extends Error {
  constructor() {
    super('The process is dead');
    this.name = 'DeadError';
  }
}

/** What one piece of work takes of the processor, milliseconds: a small request of the server. */
const STEP_MS = { least: 0.02, most: 0.25 };

/** How seldom a look at the clock takes long: on the average an eighth of the most. */
const LOOK_SKEW = 7;

/** What a machine is made of, for its processes. */
export interface Machine {
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly network: Network;
  readonly random: Random;
  /** The wall clock when the simulation began, milliseconds since 1970. */
  readonly start: number;
  /** What a look at the clock takes at most, milliseconds; 0 where time stands still while a process works. */
  readonly lookMs: number;
  /** What it runs on; other processes of the same may have other addresses. */
  readonly host: Host;
  /** Where the store is, if that may change. */
  readonly replicated?: ReplicatedStore | null;
}

/**
 * What is due so soon is work in line, of which a burst leaves a hundred behind, and no timer: a process that is busy puts it
 * off by a step at a time. Milliseconds.
 */
const SOON_MS = 20;

/**
 * A process of a machine: it does one thing at a time, may stand still, and may die between any two things, or in the
 * middle of one: what it has sent by then is on its way, and nothing else of it remains.
 */
export class SimProcess {
  isDead = false;
  /** Connections that the system closes when the process dies. */
  readonly ends = new Set<End>();
  /** Called when it dies. */
  readonly atDeath: (() => void)[] = [];
  readonly startedAt: number;
  /** What it will do. */
  readonly #tasks = new Set<Task>();
  /** The newest position of the journal that it has followed, or was told to be durable of what it wrote. */
  known = 0;
  /** The newest position of its last commit, whatever became of it. */
  attempted = 0;
  /** By how much its machine has slept since it planned something, milliseconds. */
  readonly #later = new Map<Task, number>();
  #busyUntil = 0;
  #pausedUntil = 0;
  /** Told of what grows beyond its bound. */
  exceeded: (what: string) => void = () => undefined;
  /** Puts what modules keep for this process in place. */
  enter: () => void = () => undefined;
  /** What it may still give to the world before it dies. */
  #outputsLeft = Infinity;

  constructor(
    readonly machine: Machine,
    readonly pid: number,
    /** Told which process works. */
    private readonly works: (process: SimProcess) => void,
    /** Told of an error that nothing caught, which ends a process of Node. */
    private readonly uncaught: (error: unknown) => void,
  ) {
    this.startedAt = machine.scheduler.now;
  }

  /** What it keeps of the machine: what it has planned for some time, and its connections. */
  get load(): { timers: number; connections: number } {
    const soon = this.machine.scheduler.now + SOON_MS;
    let timers = 0;
    for (const { at } of this.#tasks) if (at >= soon) timers += 1;
    return { timers, connections: this.ends.size };
  }

  /** Runs work as soon as the process can. */
  run(work: () => void): Task {
    return this.at(this.machine.scheduler.now, work);
  }

  at(time: number, work: () => void): Task {
    const task = this.uncounted(time, work);
    this.#tasks.add(task);
    return task;
  }

  /** As `at`, of what is no load of the process: its machine keeps it, or keeps it only as long as somebody needs it. */
  uncounted(time: number, work: () => void): Task {
    const task: Task = this.machine.scheduler.at(time, () => this.#perform(task, work));
    return task;
  }

  cancel(task: Task): void {
    this.#tasks.delete(task);
    this.#later.delete(task);
    task.cancel();
  }

  /**
   * Runs what came from outside: at once where the process is free. Else its machine keeps it. Called outside of its own
   * work alone.
   */
  arrive(work: () => void, isBehind = false): void {
    const { scheduler } = this.machine;
    if (this.isDead) return;
    const isFree = Math.max(this.#busyUntil, this.#pausedUntil) <= scheduler.now;
    // In one step one process works: its promises are settled before another has its turn.
    const joins = isBehind && scheduler.turnOf === this;
    if (joins || (isFree && scheduler.turnOf === null)) this.#work(work);
    else this.uncounted(scheduler.now, work);
  }

  /** Resolves after so many milliseconds, if the process still lives then. */
  io(ms: number): Promise<void> {
    return new Promise((resolve) => void this.at(this.machine.scheduler.now + ms, resolve));
  }

  /** Something that the world notices. @throws DeadError where it comes too late */
  output<T>(act: () => T): T {
    if (this.isDead) throw new DeadError();
    if (this.#outputsLeft-- <= 0) {
      this.die(false);
      throw new DeadError();
    }
    return act();
  }

  /** As `output`; what comes too late is lost. */
  send(act: () => void): void {
    if (this.isDead) return;
    if (this.#outputsLeft-- <= 0) this.die(false);
    else act();
  }

  /** Milliseconds since 1970, by the machine's clock. */
  get wall(): number {
    const { start, host, scheduler } = this.machine;
    this.#look();
    return Math.floor(start + host.clock.wallOffset + scheduler.now * host.clock.rate);
  }

  /** Milliseconds by the machine's clock, which no one sets. */
  get steady(): number {
    const { host, scheduler } = this.machine;
    this.#look();
    return (scheduler.now - host.clock.startedAt) * host.clock.rate;
  }

  /**
   * Between two looks at the clock it did something, which took its time: mostly little, and now and then as long as
   * another program had the processor. So a stretch of work that looks whether it is too long comes to its bound.
   */
  #look(): void {
    const { lookMs, scheduler, random } = this.machine;
    if (lookMs === 0 || scheduler.turnOf !== this) return;
    scheduler.work(lookMs * random.next() ** LOOK_SKEW);
    this.isBusyUntil(scheduler.now);
  }

  /** Runs what another thread of the process does: not while it stands still, and never once it is dead. */
  thread(ms: number, work: () => void): void {
    const { scheduler } = this.machine;
    const act = (): void => {
      if (this.isDead) return;
      if (this.isPaused) scheduler.at(this.#pausedUntil, act);
      else work();
    };
    scheduler.in(ms, act);
  }

  /** What it does takes until then. */
  isBusyUntil(time: number): void {
    this.#busyUntil = Math.max(this.#busyUntil, time);
  }

  /** Stands still, as after SIGSTOP. */
  pauseUntil(time: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, time);
  }

  /** Its machine sleeps: it stands still, and what it has planned comes so much later, as its steady clock stands, too. */
  sleep(ms: number): void {
    this.pauseUntil(this.machine.scheduler.now + ms);
    for (const task of this.#tasks) this.#later.set(task, (this.#later.get(task) ?? 0) + ms);
  }

  get isPaused(): boolean {
    return this.#pausedUntil > this.machine.scheduler.now;
  }

  /** Lets it die in the middle of what it does, after so many things that the world notices. */
  dieAfter(outputs: number): void {
    this.#outputsLeft = outputs;
  }

  /** @param silently its machine dies, too: nobody is told */
  die(silently: boolean): void {
    if (this.isDead) return;
    this.isDead = true;
    for (const act of this.atDeath.splice(0)) act();
    for (const task of this.#tasks) task.cancel();
    this.#tasks.clear();
    this.machine.network.drop(this.ends, silently);
    this.ends.clear();
  }

  /** An error that nothing caught. */
  failed(error: unknown): void {
    if (this.isDead || error instanceof DeadError) return;
    this.die(false);
    this.uncaught(error);
  }

  #perform(task: Task, work: () => void): void {
    if (this.isDead) return;
    const { scheduler } = this.machine;
    const later = this.#later.get(task) ?? 0;
    this.#later.delete(task);
    const free = Math.max(this.#busyUntil, this.#pausedUntil, later > 0 ? task.at + later : 0);
    if (free > scheduler.now) {
      scheduler.again(task, free);
      return;
    }
    this.#tasks.delete(task);
    this.#work(work);
  }

  #work(work: () => void): void {
    const { scheduler, random } = this.machine;
    this.isBusyUntil(scheduler.now + random.between(STEP_MS.least, STEP_MS.most));
    scheduler.turnOf = this;
    this.works(this);
    this.enter();
    try {
      work();
    } catch (error) {
      this.failed(error);
    }
  }
}
