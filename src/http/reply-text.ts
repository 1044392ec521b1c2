import { MAX_REPLY_BYTES } from '../../schemas/limits.js';
import { replyTooLong } from '../errors.js';
import { EventLoopYield } from '../event-loop-yield.js';
import type { Reply } from '../resources/kernel/route.js';

/** Lists with more entries are encoded asynchronously: an entry, a message perhaps, may be long. */
const MANY_IN_LIST = 50;

/**
 * Maps with more entries are encoded asynchronously. Maps of replies have small values, and encoding entry
 * by entry takes twice the time: 0.8 instead of 0.4 µs each.
 */
const MANY_IN_MAP = 5000;

/** Entries of a list that are encoded together first, until their length is known. */
const FIRST_ENTRIES = 8;

/** Length of text that is encoded together, UTF-16 units: about 0.1 ms. */
const TOGETHER = 32 * 1024;

/** Length of text that is converted to bytes at once, UTF-16 units. */
const PIECE_LENGTH = 64 * 1024;

/** Whether a reply may take long to encode: one of its fields is a long list or map. */
export function isLargeReply(reply: Reply): boolean {
  for (const name in reply) {
    const value = reply[name];
    if (typeof value === 'object' && value !== null && hasMany(value)) return true;
  }
  return false;
}

function hasMany(value: object): boolean {
  if (Array.isArray(value)) return value.length > MANY_IN_LIST;
  let left = MANY_IN_MAP;
  for (const _ in value) if ((left -= 1) < 0) return true;
  return false;
}

/**
 * Encodes the fields of a reply as JSON, each with a comma before it; long lists and maps entry by entry,
 * with yields to the event loop.
 * @throws ApiError 400 for a reply longer than any may be
 */
export async function encodeInStretches(reply: Reply): Promise<Buffer[]> {
  const text = new ReplyText();
  for (const [name, value] of Object.entries(reply)) {
    if (value === undefined) continue;
    text.add(`,${JSON.stringify(name)}:`);
    if (typeof value !== 'object' || value === null || !hasMany(value)) {
      text.add(JSON.stringify(value));
    } else if (Array.isArray(value)) {
      await addList(text, value);
    } else {
      await addMap(text, value as Record<string, unknown>);
    }
  }
  return text.end();
}

async function addList(text: ReplyText, list: readonly unknown[]): Promise<void> {
  text.add('[');
  let together = FIRST_ENTRIES;
  for (let from = 0; from < list.length;) {
    const entries = list.slice(from, from + together);
    const encoded = JSON.stringify(entries);
    text.add(`${from === 0 ? '' : ','}${encoded.slice(1, -1)}`);
    from += entries.length;
    together = Math.max(1, Math.floor((TOGETHER * entries.length) / encoded.length));
    if (text.pause.isDue) await text.pause.take();
  }
  text.add(']');
}

async function addMap(text: ReplyText, map: Record<string, unknown>): Promise<void> {
  text.add('{');
  let separator = '';
  for (const name in map) {
    const value = JSON.stringify(map[name]) as string | undefined;
    if (value === undefined) continue;
    text.add(`${separator}${JSON.stringify(name)}:${value}`);
    separator = ',';
    if (text.pause.isDue) await text.pause.take();
  }
  text.add('}');
}

/** ReplyText collects JSON text and converts it to bytes in parts. */
class ReplyText {
  readonly pause = new EventLoopYield();
  private readonly pieces: Buffer[] = [];
  private pending = '';
  private bytes = 0;

  add(text: string): void {
    this.pending += text;
    if (this.pending.length >= PIECE_LENGTH) this.flush();
  }

  end(): Buffer[] {
    this.flush();
    return this.pieces;
  }

  private flush(): void {
    const piece = Buffer.from(this.pending);
    this.pending = '';
    this.bytes += piece.length;
    if (this.bytes > MAX_REPLY_BYTES) throw replyTooLong(MAX_REPLY_BYTES);
    this.pieces.push(piece);
  }
}
