import { MAX_REPLY_BYTES } from '../../schemas/limits.js';
import { replyTooLong } from '../errors.js';
import { EventLoopYield } from '../event-loop-yield.js';
import type { Reply } from '../resources/route.js';

/** Lists and maps with more entries are encoded in stretches. */
const MANY_ENTRIES = 50;

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
  if (Array.isArray(value)) return value.length > MANY_ENTRIES;
  let left = MANY_ENTRIES;
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
  let separator = '';
  for (const entry of list) {
    text.add(`${separator}${JSON.stringify(entry)}`);
    separator = ',';
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
