/** Rows of the files that MongoDB's mongodump writes: documents of BSON, one after another (https://bsonspec.org). */
import { deserialize, ObjectId } from 'bson';
import { createReadStream } from '../../../platform/files.js';
import type { JsonRow } from '../json-rows.js';
import { assertPlain } from '../plain-files.js';
import { ArchiveError } from '../tar.js';

/** MongoDB keeps documents of 16 MiB, and its own a little above. */
const MAX_ROW = 17 * 1024 * 1024;

/** Bytes of an empty document: its length, and the zero at its end. */
const MIN_ROW = 5;

/** A document with where it is in the file. */
export interface BsonRow {
  readonly row: JsonRow;
  readonly from: number;
  readonly length: number;
}

/** Yields the documents of a file; memory holds one, and what was read with it. @throws ArchiveError */
export async function* bsonRows(path: string): AsyncGenerator<BsonRow> {
  await assertPlain(path);
  let rest: Buffer = Buffer.alloc(0);
  let from = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    rest = rest.length === 0 ? (chunk as Buffer) : Buffer.concat([rest, chunk as Buffer]);
    for (;;) {
      const length = rest.length >= 4 ? rest.readInt32LE() : MIN_ROW;
      if (length < MIN_ROW || length > MAX_ROW) throw fault(path);
      if (rest.length < Math.max(4, length)) break;
      yield { row: documentIn(rest.subarray(0, length), path), from, length };
      rest = rest.subarray(length);
      from += length;
    }
  }
  if (rest.length > 0) throw new ArchiveError(`${path} is cut short`);
}

/** @throws ArchiveError */
export function documentIn(bytes: Buffer, path: string): JsonRow {
  try {
    return deserialize(bytes, { promoteBuffers: true });
  } catch {
    throw fault(path);
  }
}

function fault(path: string): ArchiveError {
  return new ArchiveError(`${path} is no file of BSON as mongodump writes it, or it is damaged`);
}

/** The id of a document as text, whatever kind it is. */
export function idIn(row: JsonRow, field = '_id'): string {
  const id = row[field];
  if (typeof id === 'string') return id;
  if (id instanceof ObjectId) return id.toHexString();
  return typeof id === 'number' ? String(id) : '';
}

/** Milliseconds since 1970; 0 where there is no date. */
export function timeIn(row: JsonRow, field: string): number {
  const value = row[field];
  const time = value instanceof Date ? value.getTime() : 0;
  return time > 0 ? time : 0;
}
