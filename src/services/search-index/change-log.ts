/** The log of what changed since the files of the index were written. A torn end is cut off. */
import { crc32 } from 'node:zlib';
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  statSync,
} from '../../platform/files.js';
import type { IndexedMessage } from './layer.js';
import { writeWhole } from './segment-writer.js';

/** One batch of changes. */
export interface LoggedBatch {
  readonly position: number;
  readonly coveredFrom: number;
  /** Null where the message is gone. */
  readonly changes: readonly (readonly [id: number, message: IndexedMessage | null])[];
}

/** The form in the file: words joined by spaces, which no word has. */
interface BatchJson {
  readonly p: number;
  readonly c: number;
  readonly m: readonly (readonly [id: number, recipient: number, sender: number, words: string])[];
  readonly r: readonly number[];
}

/** Before each batch: its length and its checksum. */
const HEAD_BYTES = 8;

/** The batches of a file, up to the first that is not whole. */
export function readLog(path: string): { batches: LoggedBatch[]; length: number } {
  const bytes = readFileSync(path);
  const batches: LoggedBatch[] = [];
  let at = 0;
  while (at + HEAD_BYTES <= bytes.length) {
    const end = at + HEAD_BYTES + bytes.readUInt32LE(at);
    const body = bytes.subarray(at + HEAD_BYTES, end);
    if (end > bytes.length || body.length === 0) break;
    if (crc32(body) !== bytes.readUInt32LE(at + 4)) break;
    batches.push(batchOf(JSON.parse(body.toString()) as BatchJson));
    at = end;
  }
  return { batches, length: at };
}

/**
 * The changes of some logs, the oldest first. Only the last one may have a torn end: the others were ended in good order.
 * @param each is told of each batch
 * @returns the length of the last one up to its torn end
 * @throws Error where another one is not whole
 */
export function readLogs(paths: readonly string[], each: (batch: LoggedBatch) => void): number {
  let whole = 0;
  for (const [place, path] of paths.entries()) {
    const { batches, length } = readLog(path);
    if (place < paths.length - 1 && length < statSync(path).size) {
      throw new Error(`${path} is damaged: a batch has another checksum`);
    }
    batches.forEach(each);
    whole = length;
  }
  return whole;
}

/** A log that is written to. */
export class ChangeLog {
  private constructor(private readonly file: number) {}

  static create(path: string): ChangeLog {
    return new ChangeLog(openSync(path, 'wx', 0o600));
  }

  /** Goes on with a file after its last whole batch. */
  static append(path: string, length: number): ChangeLog {
    const file = openSync(path, 'r+');
    ftruncateSync(file, length);
    closeSync(file);
    return new ChangeLog(openSync(path, 'a'));
  }

  write({ position, coveredFrom, changes }: LoggedBatch): void {
    const json: BatchJson = {
      p: position,
      c: coveredFrom,
      m: changes.flatMap(([id, one]) =>
        one ? [[id, one.recipient, one.sender, one.words.join(' ')] as const] : [],
      ),
      r: changes.flatMap(([id, one]) => (one ? [] : [id])),
    };
    const body = Buffer.from(JSON.stringify(json));
    const head = Buffer.alloc(HEAD_BYTES);
    head.writeUInt32LE(body.length, 0);
    head.writeUInt32LE(crc32(body), 4);
    writeWhole(this.file, Buffer.concat([head, body]));
  }

  sync(): void {
    fsyncSync(this.file);
  }

  close(): void {
    closeSync(this.file);
  }
}

function batchOf({ p, c, m, r }: BatchJson): LoggedBatch {
  return {
    position: p,
    coveredFrom: c,
    changes: [
      ...m.map(([id, recipient, sender, words]) => {
        return [id, { recipient, sender, words: words.split(' ') }] as const;
      }),
      ...r.map((id) => [id, null] as const),
    ],
  };
}
