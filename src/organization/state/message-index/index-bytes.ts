/**
 * The image of a message index as bytes: a mark with the version of the format, the length of a description,
 * the description as JSON, the columns, and a CRC-32 of everything before it. Numbers have the order of bytes
 * of the processor, which is the same on all that Parley runs on.
 */
import { crc32 } from 'node:zlib';
import type { MessageRoute } from '../../../../schemas/messages/message-document.js';
import type { IndexImage, TopicImage } from './index-image.js';
import type { IdsByUser } from './notified-messages.js';

/** With every change of the format, or of what rows mean, another one: images of others are not read. */
const MARK = Buffer.from('parley message index 1\n\0');
const LENGTH_BYTES = 8;
const SUM_BYTES = 4;
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
  readonly channelWildcards: number;
  readonly mentions: Lengths;
  readonly topicWildcards: Lengths;
  readonly alerts: Lengths;
  readonly moved: readonly (readonly [recipientId: number, route: MessageRoute, length: number])[];
}

/** The bytes of an image in their order, without the checksum at the end. */
export function* bytesOf(image: IndexImage, origin: IndexOrigin): Generator<Uint8Array> {
  const { rows, topics, channelWildcards, mentions, topicWildcards, alerts, moved } = image;
  const lengths = (lists: IdsByUser): Lengths =>
    lists.map(([userId, ids]) => [userId, ids.length] as const);
  const description: Description = {
    origin,
    rows: rows.id.length,
    topics,
    channelWildcards: channelWildcards.length,
    mentions: lengths(mentions),
    topicWildcards: lengths(topicWildcards),
    alerts: lengths(alerts),
    moved: moved.map(([recipientId, route, ids]) => [recipientId, route, ids.length]),
  };
  const text = Buffer.from(JSON.stringify(description));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeDoubleLE(text.length);
  yield MARK;
  yield length;
  yield text;
  yield Buffer.alloc(padding(text.length));
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

/** The image in these bytes; null where they are not all of one of this format. */
export function imageFrom(bytes: Buffer): { image: IndexImage; origin: IndexOrigin } | null {
  const start = MARK.length + LENGTH_BYTES;
  const end = bytes.length - SUM_BYTES;
  if (end < start || !bytes.subarray(0, MARK.length).equals(MARK)) return null;
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32LE(end)) return null;
  const length = bytes.readDoubleLE(MARK.length);
  const text = bytes.toString('utf8', start, start + length);
  const description = JSON.parse(text) as Description;
  const columns = new ColumnReader(bytes, start + length + padding(length));
  const { rows: count, origin, topics } = description;
  const seq = columns.doubles(count);
  const id = columns.numbers(count);
  const sender = columns.numbers(count);
  const topic = columns.numbers(count);
  const timestamp = columns.numbers(count);
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
    image: { rows, topics, channelWildcards, mentions, topicWildcards, alerts, moved },
    origin,
  };
}

/** Reads columns one behind the other. Each is a copy: they outlive the bytes, and grow apart. */
class ColumnReader {
  constructor(
    private readonly source: Buffer,
    private at: number,
  ) {}

  doubles(count: number): Float64Array {
    return new Float64Array(this.take(count * 8));
  }

  numbers(count: number): Uint32Array {
    return new Uint32Array(this.take(count * 4));
  }

  bytes(count: number): Uint8Array {
    return new Uint8Array(this.take(count));
  }

  private take(bytes: number): ArrayBuffer {
    const { buffer, byteOffset } = this.source;
    const start = byteOffset + this.at;
    this.at += bytes;
    return buffer.slice(start, start + bytes) as ArrayBuffer;
  }
}

function raw(column: Uint32Array | Float64Array): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

function padding(length: number): number {
  return (ALIGNED - (length % ALIGNED)) % ALIGNED;
}
