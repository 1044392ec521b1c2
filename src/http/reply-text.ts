import { MAX_REPLY_BYTES } from '../../schemas/limits.js';
import { replyTooLong } from '../errors.js';
import { EventLoopYield } from '../event-loop-yield.js';
import type { Reply } from '../resources/kernel/route.js';

/** Lists with more entries are encoded in stretches: an entry, a message perhaps, may be long. */
const MANY_IN_LIST = 50;

/**
 * Maps with more entries are encoded in stretches. Those that replies hold have small values, and entry by
 * entry they take twice the time: 0.8 in place of 0.4 µs.
 */
const MANY_IN_MAP = 5000;

/** Entries of a list that are encoded together at first, until their length is known. */
const FIRST_ENTRIES = 8;

/** Length of what is encoded together, UTF-16 units: 0.1 ms or so. */
const TOGETHER = 32 * 1024;

/** Text that becomes bytes at once. */
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
 * The fields of a reply as JSON, each with a comma before it; long lists and maps entry by entry, in
 * stretches.
 * @throws ApiError 400 where it is longer than any reply may be
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

/** JSON text that becomes bytes piece by piece. */
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
