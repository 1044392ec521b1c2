/** Called when a deadline has passed. The key is no longer armed and may be armed again. */
export type DeadlineCallback = (key: string) => void;

/** The deadlines of one owner, by key. */
export type Keys = Map<string, Deadline>;

const SLOTS_PER_LEVEL = 64;

/** 64^9 = 2^54 ticks: with ticks of 1 ms or more, every instant a `Date` can name. */
const LEVELS = 9;

const TOP_SPAN = SLOTS_PER_LEVEL ** (LEVELS - 1);

const ignore: DeadlineCallback = () => {};

const NO_KEYS: Keys = new Map();

/** One armed key; also used as the head of a circular list. Small, because there may be a million. */
export class Deadline {
  prev: Deadline = this;
  next: Deadline = this;

  constructor(
    /** The set the key belongs to. */
    readonly keys: Keys,
    readonly key: string,
    /** In ticks since the wheel was made, so that it stays a small integer. */
    public dueTick: number,
    public fire: DeadlineCallback,
  ) {}

  /** Puts this deadline at the end of the list that `head` heads. */
  appendTo(head: Deadline): void {
    this.prev = head.prev;
    this.next = head;
    head.prev.next = this;
    head.prev = this;
  }

  unlink(): void {
    this.prev.next = this.next;
    this.next.prev = this.prev;
    this.prev = this;
    this.next = this;
  }
}

/** One slot of the wheel that holds at least one deadline. */
interface Slot {
  readonly head: Deadline;
  /** 0 fires; every other level distributes its entries over the levels below. */
  readonly level: number;
  /** First tick the slot covers. */
  readonly startTick: number;
}

/**
 * The hierarchical slots of the deadline wheel, without clock or timer.
 *
 * Level 0 has one slot per tick, a slot of level n covers 64^n ticks. A deadline lies in the lowest
 * level whose current round still contains it, and is placed again, lower, when its slot comes up.
 */
export class DeadlineSlots {
  /** Heads of the slots, level by level. */
  readonly #heads = Array.from({ length: LEVELS * SLOTS_PER_LEVEL }, () => {
    return new Deadline(NO_KEYS, '', 0, ignore);
  });
  #elapsed = 0;

  /** Every slot that starts before this tick is empty. */
  get elapsed(): number {
    return this.#elapsed;
  }

  /** Advances the time. Every slot that starts before `tick` must be empty. */
  advanceTo(tick: number): void {
    this.#elapsed = Math.max(this.#elapsed, tick);
  }

  /** Links a deadline into its slot; returns the first tick of that slot. */
  place(deadline: Deadline): number {
    let level = 0;
    let span = 1;
    for (let round = SLOTS_PER_LEVEL; ; round *= SLOTS_PER_LEVEL) {
      if (Math.floor(deadline.dueTick / round) === Math.floor(this.#elapsed / round)) break;
      span = round;
      level++;
    }
    const block = Math.floor(deadline.dueTick / span);
    const head = this.#heads[level * SLOTS_PER_LEVEL + (block % SLOTS_PER_LEVEL)];
    if (!head) throw new Error('A deadline beyond the last level of the wheel');
    deadline.appendTo(head);
    return block * span;
  }

  /**
   * The non-empty slot that starts first. Among equals the highest level: its entries must move
   * down before the tick they share with the level below is over.
   */
  next(): Slot | undefined {
    let best: Slot | undefined;
    for (let level = LEVELS - 1, span = TOP_SPAN; level >= 0; level--, span /= SLOTS_PER_LEVEL) {
      const block = Math.floor(this.#elapsed / span);
      const current = block % SLOTS_PER_LEVEL;
      for (let index = current; index < SLOTS_PER_LEVEL; index++) {
        const head = this.#heads[level * SLOTS_PER_LEVEL + index];
        if (!head || head.next === head) continue;
        const startTick = (block - current + index) * span;
        if (!best || startTick < best.startTick) best = { head, level, startTick };
        break;
      }
    }
    return best;
  }
}
