/**
 * Reading tar archives (POSIX ustar, with the long names of GNU and of pax) as they come, an entry at a time.
 */
import { decode } from '../../services/text/decode.js';

/** Size of headers; contents are filled up to a multiple of it. Bytes. */
const BLOCK = 512;
/** Longest name that a header of its own may give, bytes: longer than any file system takes. */
const MAX_NAME = 64 * 1024;

/** A file of an archive. Its content is to be read before the next entry is asked for. */
export interface TarFile {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  readonly content: AsyncIterable<Buffer>;
}

/** The archive is none, or ends too early. */
export class ArchiveError extends Error {
  override name = 'ArchiveError';
}

/** Bytes as they come, taken in pieces of a wanted length. */
class Source {
  private rest: Buffer = Buffer.alloc(0);
  private readonly chunks: AsyncIterator<Buffer>;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.chunks = chunks[Symbol.asyncIterator]();
  }

  /** Some bytes, at least one and at most `most`. @throws ArchiveError at the end */
  async some(most: number): Promise<Buffer> {
    while (this.rest.length === 0) {
      const next = await this.chunks.next();
      if (next.done === true) throw new ArchiveError('The archive is cut short');
      this.rest = next.value;
    }
    const piece = this.rest.subarray(0, most);
    this.rest = this.rest.subarray(piece.length);
    return piece;
  }

  /** @throws ArchiveError at the end */
  async exactly(length: number): Promise<Buffer> {
    const pieces: Buffer[] = [];
    for (let left = length; left > 0;) {
      const piece = await this.some(left);
      pieces.push(piece);
      left -= piece.length;
    }
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  }
}

const FILE_TYPES = new Set(['0', '\0', '7']);

/** Types of entries that hold nothing by themselves: folders, settings for all that follows, the name of the volume. */
const EMPTY = new Set(['5', 'g', 'V', 'K']);

/**
 * The files of an archive, without folders.
 * @param leftOut called with the names of links, devices and files in other forms
 * @throws ArchiveError for what is no archive, or is cut short
 */
export async function* tarFiles(
  chunks: AsyncIterable<Buffer>,
  leftOut: (name: string) => void = () => undefined,
): AsyncGenerator<TarFile> {
  const source = new Source(chunks);
  let longName: string | null = null;
  for (;;) {
    const header = await source.exactly(BLOCK);
    if (header.every((byte) => byte === 0)) return;
    checkHeader(header);
    const size = numberIn(header.subarray(124, 136));
    const type = String.fromCharCode(header[156]!);
    if (type === 'L' || type === 'x') {
      if (size > MAX_NAME) throw new ArchiveError('A name in the archive is too long');
      const text = decode((await source.exactly(padded(size))).subarray(0, size));
      longName = type === 'L' ? text.replace(/\0.*$/s, '') : (paxPath(text) ?? longName);
      continue;
    }
    const body = new Body(source, size);
    const name = longName ?? nameIn(header);
    // Formerly folders were files whose names end so.
    const isFile = FILE_TYPES.has(type) && !name.endsWith('/');
    if (isFile) yield { name, size, content: body.read() };
    else if (!EMPTY.has(type) && !name.endsWith('/')) leftOut(name);
    if (type !== 'K') longName = null;
    await body.skip();
  }
}

/** Content of one entry. */
class Body {
  private left: number;
  private readonly padding: number;

  constructor(
    private readonly source: Source,
    size: number,
  ) {
    this.left = size;
    this.padding = padded(size) - size;
  }

  async *read(): AsyncGenerator<Buffer> {
    while (this.left > 0) {
      const piece = await this.source.some(this.left);
      this.left -= piece.length;
      yield piece;
    }
  }

  /** Passes over what nobody read. */
  async skip(): Promise<void> {
    this.left += this.padding;
    for await (const _piece of this.read());
  }
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

/** @throws ArchiveError where the sum that the header states is not its own */
function checkHeader(header: Buffer): void {
  const stated = numberIn(header.subarray(148, 156));
  let sum = 8 * 0x20;
  header.forEach((byte, place) => {
    if (place < 148 || place >= 156) sum += byte;
  });
  if (sum !== stated) throw new ArchiveError('This is no tar archive, or it is damaged');
}

/** Octal digits, or, above 8 GiB, GNU's binary number. */
function numberIn(field: Buffer): number {
  if ((field[0]! & 0x80) !== 0) return Number(field.subarray(4).readBigUInt64BE());
  return Number.parseInt(textIn(field).trim() || '0', 8);
}

function nameIn(header: Buffer): string {
  const name = textIn(header.subarray(0, 100));
  const isPosix = header.subarray(257, 262).toString('latin1') === 'ustar';
  const prefix = isPosix ? textIn(header.subarray(345, 500)) : '';
  // GNU's own form has times there, and no names.
  return prefix === '' || header[263] === 0x20 ? name : `${prefix}/${name}`;
}

function textIn(field: Buffer): string {
  const end = field.indexOf(0);
  return decode(field.subarray(0, end < 0 ? field.length : end));
}

/** The path among the records of a pax header: `LENGTH path=VALUE`, a line each. */
function paxPath(records: string): string | null {
  return /(?:^|\n)\d+ path=(.*)\n/.exec(records)?.[1] ?? null;
}
