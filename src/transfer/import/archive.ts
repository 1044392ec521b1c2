/** Unpacking what somebody exported elsewhere, a file at a time, into a folder. */
import { dirname, join, normalize } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32, createGunzip } from 'node:zlib';
import { type Entry, openPromise } from 'yauzl';
import {
  createReadStream,
  createWriteStream,
  mkdir,
  open,
  readdir,
  realpath,
  stat,
} from '../../platform/files.js';
import { plainFile } from './plain-files.js';
import { ArchiveError, tarFiles } from './tar.js';
import { nameInZip } from './zip-names.js';

export { ArchiveError } from './tar.js';

/** Files of an archive: a hundred times what a large organization exports. */
const MAX_FILES = 10_000_000;

/**
 * How many times its own size an archive may unpack to: texts of messages shrink to a twentieth, what is all zeros to a
 * thousandth. A small archive may come to {@link ALWAYS} in any case.
 */
const MAX_RATIO = 100;
/** Bytes. */
const ALWAYS = 256 * 1024 * 1024;
/** What an entry costs beside its content, bytes: its block of the disk. */
const PER_FILE = 512;

/** The part of a zip's attributes that says what an entry is on a system of files, and what a link has there. */
const FILE_KIND = 0o170000;
const LINK = 0o120000;

/** What an archive has beside files and folders, for the operator. */
export type LeftOut = (what: string, name: string) => void;

const LINKS = 'links and devices of the archive, which an import does not follow';

/** What the first bytes of a file say it is. */
const GZIP = 0x1f8b;
const ZIP = 0x504b;

/** Counts what an archive unpacks to. */
class Room {
  private left: number;

  constructor(
    private readonly path: string,
    packed: number,
    always: number,
  ) {
    this.left = Math.max(always, MAX_RATIO * packed);
  }

  /** @throws ArchiveError */
  take(bytes: number): void {
    this.left -= bytes;
    if (this.left >= 0) return;
    throw new ArchiveError(
      `${this.path} unpacks to more than ${MAX_RATIO} times its size: if it can be trusted, unpack it yourself and ` +
        'import the folder',
    );
  }

  /** Also of what is passed over: unpacking it takes time. */
  async *through(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.take(chunk.length);
      yield chunk;
    }
  }
}

/**
 * Unpacks a `.tar`, `.tar.gz` or `.zip` into a folder, which needs room for all of it; memory holds a piece of one
 * file. Links and devices are left out; names that lead out of the folder or come twice, and files that are not as
 * their checksums say, are refused.
 * @param always bytes that any archive may unpack to
 * @throws ArchiveError
 */
export async function unpack(
  path: string,
  folder: string,
  always = ALWAYS,
  leftOut: LeftOut = () => undefined,
): Promise<void> {
  const kind = await firstBytes(path);
  const room = new Room(path, (await stat(path)).size, always);
  if (kind === ZIP) return unpackZip(path, folder, room, leftOut);
  const raw = createReadStream(path, { highWaterMark: 256 * 1024 });
  const chunks = kind === GZIP ? raw.pipe(createGunzip()) : raw;
  // An error of the file does not pass through the pipe by itself.
  raw.on('error', (error) => chunks.destroy(error));
  let count = 0;
  try {
    const links = (name: string): void => leftOut(LINKS, name);
    for await (const { name, content } of tarFiles(room.through(chunks), links)) {
      count = checkCount(count);
      await write(folder, name, Readable.from(content));
    }
  } catch (error) {
    // Nothing of it could be read as what it seemed to be.
    const isNone = error instanceof ArchiveError && count === 0 && kind !== GZIP;
    if (!isNone) throw error;
    throw new ArchiveError(`${path} is no .tar, .tar.gz or .zip archive, or it is damaged`, {
      cause: error,
    });
  } finally {
    // Whoever reads a piece at a time leaves the rest open where it ends early.
    raw.destroy();
    if (!raw.closed) await new Promise<void>((done) => raw.once('close', () => done()));
  }
}

