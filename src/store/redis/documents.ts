/** How documents are kept: as JSON values where the server has them, as JSON text elsewhere. */
import { BasicCommandParser } from '@redis/client/dist/lib/client/parser.js';
import redisJson from '@redis/json';
import { checksumOf, CHECKSUM_FIELD, unsealDocument } from '../checksum.js';
import { DamagedError, type Document, type DocumentKey, type JsonValue } from '../port.js';
import type { Connection } from './connection.js';
import type { KeySpace } from './keys.js';

/** The client's commands of RedisJSON. */
const RedisJson = redisJson.default;

/** JSON values, or JSON text. */
export type DocumentFormat = 'json' | 'text';

/** Keys per command. */
const FETCH = 256;
/** Keys whose types are asked for together: each is a command with a timer of its own. */
const TYPES_AT_ONCE = 32;
/**
 * Stands before four hexadecimal digits: the half of a surrogate pair, or itself. Alone in a text and before `#`: a
 * number.
 */
const MARK = '\uffff';
const ODD_TEXT = /\uffff|\\(?:u(d[89a-f][0-9a-f]{2})|[^])/g;
const MARKED = /"\uffff#([^"]*)"|\uffff([0-9a-f]{4})/g;
/** A text, or a number that is no integer of up to 15 digits. */
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\[^])*"|-?\d+(?:\.\d+(?:e[-+]?\d+)?|e[-+]?\d+)|-?\d{16,}/g;

/**
 * A value as JSON text that the JSON commands take and give back. They refuse half a surrogate pair, which text from
 * clients may contain and JSON writes as an escape; it becomes a noncharacter and its digits. And they read one in ten
 * numbers of more than 15 digits as its neighbour; such a number becomes a text.
 */
export function toValueText(value: JsonValue): string {
  let text = JSON.stringify(value);
  if (text.includes('\\ud') || text.includes(MARK)) text = text.replace(ODD_TEXT, plainText);
  return hasInexact(value) ? text.replace(TEXT_OR_NUMBER, exactNumber) : text;
}

function plainText(found: string, half: string | undefined): string {
  if (half !== undefined) return MARK + half;
  return found === MARK ? `${MARK}ffff` : found;
}

function exactNumber(found: string): string {
  return found.startsWith('"') || isExact(Number(found)) ? found : `"${MARK}#${found}"`;
}

/** The reverse of `toValueText`: JSON text of the value. */
export function fromValueText(text: string): string {
  if (!text.includes(MARK)) return text;
  return text.replace(MARKED, (_, number: string | undefined, digits: string) => {
    if (number !== undefined) return number;
    return digits === 'ffff' ? MARK : `\\u${digits}`;
  });
}

/** Whether a value has numbers that JSON commands may read as others. */
function hasInexact(value: unknown): boolean {
  if (typeof value === 'number') return !isExact(value);
  if (typeof value !== 'object' || value === null) return false;
  for (const name in value) {
    if (hasInexact((value as Readonly<Record<string, unknown>>)[name])) return true;
  }
  return false;
}

/** Whether a number comes back as it is: it is an integer, or needs up to 15 digits and is of a usual size. */
function isExact(value: number): boolean {
  if (Number.isSafeInteger(value)) return true;
  const size = Math.abs(value);
  return size < 1e15 && size > 1e-7 && Number(value.toPrecision(15)) === value;
}

/** A document and what it takes. */
export interface FoundDocument {
  readonly document: Document;
  /** Length of its text. */
  readonly size: number;
}

/** Where documents are read, and how they are kept there. */
export interface DocumentSource {
  readonly connection: Connection;
  readonly keys: KeySpace;
  readonly format: DocumentFormat;
  /** What operators read of the store. */
  readonly description: string;
}

/**
 * Reads documents by key; null where there is none. The commands go out together.
 * @throws DamagedError for one that is not what was written, or whose key holds something of another type
 */
