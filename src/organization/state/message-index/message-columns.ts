import type { MessageDocument } from '../../../../schemas/messages/message.js';
import { filled, lowerBound, roomFor } from '../typed-columns.js';
import { RowsCopy, type Row, type RowArrays } from './rows-copy.js';
import type { IdList } from './merged-cursor.js';
import { MAX_INDEXED_ID } from './posting-lists.js';

/** One bit per property of a message that narrows test. */
export const BIT = {
  link: 1,
  image: 2,
  attachment: 4,
  reaction: 8,
  channelWildcard: 16,
  /** It is in some user's list of mentions, topic wildcards or alert words. */
  personal: 64,
  /** The message was deleted; its row stays so that later rows keep their positions. */
  dead: 128,
} as const;

const FIRST_CAPACITY = 1024;

/**
 * MessageColumns has the rows of all messages in typed arrays, ascending by id: 25 bytes each. Ids are
 * assigned in the order of the journal, so `seq` ascends, too, and nearly so does `timestamp`.
 */
export class MessageColumns {
  private id = new Uint32Array(FIRST_CAPACITY);
  private seq = new Float64Array(FIRST_CAPACITY);
  private sender = new Uint32Array(FIRST_CAPACITY);
  private topic = new Uint32Array(FIRST_CAPACITY);
  private timestamp = new Uint32Array(FIRST_CAPACITY);
  private bits = new Uint8Array(FIRST_CAPACITY);
  private used = 0;
  private moves = 0;
  /** How often the bit of each place changed in a row, the highest place first. */
  private readonly flips = new Uint32Array(8);
  /** The copy under way. */
  private copy: RowsCopy | null = null;

  /** The columns of these rows, ascending by id; with room for more, so that the first one to come moves none. */
  static of(rows: RowArrays): MessageColumns {
    const columns = new MessageColumns();
    const used = rows.id.length;
    const capacity = Math.max(FIRST_CAPACITY, roomFor(used));
    columns.id = filled(new Uint32Array(capacity), rows.id);
    columns.seq = filled(new Float64Array(capacity), rows.seq);
    columns.sender = filled(new Uint32Array(capacity), rows.sender);
    columns.topic = filled(new Uint32Array(capacity), rows.topic);
    columns.timestamp = filled(new Uint32Array(capacity), rows.timestamp);
    columns.bits = filled(new Uint8Array(capacity), rows.bits);
    columns.used = used;
    return columns;
  }

  /** Begins a copy of the rows as they are now, which gets those that change before it came to them. */
  beginCopy(): RowsCopy {
    return (this.copy = new RowsCopy(this, this.used));
  }

  /** Ends the copy. */
  endCopy(): void {
    this.copy = null;
  }

  /** Rows, dead ones included. */
  get length(): number {
    return this.used;
  }

  /** Number of changes after which a message may have another row, or none. */
  get shifts(): number {
    return this.moves;
  }

  /** The ids of all rows, dead ones included, as a list that follows them. */
  get ids(): IdList {
    return {
      length: this.used,
      at: (row) => (row < this.used ? this.id[row] : undefined),
      lowerBound: (id) => this.place(id),
    };
  }

  /** Largest id, dead ones included, or 0. */
  get lastId(): number {
    return this.used === 0 ? 0 : this.id[this.used - 1]!;
  }

  /** Row of a message that exists, or -1. */
  find(id: number): number {
    const row = this.place(id);
    if (row >= this.used || this.id[row] !== id) return -1;
    return (this.bits[row]! & BIT.dead) === 0 ? row : -1;
  }

  seqAt(row: number): number {
    return this.seq[row]!;
  }

  senderAt(row: number): number {
    return this.sender[row]!;
  }

  topicAt(row: number): number {
    return this.topic[row]!;
  }

  timestampAt(row: number): number {
    return this.timestamp[row]!;
  }

  bitsAt(row: number): number {
    return this.bits[row]!;
  }

  idAt(row: number): number {
    return this.id[row]!;
  }

  /** Changes when a bit of a row changes, or rows move; not with rows that are added behind all others. */
  versionOf(bit: number): number {
    return this.moves + this.flips[Math.clz32(bit) - 24]!;
  }

  /** The numbers of a row, in one object. */
  rowAt(row: number): Row {
    return {
      id: this.id[row]!,
      seq: this.seq[row]!,
      sender: this.sender[row]!,
      topic: this.topic[row]!,
      timestamp: this.timestamp[row]!,
      bits: this.bits[row]!,
    };
  }

  /** Ids of messages below an id, the largest first; at most `count`. */
  idsBelow(id: number, count: number): number[] {
    const found: number[] = [];
    for (let row = this.place(id) - 1; row >= 0 && found.length < count; row--) {
      if ((this.bits[row]! & BIT.dead) === 0) found.push(this.id[row]!);
    }
    return found;
  }

  /** Adds a row, or replaces the one with its id. @throws RangeError for an id above 32 bits */
  put(row: Row): void {
    if (row.id > MAX_INDEXED_ID) throw new RangeError(`Message id ${row.id} is too large`);
    const place = this.place(row.id);
    if (place >= this.used || this.id[place] !== row.id) this.makeRoom(place);
    else {
      this.copy?.keep(place);
      this.countFlips(this.bits[place]! ^ row.bits);
    }
    this.id[place] = row.id;
    this.seq[place] = row.seq;
    this.sender[place] = row.sender;
    this.topic[place] = row.topic;
    this.timestamp[place] = row.timestamp;
    this.bits[place] = row.bits;
  }

