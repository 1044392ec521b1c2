/** The columns of one message. */
export interface Row {
  readonly id: number;
  readonly seq: number;
  readonly sender: number;
  /** Number of the topic in the message's spelling; it determines the conversation, too. */
  readonly topic: number;
  /** UNIX seconds. */
  readonly timestamp: number;
  readonly bits: number;
}

/** Rows as columns of equal length. */
export interface RowArrays {
  readonly id: Uint32Array;
  readonly seq: Float64Array;
  readonly sender: Uint32Array;
  readonly topic: Uint32Array;
  readonly timestamp: Uint32Array;
  readonly bits: Uint8Array;
}

/** The bit of a row whose message was deleted. */
const DEAD = 128;

/**
 * RowsCopy copies the rows of columns step by step, as they all were when it began: whoever changes a row that
 * it has not come to hands it over first. Dead rows are left out.
 */
export class RowsCopy {
  private readonly target: RowArrays;
  /** Rows that have changed since, as they were. */
  private readonly changed = new Map<number, Row>();
  private next = 0;
  private copied = 0;
  private lost = false;

  constructor(
    private readonly source: { rowAt(row: number): Row },
    /** Rows when it began. */
    private readonly count: number,
  ) {
    this.target = {
      id: new Uint32Array(count),
      seq: new Float64Array(count),
      sender: new Uint32Array(count),
      topic: new Uint32Array(count),
      timestamp: new Uint32Array(count),
      bits: new Uint8Array(count),
    };
  }

  /** Rows moved to other places, which happens rarely: the copy is of no use. */
  get isLost(): boolean {
    return this.lost;
  }

  /** A row is about to change. */
  keep(row: number): void {
    if (row < this.next || row >= this.count || this.changed.has(row)) return;
    this.changed.set(row, this.source.rowAt(row));
  }

  /** Rows are about to move. */
  lose(): void {
    this.lost = true;
  }

  /** Copies at most so many rows. @returns whether there are more */
  step(most: number, topicOf: (spelling: number) => number): boolean {
    const { target, source, changed } = this;
    const end = Math.min(this.count, this.next + most);
    for (let place = this.next; place < end; place++) {
      const row =
        changed.size > 0 ? (changed.get(place) ?? source.rowAt(place)) : source.rowAt(place);
      if ((row.bits & DEAD) !== 0) continue;
      const to = this.copied++;
      target.id[to] = row.id;
      target.seq[to] = row.seq;
      target.sender[to] = row.sender;
      target.topic[to] = topicOf(row.topic);
      target.timestamp[to] = row.timestamp;
      target.bits[to] = row.bits;
    }
    this.next = end;
    return end < this.count && !this.lost;
  }

  /** What was copied. */
  rows(): RowArrays {
    const { target, copied } = this;
    return {
      id: target.id.subarray(0, copied),
      seq: target.seq.subarray(0, copied),
      sender: target.sender.subarray(0, copied),
      topic: target.topic.subarray(0, copied),
      timestamp: target.timestamp.subarray(0, copied),
      bits: target.bits.subarray(0, copied),
    };
  }
}
