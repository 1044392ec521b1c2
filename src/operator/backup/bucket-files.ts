/** Uploaded files in a bucket: copied into the folder of a backup, and back. */
import { dirname, join } from 'node:path';
import { mkdir, open, readdir, readFile, rename, stat } from '../../platform/files.js';
import { isKey } from '../../services/blob-store.js';
import type { ListedFile, S3BlobStore } from '../../services/s3/s3-blob-store.js';

/** End of the name of a file that is being copied. */
export const PARTIAL = '.partial';

/** Files on their way at once: enough to hide how far the bucket is, and at most so many parts in memory. */
const AT_ONCE = 8;

/**
 * Copies files that the folder lacks: their names are random, and their content never changes. What is removed from the
 * bucket meanwhile is left out. Memory holds parts of {@link AT_ONCE} files.
 * @returns how many were copied
 */
export async function copyFromBucket(bucket: S3BlobStore, folder: string): Promise<number> {
  return eachAtOnce(bucket.list(), (file) => fetchOne(bucket, file, join(folder, file.key)));
}

/** Puts files into a bucket that lacks them. @returns how many were copied */
export async function copyToBucket(folder: string, bucket: S3BlobStore): Promise<number> {
  const there = new Map<string, number>();
  for await (const { key, size } of bucket.list()) there.set(key, size);
  return eachAtOnce(filesBelow(folder), async (key) => {
    const data = await readFile(join(folder, key));
    if (there.get(key) === data.length) return false;
    await bucket.put(key, data);
    return true;
  });
}

async function fetchOne(
  bucket: S3BlobStore,
  { key, size }: ListedFile,
  target: string,
): Promise<boolean> {
  const there = await stat(target).catch(() => null);
  if (there?.size === size) return false;
  const source = await bucket.open(key, size);
  if (!source) return false;
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  const draft = `${target}${PARTIAL}`;
  const file = await open(draft, 'w', 0o600);
  try {
    for (let offset = 0; offset < size;) {
      const part = await source.read(offset, size);
      await file.write(part);
      offset += part.length;
    }
    await file.sync();
  } finally {
    await file.close();
    await source.close();
  }
  await rename(draft, target);
  return true;
}

async function* filesBelow(folder: string, above = ''): AsyncGenerator<string> {
  const entries = await readdir(join(folder, above), { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const key = above === '' ? entry.name : `${above}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(folder, key);
    else if (isKey(key) && !key.endsWith(PARTIAL)) yield key;
  }
}

/** Does work on each, some at once, until one fails. @returns how many were worked on */
async function eachAtOnce<T>(
  all: AsyncIterable<T>,
  work: (one: T) => Promise<boolean>,
): Promise<number> {
  const underWay = new Set<Promise<void>>();
  let count = 0;
  for await (const one of all) {
    const going = work(one).then((isDone) => {
      count += Number(isDone);
      underWay.delete(going);
    });
    // Reported where it is waited for.
    going.catch(() => undefined);
    underWay.add(going);
    if (underWay.size >= AT_ONCE) await Promise.race(underWay);
  }
  await Promise.all(underWay);
  return count;
}
