/**
 * Files of an unpacked export that are files themselves. Whoever made a folder may have put links in it, and would see
 * in their organization whatever the operator's account can read: an import follows none.
 */
import type { Stats } from 'node:fs';
import { lstatSync, realpath, stat } from '../../platform/files.js';
import { ArchiveError } from './tar.js';

/**
 * A file with no symbolic link on its path; null where there is none, also for devices and pipes.
 * @param path below what {@link rootOf} returns
 */
export async function plainFile(path: string): Promise<Stats | null> {
  const real = await realpath(path).catch(() => null);
  if (real !== path) return null;
  const found = await stat(path).catch(() => null);
  return found?.isFile() === true ? found : null;
}

/** As {@link plainFile}, for a file without which the import would go wrong. @throws ArchiveError */
export async function assertPlain(path: string): Promise<void> {
  if (await plainFile(path)) return;
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    throw new ArchiveError(`${path} is missing: the archive is not whole`);
  }
  throw new ArchiveError(
    `${path} is no file of its own: an import follows no symbolic links. Put what it points to in its place`,
  );
}
