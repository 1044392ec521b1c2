import { scheduledMessageKind } from '../../../../actors/scheduled-message.js';
import {
  SCHEDULED_STATES,
  type ScheduledState,
} from '../../../../schemas/scheduling/scheduled-messages.js';
import { filled, lowerBound, roomFor } from '../typed-columns.js';

/** The index row of a scheduled item. */
export interface ScheduleRow {
  readonly id: number;
  /** The user who scheduled it. */
  readonly owner: number;
  /** The state of its actor. */
  readonly state: ScheduledState;
  /** When it is to be sent, milliseconds since 1970. */
  readonly due: number;
}

const FIRST_CAPACITY = 256;
/** Whether an actor waits for its time, by its state: as its machine says. */
const WAITS = SCHEDULED_STATES.map(
  (value) =>
    scheduledMessageKind.deadlineOf({
      ...{ machine: scheduledMessageKind.name, version: scheduledMessageKind.version, value },
      context: { deliver_at: 0, failure: null },
    }) !== null,
);
/** Value of the state column that is no state. */
const DELETED = 255;
/** End of a user's list. */
const END = -1;
/** Fewer deleted rows than this are not worth a clean-up. */
const FEW = 1024;

/**
 * ScheduleIndex has ids, owners, states, times and lengths of all scheduled items in typed arrays, ascending by id: 37
 * bytes each. The rows of one user are linked, newest first. It says nothing that the documents do not: it is made of them
 * at the start.
 */
export class ScheduleIndex {
  private ids = new Float64Array(FIRST_CAPACITY);
  private times = new Float64Array(FIRST_CAPACITY);
  /** Places in the list of states. */
  private states = new Uint8Array(FIRST_CAPACITY);
  private owners = new Float64Array(FIRST_CAPACITY);
  private lengths = new Uint32Array(FIRST_CAPACITY);
  private older = new Int32Array(FIRST_CAPACITY);
  private newer = new Int32Array(FIRST_CAPACITY);
  private readonly newest = new Map<number, number>();
  private readonly counts = new Map<number, number>();
  /** Sums of the lengths of each user's rows. */
  private readonly sums = new Map<number, number>();
  /** How many rows are in each state. */
  private readonly inState = SCHEDULED_STATES.map(() => 0);
  private used = 0;
  private deleted = 0;

  /** Rows that exist. */
  get size(): number {
    return this.used - this.deleted;
  }

  /** Whether there is a row of this id. */
  has(id: number): boolean {
    return this.find(id) !== END;
  }

  /** The row of an id, if there is one. */
  get(id: number): ScheduleRow | undefined {
    const row = this.find(id);
    return row === END ? undefined : this.rowAt(row);
  }

  /** The state of a row; undefined where there is none. */
  stateOf(id: number): ScheduledState | undefined {
    const row = this.find(id);
    return row === END ? undefined : SCHEDULED_STATES[this.states[row]!];
  }

  /** The deadline of an actor, milliseconds since 1970; null where its state has none, undefined where there is no row. */
  deadlineOf(id: number): number | null | undefined {
    const row = this.find(id);
    if (row === END) return undefined;
    return WAITS[this.states[row]!] ? this.times[row]! : null;
  }

  /** How many rows are in each state that has any. */
  countByState(): Record<string, number> {
    const counts = SCHEDULED_STATES.map((state, place) => [state, this.inState[place]!] as const);
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }

  /** The first ids, ascending. */
  firstIds(most: number): number[] {
    const found: number[] = [];
    for (let row = 0; row < this.used && found.length < most; row++) {
      if (this.states[row] !== DELETED) found.push(this.ids[row]!);
    }
    return found;
  }

  /** Ids of the rows in these states. */
  idsIn(states: readonly ScheduledState[]): number[] {
    const places = states.map((state) => SCHEDULED_STATES.indexOf(state));
    const found: number[] = [];
    if (places.every((place) => this.inState[place] === 0)) return found;
    for (let row = 0; row < this.used; row++) {
      if (places.includes(this.states[row]!)) found.push(this.ids[row]!);
    }
    return found;
  }

  /** How many rows wait for their time. */
  get waiting(): number {
    return WAITS.reduce((sum, waits, place) => sum + (waits ? this.inState[place]! : 0), 0);
  }

  /** How many rows wait for a time up to each of these, ascending, that no earlier one has; the rest last. */
  countUntil(times: readonly number[]): number[] {
    const counts = [...times, 0].fill(0);
    for (let row = 0; row < this.used; row++) {
      if (!WAITS[this.states[row]!]) continue;
      const at = this.times[row]!;
      let place = 0;
      while (place < times.length && at > times[place]!) place += 1;
      counts[place]! += 1;
    }
    return counts;
  }

  /** All rows, by id. The index must not change meanwhile. */
  *rows(): Generator<ScheduleRow> {
    for (let row = 0; row < this.used; row++) {
      if (this.states[row] !== DELETED) yield this.rowAt(row);
    }
  }

  /** Ids of one user's rows, newest first. */
  ofUser(userId: number): number[] {
    const found: number[] = [];
    for (let row = this.newest.get(userId) ?? END; row !== END; row = this.older[row]!) {
      found.push(this.ids[row]!);
    }
    return found;
  }

