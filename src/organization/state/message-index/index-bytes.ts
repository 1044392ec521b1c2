/**
 * The image of a message index as bytes: a mark with the version of the format, the length of a description,
 * the description as JSON, the columns, and a CRC-32 of everything before it. Numbers have the order of bytes
 * of the processor, which is the same on all that Parley runs on.
 */
import type { MessageRoute } from '../../../../schemas/messages/message.js';
import type { IndexImage, SpellingImage, TopicImage } from './index-image.js';
import type { IdsByUser } from './notified-messages.js';

/**
 * With every change of the format, or of what rows mean, another one: images of others are not read. The second may lack
 * everything, where a process had been stopped as it started.
 */
const MARK = Buffer.from('parley message index 3\n\0');
const LENGTH_BYTES = 8;
/** Bytes of the checksum. */
export const SUM_BYTES = 4;
/** Columns begin at multiples of it, so that they can be read in place. */
const ALIGNED = 8;

/** What an image is of. */
export interface IndexOrigin {
  /** Position of the newest journal entry that is in it. */
  readonly seq: number;
  /** Digest of that entry. */
  readonly entry: string;
  /** The newest message id that was assigned. */
  readonly lastId: number;
}

/** Lengths of lists by user. */
type Lengths = readonly (readonly [userId: number, length: number])[];

interface Description {
  readonly origin: IndexOrigin;
  readonly rows: number;
  readonly topics: readonly TopicImage[];
  readonly spellings: readonly SpellingImage[];
  readonly channelWildcards: number;
  readonly mentions: Lengths;
  readonly topicWildcards: Lengths;
  readonly alerts: Lengths;
  readonly moved: readonly (readonly [recipientId: number, route: MessageRoute, length: number])[];
}

/** Elements of a list that are encoded at once: a large organization has many topics. */
const TOGETHER = 4000;
const NOTHING = new Uint8Array(0);

/** The JSON of a description, in pieces that take less than a millisecond. */
function* piecesOf(description: Description): Generator<string> {
  let separator = '{';
  for (const [name, value] of Object.entries(description)) {
    yield `${separator}${JSON.stringify(name)}:`;
    separator = ',';
    if (!Array.isArray(value)) {
      yield JSON.stringify(value);
      continue;
    }
    yield '[';
    for (let from = 0; from < value.length; from += TOGETHER) {
      const text = JSON.stringify(value.slice(from, from + TOGETHER));
      yield `${from === 0 ? '' : ','}${text.slice(1, -1)}`;
    }
    yield ']';
  }
  yield '}';
}

/**
 * The bytes of an image in their order, without the checksum at the end; nothing where there was work to do, after
 * which the caller may pause.
 */
export function* bytesOf(image: IndexImage, origin: IndexOrigin): Generator<Uint8Array> {
  const { rows, topics, spellings, channelWildcards, mentions, topicWildcards, alerts, moved } =
    image;
  const lengths = (lists: IdsByUser): Lengths =>
    lists.map(([userId, ids]) => [userId, ids.length] as const);
  const description: Description = {
    origin,
    rows: rows.id.length,
    topics,
    spellings,
    channelWildcards: channelWildcards.length,
    mentions: lengths(mentions),
    topicWildcards: lengths(topicWildcards),
    alerts: lengths(alerts),
    moved: moved.map(([recipientId, route, ids]) => [recipientId, route, ids.length]),
  };
  const texts: Buffer[] = [];
  for (const piece of piecesOf(description)) {
    texts.push(Buffer.from(piece));
    yield NOTHING;
  }
  const textBytes = texts.reduce((sum, text) => sum + text.length, 0);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeDoubleLE(textBytes);
  yield MARK;
  yield length;
  yield* texts;
  yield Buffer.alloc(padding(textBytes));
  for (const column of [rows.seq, rows.id, rows.sender, rows.topic, rows.timestamp]) {
    yield raw(column);
  }
  yield raw(channelWildcards);
  for (const lists of [mentions, topicWildcards, alerts]) {
    for (const [, ids] of lists) yield raw(ids);
  }
  for (const [, , ids] of moved) yield raw(ids);
  yield rows.bits;
}

/** The checksum at the end. */
export function sumBytes(sum: number): Buffer {
  const bytes = Buffer.alloc(SUM_BYTES);
  bytes.writeUInt32LE(sum);
  return bytes;
}

/** The image in bytes whose checksum is right; null where they are of another format. Its rows are in them. */
export function imageFrom(bytes: Buffer): { image: IndexImage; origin: IndexOrigin } | null {
  // A small buffer may lie anywhere in a shared one.
  if (bytes.byteOffset % ALIGNED !== 0) return imageFrom(aligned(bytes));
  const start = MARK.length + LENGTH_BYTES;
  const end = bytes.length - SUM_BYTES;
  if (end < start || !bytes.subarray(0, MARK.length).equals(MARK)) return null;
  const length = bytes.readDoubleLE(MARK.length);
  const text = bytes.toString('utf8', start, start + length);
  const description = JSON.parse(text) as Description;
  const columns = new ColumnReader(bytes, start + length + padding(length));
  const { rows: count, origin, topics, spellings } = description;
  const seq = columns.doubles(count);
  const id = columns.column(count);
  const sender = columns.column(count);
  const topic = columns.column(count);
  const timestamp = columns.column(count);
  const channelWildcards = columns.numbers(description.channelWildcards);
  const lists = (lengths: Lengths): IdsByUser =>
    lengths.map(([userId, one]) => [userId, columns.numbers(one)] as const);
  const mentions = lists(description.mentions);
  const topicWildcards = lists(description.topicWildcards);
  const alerts = lists(description.alerts);
  const moved = description.moved.map(
    ([recipientId, route, one]) => [recipientId, route, columns.numbers(one)] as const,
  );
  const rows = { id, seq, sender, topic, timestamp, bits: columns.bytes(count) };
  return {
    image: { rows, topics, spellings, channelWildcards, mentions, topicWildcards, alerts, moved },
    origin,
  };
}

/** Reads columns one behind the other: rows in place, lists as copies, which outlive the bytes. */
class ColumnReader {
  constructor(
    private readonly source: Buffer,
    private at: number,
  ) {}

  doubles(count: number): Float64Array {
    const { buffer, at } = this.next(count * 8);
    return new Float64Array(buffer, at, count);
  }

  column(count: number): Uint32Array {
    const { buffer, at } = this.next(count * 4);
    return new Uint32Array(buffer, at, count);
  }

  numbers(count: number): Uint32Array {
    return this.column(count).slice();
  }

  bytes(count: number): Uint8Array {
    const { buffer, at } = this.next(count);
    return new Uint8Array(buffer, at, count);
  }

  private next(bytes: number): { buffer: ArrayBufferLike; at: number } {
    const { buffer, byteOffset } = this.source;
    const at = byteOffset + this.at;
    this.at += bytes;
    return { buffer, at };
  }
}

function aligned(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
}

function raw(column: Uint32Array | Float64Array): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

function padding(length: number): number {
  return (ALIGNED - (length % ALIGNED)) % ALIGNED;
}
