/** Reading large JSON files row by row: an object of tables, each a list of rows, or one list. */
import { createReadStream } from '../../platform/files.js';
import { decode } from '../../services/text/decode.js';
import { assertPlain } from './plain-files.js';
import { ArchiveError } from './tar.js';

/** Longest row, bytes: a message of the largest size with all its fields is a hundredth of it. */
const MAX_ROW = 16 * 1024 * 1024;

/** A row as the file has it; nothing of it was checked. */
export type JsonRow = Readonly<Record<string, unknown>>;

/** A row with the table that it is in; empty for the rows of a list. */
export interface TableRow {
  readonly table: string;
  readonly row: JsonRow;
}

/** How a file is read. */
export interface RowReading {
  /** Called for what stands in the place of rows and is none, with the table that it is in. */
  readonly onStrange?: (table: string) => void;
  /** Whether the whole is to be one list: an object is strange. */
  readonly isList?: boolean;
  /** Called before each row with where it is in the file: its first byte, and bytes. */
  readonly onPlace?: (from: number, length: number) => void;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);
/** What stands between values. */
const BETWEEN = new Set([...OPEN, ...CLOSE, COMMA, 0x20, 0x09, 0x0a, 0x0d]);
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;

/**
 * Yields the rows of a file, which are objects. Values beside the tables are passed over. Memory holds one row.
 * @throws ArchiveError where it is no file of its own, not JSON, ends early, or a row is too long
 */
export async function* rowsOf(path: string, reading: RowReading = {}): AsyncGenerator<TableRow> {
  await assertPlain(path);
  yield* readRows(createReadStream(path, { highWaterMark: 256 * 1024 }), path, reading);
}

/** As {@link rowsOf}, of bytes. @param name of the file, in errors */
export async function* readRows(
  chunks: AsyncIterable<Buffer>,
  name: string,
  reading: RowReading = {},
): AsyncGenerator<TableRow> {
  const scanner = new Scanner(name, reading);
  for await (const chunk of chunks) yield* scanner.take(chunk);
  scanner.end();
}

/** Finds where rows begin and end by their brackets, outside of strings. */
class Scanner {
  /** Open brackets; the first one is a list's or an object's. */
  private depth = 0;
  private inString = false;
  private escaped = false;
  private began = false;
  /** Depth inside the list of rows: 1 for a list, 2 for the tables of an object. */
  private rowDepth = 1;
  /** Whether what is open at that depth is a list. */
  private isInList = false;
  /** Whether the bytes are those of a number or a word. */
  private isInWord = false;
  /** What was read of the row, or of the name of the table. */
  private parts: Buffer[] = [];
  private length = 0;
  private table = '';
  /** Bytes of the chunks before this one, and where the row begins. */
  private passed = 0;
  private begin = 0;

  constructor(
    private readonly name: string,
    private readonly reading: RowReading,
  ) {}

  *take(chunk: Buffer): Generator<TableRow> {
    // Start of what is being collected in this chunk, or -1.
    let from = this.isCollecting ? 0 : -1;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (this.inString) {
        if (this.escaped) this.escaped = false;
        else if (byte === BACKSLASH) this.escaped = true;
        else if (byte === QUOTE) {
          this.inString = false;
          if (this.isKey) {
            this.keep(chunk.subarray(from, i + 1));
            this.table = this.parsed() as string;
            from = -1;
          }
        }
        continue;
      }
      this.noteWord(byte);
      if (byte === QUOTE) {
        this.inString = true;
        if (this.isKey) from = i;
      } else if (OPEN.has(byte)) {
        this.depth += 1;
        if (!this.began) {
          this.began = true;
          this.rowDepth = byte === OPEN_LIST ? 1 : 2;
          if (this.rowDepth === 2 && this.reading.isList === true) this.reading.onStrange?.('');
        }
        if (this.depth === this.rowDepth) {
          this.isInList = byte === OPEN_LIST;
          // A table that is no list has no rows.
          if (!this.isInList) this.reading.onStrange?.(this.table);
        } else if (this.depth === this.rowDepth + 1 && this.isInList) {
          if (byte === OPEN_OBJECT) {
            from = i;
            this.begin = this.passed + i;
          } else this.reading.onStrange?.(this.table);
        }
      } else if (CLOSE.has(byte)) {
        this.depth -= 1;
        if (this.depth === this.rowDepth && from >= 0) {
          this.keep(chunk.subarray(from, i + 1));
          from = -1;
          const row = this.parsed();
          if (typeof row === 'object' && row !== null && !Array.isArray(row)) {
            this.reading.onPlace?.(this.begin, this.passed + i + 1 - this.begin);
            yield { table: this.table, row: row as JsonRow };
          }
        }
      } else if (byte === COMMA && this.depth === 1 && this.rowDepth === 2) this.table = '';
    }
    if (from >= 0) this.keep(chunk.subarray(from));
    this.passed += chunk.length;
  }

  /** Numbers, words and texts among rows are none. */
  private noteWord(byte: number): void {
    const was = this.isInWord;
    this.isInWord = this.isInList && this.depth === this.rowDepth && !BETWEEN.has(byte);
    if (this.isInWord && !was) this.reading.onStrange?.(this.table);
  }

  /** @throws ArchiveError */
  end(): void {
    if (!this.began || this.depth !== 0 || this.inString) throw this.fault('is cut short');
  }

  /** Whether a string at this place names a table. */
  private get isKey(): boolean {
    return this.rowDepth === 2 && this.depth === 1 && this.table === '';
  }

  private get isCollecting(): boolean {
    return this.length > 0;
  }

  private keep(part: Buffer): void {
    this.length += part.length;
    if (this.length > MAX_ROW) throw this.fault(`has a row above ${MAX_ROW} bytes`);
    // The stream may use its buffer again.
    this.parts.push(Buffer.from(part));
  }

  private parsed(): unknown {
    const text = decode(Buffer.concat(this.parts));
    this.parts = [];
    this.length = 0;
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw this.fault('is not JSON');
    }
  }

  private fault(what: string): ArchiveError {
    return new ArchiveError(`${this.name} ${what}`);
  }
}
