/** Reading an export file: line by line, and nothing is believed before the last line was checked. */
import {
  describeCounts,
  ExportFileError,
  FORMAT,
  Tally,
  VERSION,
  type ContentRecord,
  type Header,
  type Trailer,
} from './format.js';

/** Longest line, bytes: above the largest commit of any store. */
const MAX_LINE = 256 * 1024 * 1024;
const NEWLINE = 10;

/** Takes what the file says, in its order. */
export interface Sink {
  begin(header: Header): Promise<void>;
  /** @param size length of the record's line, bytes */
  record(record: ContentRecord, size: number): Promise<void> | void;
}

/**
 * Reads a whole file.
 * @throws ExportFileError when it is no export, of a newer version, cut short, or altered
 */
export async function readExport(chunks: AsyncIterable<Buffer>, sink: Sink): Promise<Trailer> {
  const tally = new Tally();
  let number = 0;
  let trailer: Trailer | null = null;
  for await (const line of linesOf(chunks)) {
    number += 1;
    if (trailer !== null) throw new ExportFileError(`Line ${number} comes after the end`);
    const value = parse(line, number);
    if (number === 1) {
      tally.header(line);
      await sink.begin(headerFrom(value));
    } else if (value['end'] === true) {
      trailer = value as Trailer;
    } else {
      const record = recordFrom(value, number);
      tally.count(record);
      tally.lines(line);
      const taken = sink.record(record, line.length);
      if (taken !== undefined) await taken;
    }
  }
  if (trailer === null) throw new ExportFileError('The file is cut short: it has no last line');
  check(trailer, tally.trailer());
  return trailer;
}

function check(stated: Trailer, found: Trailer): void {
  const intact =
    stated.sha256 === found.sha256 &&
    stated.content === found.content &&
    stated.entries === found.entries &&
    sameCounts(stated.documents, found.documents) &&
    sameCounts(stated.due, found.due);
  if (intact) return;
  throw new ExportFileError(
    `The file was changed after the export: it has ${describeCounts(found)}, and its checksum differs`,
  );
}

function sameCounts(a: unknown, b: Readonly<Record<string, number>>): boolean {
  if (typeof a !== 'object' || a === null) return false;
  const stated = Object.entries(a);
  return stated.length === Object.keys(b).length && stated.every(([k, n]) => b[k] === n);
}

type Fields = Readonly<Record<string, unknown>>;

function parse(line: Buffer, number: number): Fields {
  let value: unknown;
  try {
    value = JSON.parse(line.toString('utf8'));
  } catch (cause) {
    throw new ExportFileError(`Line ${number} is not JSON`, { cause });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new ExportFileError(`Line ${number} is not a JSON object`);
}

function headerFrom(value: Fields): Header {
  if (value['format'] !== FORMAT) throw new ExportFileError('This is no export of Parley');
  if (value['version'] !== VERSION) {
    const shown = JSON.stringify(value['version']);
    throw new ExportFileError(`The file has version ${shown}, this software reads ${VERSION}`);
  }
  if (typeof value['id'] !== 'string') throw new ExportFileError('The first line has no id');
  return value as Header;
}

function recordFrom(value: Fields, number: number): ContentRecord {
  const { collection, id, document, seq, entry, due, at } = value;
  if (typeof collection === 'string' && typeof id === 'string' && isObject(document)) {
    return value as ContentRecord;
  }
  if (typeof seq === 'number' && typeof entry === 'string') return { seq, entry };
  if (typeof due === 'string' && typeof id === 'string' && typeof at === 'number') {
    return { due, id, at };
  }
  throw new ExportFileError(`Line ${number} is neither a document, nor an entry, nor a due time`);
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whole lines with their newlines; a last one without is as good as not there. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const rest = chunk.subarray(from, end + 1);
      yield parts.length === 0 ? rest : Buffer.concat([...parts, rest]);
      parts = [];
      length = 0;
      from = end + 1;
    }
    if (from === chunk.length) continue;
    parts.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > MAX_LINE) throw new ExportFileError('A line of the file is too long');
  }
  if (length > 0) throw new ExportFileError('The file is cut short: its last line has no end');
}