export async function fetchDocuments(
  source: DocumentSource,
  keys: readonly DocumentKey[],
): Promise<(FoundDocument | null)[]> {
  const { connection, format } = source;
  const names = keys.map(({ collection, id }) => source.keys.document(collection, id));
  const replies: Promise<unknown>[] = [];
  for (let from = 0; from < names.length; from += FETCH) {
    const some = names.slice(from, from + FETCH);
    replies.push(connection.send(format === 'json' ? jsonMGet(some) : ['MGET', ...some]));
  }
  const texts = ((await Promise.all(replies)) as (string | null)[][]).flat();
  await assertAbsent(
    source,
    keys.filter((_, i) => texts[i] === null),
  );
  return texts.map((text, i) => (text === null ? null : read(source, keys[i]!, text)));
}

/** What the server calls the types of the two forms. */
const TYPES: Readonly<Record<DocumentFormat, string>> = { json: 'ReJSON-RL', text: 'string' };

/**
 * Whether what was not found is not there: the commands answer alike for a key with something of another type, and,
 * while a Cluster moves the slot, `JSON.MGET` also for one that the other node has, which `TYPE` refuses.
 * @throws DamagedError for the first key of another type
 */
async function assertAbsent(
  source: DocumentSource,
  missing: readonly DocumentKey[],
): Promise<void> {
  for (let from = 0; from < missing.length; from += TYPES_AT_ONCE) {
    const some = missing.slice(from, from + TYPES_AT_ONCE);
    const asked = some.map(({ collection, id }) =>
      source.connection.send(['TYPE', source.keys.document(collection, id)]),
    );
    (await Promise.all(asked)).forEach((type, i) => {
      // One that has the type came meanwhile.
      if (type === 'none' || type === TYPES[source.format]) return;
      const { collection, id } = some[i]!;
      const problem = `its key has the type ${String(type)}`;
      throw new DamagedError(source.description, `${collection}:${id}`, problem);
    });
  }
}

/** `JSON.MGET` of whole documents, as the client makes it. */
function jsonMGet(names: string[]): string[] {
  const parser = new BasicCommandParser();
  RedisJson.MGET.parseCommand(parser, names, '$');
  return parser.redisArgs.map(String);
}

function read(source: DocumentSource, key: DocumentKey, text: string): FoundDocument {
  const found = source.format === 'json' ? readValue(key, text) : readText(key, text);
  if (typeof found !== 'string') return found;
  throw new DamagedError(source.description, `${key.collection}:${key.id}`, found);
}

const DIFFERS = 'its checksum differs';
const NO_JSON = 'it is no JSON object';

/** The document, or what is wrong with it. */
function readText(key: DocumentKey, stored: string): FoundDocument | string {
  const text = unsealDocument(key, stored);
  if (text === null) return DIFFERS;
  const document = objectFrom(() => JSON.parse(text));
  return document === null ? NO_JSON : { document, size: text.length };
}

/** The document, or what is wrong with it. A value written before there were checksums has none. */
function readValue(key: DocumentKey, reply: string): FoundDocument | string {
  const text = fromValueText(reply);
  const value = objectFrom(() => matchOf(text));
  if (value === null) return NO_JSON;
  const { [CHECKSUM_FIELD]: checksum, ...document } = value;
  if (checksum !== undefined && checksum !== checksumOf(key, document)) return DIFFERS;
  // Without the brackets of the list of matches.
  return { document, size: text.length - 2 };
}

/** The one match of a path beginning with `$`, which answers with the list of its matches. */
function matchOf(text: string): unknown {
  const [matches] = RedisJson.MGET.transformReply([text] as never);
  return (matches as unknown[])[0];
}

/** The document that is read; null where it is no JSON object. */
function objectFrom(read: () => unknown): Document | null {
  try {
    const value = read();
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Document) : null;
  } catch {
    return null;
  }
}