async function unpackZip(
  path: string,
  folder: string,
  room: Room,
  leftOut: LeftOut,
): Promise<void> {
  const zip = await openPromise(path, { decodeStrings: false }).catch((cause: Error) => {
    throw new ArchiveError(`This is no zip archive, or it is damaged: ${cause.message}`, { cause });
  });
  try {
    let count = 0;
    for await (const entry of zip.eachEntry()) {
      const name = nameInZip(entry);
      room.take(PER_FILE);
      if (name.endsWith('/')) continue;
      if (((entry.externalFileAttributes >>> 16) & FILE_KIND) === LINK) {
        leftOut(LINKS, name);
        continue;
      }
      count = checkCount(count);
      const content = await zip.openReadStreamPromise(entry).catch((cause: Error) => {
        throw new ArchiveError(`${name} cannot be unpacked: ${cause.message}`, { cause });
      });
      // It may fail before anybody reads it; whoever does is told then.
      content.on('error', () => undefined);
      await write(folder, name, Readable.from(whole(entry, name, room.through(content))));
    }
  } finally {
    zip.close();
  }
}

/** What is unpacked must be what was packed: a single other bit would be another text or picture. */
async function* whole(
  { crc32: stated }: Entry,
  name: string,
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let sum = 0;
  try {
    for await (const chunk of chunks) {
      sum = crc32(chunk, sum);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof ArchiveError) throw error;
    const cause = error as Error;
    throw new ArchiveError(`${name} of the archive is damaged: ${cause.message}`, { cause });
  }
  if (sum !== stated)
    throw new ArchiveError(`${name} of the archive is damaged: its checksum is another`);
}

async function firstBytes(path: string): Promise<number> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    if (bytesRead < 2) throw new ArchiveError('The archive is empty');
    return buffer.readUInt16BE();
  } finally {
    await file.close();
  }
}

function checkCount(count: number): number {
  if (count >= MAX_FILES) throw new ArchiveError(`The archive has more than ${MAX_FILES} files`);
  return count + 1;
}

async function write(folder: string, name: string, content: Readable): Promise<void> {
  const place = normalize(name);
  if (place.startsWith('..') || place.startsWith('/') || place.includes('\0')) {
    throw new ArchiveError(`The archive has a name that leads out of its folder: ${name}`);
  }
  const target = join(folder, place);
  try {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await pipeline(content, createWriteStream(target, { mode: 0o600, flags: 'wx' }));
  } catch (error) {
    const fault = FAULTS[(error as NodeJS.ErrnoException).code ?? ''];
    if (fault === undefined) throw error;
    throw new ArchiveError(`The archive ${fault}: ${name}`, { cause: error });
  }
}

const TWICE = 'has two files, or a file and a folder, of one name';

/** What is wrong with an archive whose files find no place. */
const FAULTS: Readonly<Record<string, string>> = {
  EEXIST: TWICE,
  EISDIR: TWICE,
  ENOTDIR: TWICE,
  ENAMETOOLONG: 'has a name that is too long for this system',
};

/**
 * Where in a folder an export is: there, or in the only folder that has it. The folder itself may be a link: it is what
 * the operator named.
 * @param file that every such export has
 * @returns its path without links
 * @throws ArchiveError where it is in none
 */
export async function rootOf(folder: string, file: string): Promise<string> {
  const root = await realpath(folder);
  if (await plainFile(join(root, file))) return root;
  const inner: string[] = [];
  for (const name of await readdir(root)) {
    if (await plainFile(join(root, name, file))) inner.push(join(root, name));
  }
  if (inner.length === 1) return inner[0]!;
  throw new ArchiveError(`There is no ${file}: this is no such export`);
}

/**
 * A file of an unpacked archive by a name that the archive gives.
 * @param folder as {@link rootOf} returns it
 * @returns null where there is none, it is larger, or the name or a link leads out of the folder
 */
export async function fileIn(
  folder: string,
  place: string,
  maxBytes: number,
): Promise<string | null> {
  if (place.split('/').includes('..') || place.includes('\0')) return null;
  const file = join(folder, place);
  const found = await plainFile(file);
  return found !== null && found.size <= maxBytes ? file : null;
}

/** Whether an archive was unpacked by hand already. */
export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path)).isDirectory();
}
