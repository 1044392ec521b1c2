import { nodePlatform } from '../../../src/platform/node-platform.js';

/** What the simulation itself runs on. */
const { timers: real } = nodePlatform;

/**
 * Turns that are asked for together. Between two of them Node settles all promises, as none of them waits for a machine;
 * one at a time would look for input of the machine before each.
 */
const AT_ONCE = 100;

const NOTHING = (): void => undefined;

/** Work that waits for its time. */
export class Task {
  isCancelled = false;

  constructor(
    /** Milliseconds of the simulation. */
    public at: number,
    readonly order: number,
    public work: () => void,
  ) {}

  /** Nothing is kept for it until its time. */
  cancel(): void {
    this.isCancelled = true;
    this.work = NOTHING;
  }
}

/**
 * The only thing that happens by itself. Time stands still while a task runs, with all promises that it settles, unless
 * whoever works in it lets it go on (`work`); then it goes on to the next task. Tasks of one moment run in the order in which they were given.
 */
export class Scheduler {
  /** When this step began. */
  #begun = 0;
  /** What the one who works in this step has looked at the clock for, milliseconds. */
  #worked = 0;
  /** Who works in this step, with all promises that are settled in it; null while nobody does. */
  turnOf: object | null = null;
  /** How many tasks ran. */
  steps = 0;
  /** A binary heap by time and order. */
  readonly #heap: Task[] = [];
  #given = 0;

  /** Milliseconds since the simulation began, with fractions. */
  get now(): number {
    return this.#begun + this.#worked;
  }

  /** Time goes on within this step, for whoever works in it: what it does from now on is done so much later. */
  work(ms: number): void {
    if (this.turnOf !== null) this.#worked += ms;
  }

  /** @param after milliseconds from now */
  in(after: number, work: () => void): Task {
    return this.at(this.now + Math.max(0, after), work);
  }

  at(time: number, work: () => void): Task {
    const task = new Task(Math.max(time, this.now), ++this.#given, work);
    this.#push(task);
    return task;
  }

  /** Gives a task its place at a later time; among those of that time, the place that it had. */
  again(task: Task, at: number): void {
    task.at = at;
    this.#push(task);
  }

  /** Resolves after so many milliseconds. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => void this.in(ms, resolve));
  }

  /** Does all that is to be done until a time, or until `isOver`. */
  run(until: number, isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      let isDone = false;
      let left = 0;
      const turn = (): void => {
        if (isDone) return;
        try {
          isDone = isOver() || !this.#step(until);
          if (isDone) {
            if (!isOver()) this.#begun = Math.max(this.#begun, until);
            resolve();
            return;
          }
        } catch (error) {
          isDone = true;
          reject(error instanceof Error ? error : new Error(String(error)));
          return;
        }
        if (--left > 0) return;
        begin();
      };
      const begin = (): void => {
        left = AT_ONCE;
        for (let i = 0; i < AT_ONCE; i++) real.setImmediate(turn);
      };
      begin();
    });
  }

  /** Runs the next task. @returns false where there is none before that time */
  #step(until: number): boolean {
    for (;;) {
      const next = this.#heap[0];
      if (!next || next.at > until) return false;
      this.#pop();
      if (next.isCancelled) continue;
      this.#begun = next.at;
      this.#worked = 0;
      this.steps++;
      this.turnOf = null;
      next.work();
      return true;
    }
  }

  #push(task: Task): void {
    const heap = this.#heap;
    let at = heap.push(task) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (isBefore(heap[above]!, task)) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = task;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    const { length } = heap;
    if (length === 0) return;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= length) break;
      if (below + 1 < length && isBefore(heap[below + 1]!, heap[below]!)) below++;
      if (isBefore(last, heap[below]!)) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = last;
  }
}

function isBefore(a: Task, b: Task): boolean {
  return a.at !== b.at ? a.at < b.at : a.order < b.order;
}
