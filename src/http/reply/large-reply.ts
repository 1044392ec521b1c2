import type { TSchema } from 'typebox';
import { MAX_REPLY_BYTES } from '../../../schemas/limits.js';
import { replyTooLong } from '../../errors/index.js';
import { EventLoopYield, mapInStretches } from '../../turns/event-loop-yield.js';
import type { Account } from '../../turns/fair-queue.js';
import type { Reply } from '../../resources/kernel/route.js';

/*
 * Encodes replies that may be long as JSON, in stretches between which the event loop serves others.
 */

/** Lists with more entries are encoded asynchronously: an entry, a message perhaps, may be long. */
const MANY_IN_LIST = 50;

/** Maps of texts and numbers with more entries are, too; of objects as lists. */
const MANY_SMALL_IN_MAP = 5000;

/** Entries of a list that are encoded together first, until their length is known. */
const FIRST_ENTRIES = 8;

/** Length of text that is encoded together, UTF-16 units: about 0.1 ms. */
export const TOGETHER = 32 * 1024;

/** Length of text that is converted to bytes at once, UTF-16 units. */
const PIECE_LENGTH = 64 * 1024;

/** Whether a reply may take long to encode: one of its fields is a long list or map. */
export function isLargeReply(reply: Reply, long: readonly string[] | null): boolean {
  // Names of a fresh object cost more than its encoding does.
  for (const name of long ?? Object.keys(reply)) {
    const value = reply[name];
    if (typeof value === 'object' && value !== null && hasMany(value)) return true;
  }
  return false;
}

/**
 * Names of the fields of a reply that may be lists or maps, by its schema; null where that does not name its fields.
 */
export function longFields(response: TSchema): readonly string[] | null {
  const { properties } = response as { properties?: Record<string, TSchema> };
  if (properties === undefined) return null;
  return Object.keys(properties).filter((name) => !isScalar(properties[name]!));
}

function isScalar(schema: TSchema): boolean {
  const { type, anyOf, const: value } = schema as ScalarSchema;
  if (anyOf !== undefined) return anyOf.every(isScalar);
  return SCALARS.has(type) || (value !== undefined && typeof value !== 'object');
}

interface ScalarSchema {
  readonly type?: string;
  readonly anyOf?: readonly TSchema[];
  readonly const?: unknown;
}

const SCALARS: ReadonlySet<string | undefined> = new Set([
  'string',
  'number',
  'integer',
  'boolean',
  'null',
]);

function hasMany(value: object): boolean {
  if (Array.isArray(value)) return value.length > MANY_IN_LIST;
  let entries = 0;
  let most = 0;
  for (const name in value) {
    // The values of a map are alike.
    if (entries === 0) most = manyLike((value as Record<string, unknown>)[name]);
    if ((entries += 1) > most) return true;
  }
  return false;
}

function manyLike(value: unknown): number {
  return typeof value === 'object' ? MANY_IN_LIST : MANY_SMALL_IN_MAP;
}

/**
 * Encodes the fields of a reply as JSON, each with a comma before it; long lists and maps entry by entry,
 * with yields to the event loop.
 * @param account whose reply it is
 * @throws ApiError 400 for a reply longer than any may be
 */
export async function encodeYielding(reply: Reply, account: Account): Promise<Buffer[]> {
  const text = new ReplyText(account);
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

/** Converts JSON text to bytes, with yields to the event loop. @throws ApiError 400 as `encodeYielding` */
export async function encodeTexts(parts: readonly string[], account: Account): Promise<Buffer[]> {
  const text = new ReplyText(account);
  for (const part of parts) {
    text.add(part);
    if (text.pause.isDue) await text.pause.take();
  }
  return text.end();
}

/** Makes bytes of the pieces that are text, with yields to the event loop. */
export function encodePieces(
  pieces: readonly (Buffer | string)[],
  account: Account,
): Promise<Buffer[]> {
  const bytes = (piece: Buffer | string): Buffer =>
    typeof piece === 'string' ? Buffer.from(piece) : piece;
  return mapInStretches(pieces, bytes, account);
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
  const names = Object.keys(map);
  let separator = '';
  let together = FIRST_ENTRIES;
  for (let from = 0; from < names.length;) {
    const part = names.slice(from, from + together);
    const encoded = JSON.stringify(partOf(map, part));
    if (encoded !== '{}') {
      text.add(`${separator}${encoded.slice(1, -1)}`);
      separator = ',';
    }
    from += part.length;
    together = Math.max(1, Math.floor((TOGETHER * part.length) / encoded.length));
    if (text.pause.isDue) await text.pause.take();
  }
  text.add('}');
}

/** Without a prototype, so that a member may be called `__proto__`. */
function partOf(map: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const part = Object.create(null) as Record<string, unknown>;
  for (const name of names) part[name] = map[name];
  return part;
}

/** ReplyText collects JSON text and converts it to bytes in parts. */
class ReplyText {
  readonly pause: EventLoopYield;
  private readonly pieces: Buffer[] = [];
  private pending = '';
  private bytes = 0;

  constructor(account: Account) {
    this.pause = EventLoopYield.of(account);
  }

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
