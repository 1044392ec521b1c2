/**
 * Files that MongoDB keeps in pieces (GridFS: https://github.com/mongodb/specifications/blob/master/source/gridfs): they
 * are put together in a folder, where the import takes them as files of an archive.
 */
import { join } from 'node:path';
import { mkdir, open } from '../../../platform/files.js';
import { plainFile } from '../plain-files.js';
import { bsonRows, idIn } from './bson-rows.js';

/** Where a row does not say it, bytes: what GridFS and Rocket.Chat use. */
const PIECE = 255 * 1024;

/** The name of a file in the folder, by its id there. */
export function gridName(id: string): string {
  return `file-${encodeURIComponent(id)}`;
}

/**
 * Puts the files of a bucket together. Memory holds one piece.
 * @param bucket name of its collections, without `.files` and `.chunks`
 * @returns ids of the files that are there
 */
export async function takeGridFiles(
  folder: string,
  bucket: string,
  into: string,
): Promise<ReadonlySet<string>> {
  const taken = new Set<string>();
  const [list, pieces] = ['files', 'chunks'].map((kind) => join(folder, `${bucket}.${kind}.bson`));
  if (!(await plainFile(pieces!))) return taken;
  await mkdir(into, { recursive: true, mode: 0o700 });
  const sizes = new Map<string, number>();
  if (await plainFile(list!)) {
    for await (const { row } of bsonRows(list!)) {
      const size = Number(row['chunkSize']);
      if (size > 0 && size !== PIECE) sizes.set(idIn(row), size);
    }
  }
  for await (const { row } of bsonRows(pieces!)) {
    const [id, data, n] = [idIn(row, 'files_id'), row['data'], Number(row['n'])];
    if (!Buffer.isBuffer(data) || !(n >= 0)) continue;
    // Pieces may come in any order.
    const handle = await open(join(into, gridName(id)), taken.has(id) ? 'r+' : 'w');
    try {
      await handle.write(data, 0, data.length, n * (sizes.get(id) ?? PIECE));
    } finally {
      await handle.close();
    }
    taken.add(id);
  }
  return taken;
}
