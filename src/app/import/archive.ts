/** Unpacking what somebody exported elsewhere, a file at a time, into a folder. */
import { isUtf8 } from 'node:buffer';
import { dirname, join, normalize } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Entry, getFileNameLowLevel, openPromise } from 'yauzl';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdir,
  open,
  readdir,
  stat,
} from '../../platform/files.js';
import { ArchiveError, tarFiles } from './tar.js';

export { ArchiveError } from './tar.js';

/** Files of an archive: a hundred times what a large organization exports. */
const MAX_FILES = 10_000_000;

/** What the first bytes of a file say it is. */
const GZIP = 0x1f8b;
const ZIP = 0x504b;

/**
 * Unpacks a `.tar`, `.tar.gz` or `.zip` into a folder, which needs room for all of it; memory holds a piece of one
 * file. Links and devices are left out, and names that lead out of the folder are refused.
 * @throws ArchiveError
 */
export async function unpack(path: string, folder: string): Promise<void> {
  const kind = await firstBytes(path);
  if (kind === ZIP) return unpackZip(path, folder);
  const raw = createReadStream(path, { highWaterMark: 256 * 1024 });
  const chunks = kind === GZIP ? raw.pipe(createGunzip()) : raw;
  // An error of the file does not pass through the pipe by itself.
  raw.on('error', (error) => chunks.destroy(error));
  let count = 0;
  try {
    for await (const { name, content } of tarFiles(chunks)) {
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
  }
}

async function unpackZip(path: string, folder: string): Promise<void> {
  const zip = await openPromise(path).catch((cause: Error) => {
    throw new ArchiveError(`This is no zip archive, or it is damaged: ${cause.message}`, { cause });
  });
  try {
    let count = 0;
    for await (const entry of zip.eachEntry()) {
      const name = nameIn(entry);
      if (name.endsWith('/')) continue;
      count = checkCount(count);
      await write(folder, name, await zip.openReadStreamPromise(entry));
    }
  } finally {
    zip.close();
  }
}

/** The flag of an entry of a zip whose name is UTF-8 (bit 11 of its general purpose flags). */
const UTF8_FLAG = 0x800;

/** Many programs write names as UTF-8 and leave out the flag that says so; what is no UTF-8 is code page 437. */
function nameIn({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string {
  const flags = isUtf8(fileNameRaw) ? generalPurposeBitFlag | UTF8_FLAG : generalPurposeBitFlag;
  return getFileNameLowLevel(flags, fileNameRaw, extraFields, false);
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
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await pipeline(content, createWriteStream(target, { mode: 0o600 }));
}

/**
 * Where in a folder an export is: there, or in the only folder that has it.
 * @param file that every such export has
 * @throws ArchiveError where it is in none
 */
export async function rootOf(folder: string, file: string): Promise<string> {
  if (existsSync(join(folder, file))) return folder;
  const inner = (await readdir(folder)).filter((name) => existsSync(join(folder, name, file)));
  if (inner.length === 1) return join(folder, inner[0]!);
  throw new ArchiveError(`There is no ${file}: this is no such export`);
}

/**
 * A file of an unpacked archive by a name that the archive gives.
 * @returns null where there is none, it is larger, or the name leads out of the folder
 */
export async function fileIn(
  folder: string,
  place: string,
  maxBytes: number,
): Promise<string | null> {
  if (place.split('/').includes('..') || place.includes('\0')) return null;
  const file = join(folder, place);
  const found = await stat(file).catch(() => null);
  return found?.isFile() && found.size <= maxBytes ? file : null;
}

/** Whether an archive was unpacked by hand already. */
export async function isFolder(path: string): Promise<boolean> {
  return (await stat(path)).isDirectory();
}