  /** How many rows a user has. */
  countOf(userId: number): number {
    return this.counts.get(userId) ?? 0;
  }

  /** The length of a row; 0 where there is none. */
  lengthOf(id: number): number {
    const row = this.find(id);
    return row === END ? 0 : this.lengths[row]!;
  }

  /** The lengths of a user's rows together. */
  lengthOfUser(userId: number): number {
    return this.sums.get(userId) ?? 0;
  }

  /** Adds a row, or replaces the one with its id. @param length of its texts, UTF-16 units */
  put({ id, owner, state, due }: ScheduleRow, length = 0): void {
    const row = this.place(id);
    if (row < this.used && this.ids[row] === id) {
      if (this.states[row] === DELETED) this.deleted -= 1;
      else this.unlink(row);
    } else if (row < this.used) {
      this.insertBetween(row, id);
    } else {
      if (this.used === this.ids.length) this.resize(roomFor(this.used));
      this.used += 1;
    }
    this.ids[row] = id;
    this.owners[row] = owner;
    this.times[row] = due;
    this.states[row] = SCHEDULED_STATES.indexOf(state);
    this.lengths[row] = length;
    this.link(row);
  }

  /** Removes a row; false when there is none. */
  remove(id: number): boolean {
    const row = this.find(id);
    if (row === END) return false;
    this.unlink(row);
    this.states[row] = DELETED;
    this.deleted += 1;
    while (this.used > 0 && this.states[this.used - 1] === DELETED) {
      this.used -= 1;
      this.deleted -= 1;
    }
    if (this.deleted > FEW && this.deleted > this.used / 2) this.cleanUp();
    return true;
  }

  private find(id: number): number {
    const row = this.place(id);
    return row < this.used && this.ids[row] === id && this.states[row] !== DELETED ? row : END;
  }

  private rowAt(row: number): ScheduleRow {
    const state = SCHEDULED_STATES[this.states[row]!]!;
    return { id: this.ids[row]!, owner: this.owners[row]!, state, due: this.times[row]! };
  }

  /** Row of an id, or the row where it would be inserted. */
  private place(id: number): number {
    const { ids, used } = this;
    if (used === 0 || id > ids[used - 1]!) return used;
    return lowerBound(ids, used, id);
  }

  private link(row: number): void {
    const owner = this.owners[row]!;
    const head = this.newest.get(owner) ?? END;
    this.older[row] = head;
    this.newer[row] = END;
    if (head !== END) this.newer[head] = row;
    this.newest.set(owner, row);
    this.counts.set(owner, (this.counts.get(owner) ?? 0) + 1);
    this.sums.set(owner, this.lengthOfUser(owner) + this.lengths[row]!);
    this.inState[this.states[row]!]! += 1;
  }

  private unlink(row: number): void {
    this.inState[this.states[row]!]! -= 1;
    const owner = this.owners[row]!;
    const older = this.older[row]!;
    const newer = this.newer[row]!;
    if (older !== END) this.newer[older] = newer;
    if (newer !== END) this.older[newer] = older;
    else if (older !== END) this.newest.set(owner, older);
    else this.newest.delete(owner);
    const left = this.counts.get(owner)! - 1;
    if (left > 0) {
      this.counts.set(owner, left);
      this.sums.set(owner, this.lengthOfUser(owner) - this.lengths[row]!);
    } else {
      this.counts.delete(owner);
      this.sums.delete(owner);
    }
  }

  /** Only needed for writes reverted after a clean-up: ids are assigned in ascending order. */
  private insertBetween(row: number, id: number): void {
    if (this.used === this.ids.length) this.resize(roomFor(this.used));
    for (const column of [this.ids, this.times, this.states, this.owners, this.lengths]) {
      column.copyWithin(row + 1, row, this.used);
    }
    this.used += 1;
    this.ids[row] = id;
    this.states[row] = DELETED;
    this.linkAll();
  }

  private cleanUp(): void {
    let to = 0;
    for (let row = 0; row < this.used; row++) {
      if (this.states[row] === DELETED) continue;
      this.ids[to] = this.ids[row]!;
      this.times[to] = this.times[row]!;
      this.states[to] = this.states[row]!;
      this.owners[to] = this.owners[row]!;
      this.lengths[to] = this.lengths[row]!;
      to += 1;
    }
    this.used = to;
    this.deleted = 0;
    this.resize(Math.max(FIRST_CAPACITY, roomFor(to)));
    this.linkAll();
  }

  private linkAll(): void {
    this.newest.clear();
    this.counts.clear();
    this.sums.clear();
    this.inState.fill(0);
    for (let row = 0; row < this.used; row++) if (this.states[row] !== DELETED) this.link(row);
  }

  private resize(capacity: number): void {
    const { used } = this;
    this.ids = filled(new Float64Array(capacity), this.ids.subarray(0, used));
    this.times = filled(new Float64Array(capacity), this.times.subarray(0, used));
    this.states = filled(new Uint8Array(capacity), this.states.subarray(0, used));
    this.owners = filled(new Float64Array(capacity), this.owners.subarray(0, used));
    this.lengths = filled(new Uint32Array(capacity), this.lengths.subarray(0, used));
    this.older = filled(new Int32Array(capacity), this.older.subarray(0, used));
    this.newer = filled(new Int32Array(capacity), this.newer.subarray(0, used));
  }
}
