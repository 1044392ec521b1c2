/**
 * The export file: JSON lines, UTF-8.
 *
 *     {"format":"parley-export","version":1,"software":"0.1.0","id":"…","exported_at":"2026-…Z",
 *      "seq":17,"history":"…","moved":false}
 *     {"collection":"user","id":"4","document":{…}}     every document, canonical
 *     {"seq":17,"entry":"…"}                            every retained journal entry, its text exact
 *     {"due":"scheduled","id":"9","at":1790000000000}   every slot of every due index
 *     {"end":true,"documents":{"user":1},"entries":1,"due":{"scheduled":1},"content":"…","sha256":"…"}
 *
 * Collections and due indexes come in the order of their names, documents, entries and slots in that of
 * the store. `content` is the SHA-256 of the lines between the first and the last, `sha256` that of all
 * before the last, each line with its newline; both hexadecimal. Two exports of the same content differ
 * in the first line and `sha256` alone.
 */
import { createHash, type Hash } from 'node:crypto';
import type { Document } from '../port.js';
import { canonicalJson } from '../checksum.js';

/** What the first line of an export calls itself. */
export const FORMAT = 'parley-export';
/** Raised when older software could not read the file rightly. */
export const VERSION = 1;

/** The file is no export, or not all or not only what was exported. */
export class ExportFileError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ExportFileError';
  }
}

/** The first line of an export. */
export type Header = {
  readonly format: typeof FORMAT;
  readonly version: number;
  /** Version of the software that made the file. */
  readonly software: string;
  /** Random; an interrupted import goes on with the file it began with. */
  readonly id: string;
  readonly exported_at: string;
  /** Position of the newest entry: the file holds what was acknowledged up to it. Absent in older files. */
  readonly seq?: number;
  /** Id of the history of the organization; null where it had none. */
  readonly history?: string | null;
  /** Whether the exported store was sealed, and the organization goes on where the file is imported. */
  readonly moved?: boolean;
};

/** How much of each kind there is. */
export type Counts = {
  readonly documents: Readonly<Record<string, number>>;
  readonly entries: number;
  readonly due: Readonly<Record<string, number>>;
};

/** The last line of an export: how much there was, and digests of it. */
export type Trailer = Counts & {
  readonly end: true;
  readonly content: string;
  readonly sha256: string;
};

/** A line in between: a document, a journal entry, or a slot of a due index. */
export type ContentRecord =
  | { readonly collection: string; readonly id: string; readonly document: Document }
  | { readonly seq: number; readonly entry: string }
  | { readonly due: string; readonly id: string; readonly at: number };

/** The line of a record, with its newline. */
export function lineOf(record: ContentRecord): string {
  if ('document' in record) {
    const { collection, id, document } = record;
    const text = canonicalJson(document);
    return `{"collection":"${collection}","id":${JSON.stringify(id)},"document":${text}}\n`;
  }
  return `${JSON.stringify(record)}\n`;
}

/** Counts records and hashes lines on their way. */
export class Tally {
  readonly #documents = new Map<string, number>();
  readonly #due = new Map<string, number>();
  #entries = 0;
  readonly #content: Hash = createHash('sha256');
  readonly #file: Hash = createHash('sha256');

  header(line: string | Buffer): void {
    this.#file.update(line);
  }

  /** Text of whole lines between header and trailer. */
  lines(text: string | Buffer): void {
    this.#content.update(text);
    this.#file.update(text);
  }

  count(record: ContentRecord): void {
    if ('document' in record) increase(this.#documents, record.collection);
    else if ('due' in record) increase(this.#due, record.due);
    else this.#entries += 1;
  }

  counts(): Counts {
    return {
      documents: Object.fromEntries(this.#documents),
      entries: this.#entries,
      due: Object.fromEntries(this.#due),
    };
  }

  /** What the trailer has to say. To be asked once. */
  trailer(): Trailer {
    return {
      end: true,
      ...this.counts(),
      content: this.#content.digest('hex'),
      sha256: this.#file.digest('hex'),
    };
  }
}

/** What an operator reads: `12 documents in 3 collections, 40 journal entries, 2 due times`. */
export function describeCounts({ documents, entries, due }: Counts): string {
  const total = (counts: Readonly<Record<string, number>>): number =>
    Object.values(counts).reduce((sum, count) => sum + count, 0);
  const collections = Object.keys(documents).length;
  return (
    `${total(documents)} documents in ${collections} collections, ` +
    `${entries} journal entries, ${total(due)} due times`
  );
}

function increase(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