  /** Moves a message to another topic. */
  setTopic(row: number, topic: number): void {
    this.copy?.keep(row);
    this.topic[row] = topic;
  }

  /** Moves messages to another topic. */
  setTopics(rows: readonly number[], topic: number): void {
    const { copy, topic: column } = this;
    for (let i = 0; i < rows.length; i++) {
      copy?.keep(rows[i]!);
      column[rows[i]!] = topic;
    }
  }

  /** Changes what narrows test. */
  setBits(row: number, bits: number): void {
    this.copy?.keep(row);
    this.countFlips(this.bits[row]! ^ bits);
    this.bits[row] = bits;
  }

  private countFlips(changed: number): void {
    for (let place = 0; changed >>> place !== 0; place += 1) {
      if ((changed & (1 << place)) !== 0) this.flips[7 - place]! += 1;
    }
  }

  /** Corrects when a message was sent, and the position of its entry. */
  setTimes(row: number, seq: number, timestamp: number): void {
    this.copy?.keep(row);
    this.seq[row] = seq;
    this.timestamp[row] = timestamp;
  }

  /** Removes a row. Rows at the end are dropped, others stay as dead rows. */
  remove(row: number): void {
    this.copy?.keep(row);
    this.moves += 1;
    this.bits[row]! |= BIT.dead;
    while (this.used > 0 && (this.bits[this.used - 1]! & BIT.dead) !== 0) this.used -= 1;
  }

  /** Smallest id of a row whose `seq` is at least this; above all ids when there is none. */
  firstIdAtSeq(seq: number): number {
    return this.firstIdWhere(this.seq, seq);
  }

  /** Smallest id of a row sent at or after this time; above all ids when there is none. */
  firstIdAtTime(seconds: number): number {
    return this.firstIdWhere(this.timestamp, seconds);
  }

  private firstIdWhere(column: Uint32Array | Float64Array, value: number): number {
    const row = lowerBound(column, this.used, value);
    return row < this.used ? this.id[row]! : this.lastId + 1;
  }

  /** Row of an id, or the row where it would be inserted. */
  private place(id: number): number {
    const { id: ids, used } = this;
    if (used === 0 || id > ids[used - 1]!) return used;
    // Ids are dense except for deletions before the last start, so this guess is nearly always right.
    const guess = id - ids[0]!;
    if (guess >= 0 && guess < used && ids[guess] === id) return guess;
    return lowerBound(ids, used, id);
  }

  /**
   * Makes rows for ids between others, which the caller fills with `put`: adding many then costs one move of
   * everything behind the first.
   * @param ids ascending
   */
  makeRoomFor(ids: readonly number[]): void {
    const absent = ids.filter((id) => id < this.lastId && this.id[this.place(id)] !== id);
    if (absent.length === 0) return;
    this.copy?.lose();
    this.moves += 1;
    const { used } = this;
    const needed = used + absent.length;
    if (needed > this.id.length) this.grow(roomFor(needed));
    const places = absent.map((id) => this.place(id));
    let end = used;
    for (let i = absent.length - 1; i >= 0; i--) {
      const place = places[i]!;
      for (const column of this.all()) column.copyWithin(place + i + 1, place, end);
      this.id[place + i] = absent[i]!;
      this.bits[place + i] = BIT.dead;
      end = place;
    }
    this.used = needed;
  }

  private all(): (Uint32Array | Float64Array | Uint8Array)[] {
    return [this.id, this.seq, this.sender, this.topic, this.timestamp, this.bits];
  }

  private makeRoom(place: number): void {
    if (this.used === this.id.length) this.grow(roomFor(this.used));
    this.copy?.keep(place);
    if (place < this.used) {
      this.copy?.lose();
      this.moves += 1;
      for (const column of this.all()) column.copyWithin(place + 1, place, this.used);
    }
    this.used += 1;
  }

  private grow(capacity: number): void {
    this.id = filled(new Uint32Array(capacity), this.id);
    this.seq = filled(new Float64Array(capacity), this.seq);
    this.sender = filled(new Uint32Array(capacity), this.sender);
    this.topic = filled(new Uint32Array(capacity), this.topic);
    this.timestamp = filled(new Uint32Array(capacity), this.timestamp);
    this.bits = filled(new Uint8Array(capacity), this.bits);
  }
}

/** The bits of a message's row. */
export function bitsOf(message: MessageDocument): number {
  return (
    (message.has_link ? BIT.link : 0) |
    (message.has_image ? BIT.image : 0) |
    (message.has_attachment ? BIT.attachment : 0) |
    (message.reactions.length > 0 ? BIT.reaction : 0) |
    (message.channel_wildcard ? BIT.channelWildcard : 0) |
    (notifiesUsers(message) ? BIT.personal : 0)
  );
}

/** Whether the message notifies individual users. */
function notifiesUsers({ mentioned, topic_wildcard, alerted }: MessageDocument): boolean {
  return mentioned.length > 0 || topic_wildcard.length > 0 || alerted.length > 0;
}
