/** Files of an unpacked archive that nothing took: whatever they hold is missing here, so the operator must hear of it. */
import { join } from 'node:path';
import { readdir } from '../../platform/files.js';
import type { Omissions } from './import-job.js';

/** What file managers leave behind. */
const LITTER = new Set(['.DS_Store', '__MACOSX', 'Thumbs.db', 'desktop.ini']);

/** Whether file managers leave a file or folder of this name behind. */
export function isLitter(name: string): boolean {
  return LITTER.has(name);
}

/**
 * Everything below a folder that is no folder, by its path there, in the order of names. What file managers leave
 * behind is passed over; links are named and not followed.
 */
export async function* filesBelow(folder: string, inner = ''): AsyncGenerator<string> {
  const entries = await readdir(join(folder, inner), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (isLitter(entry.name)) continue;
    const path = inner === '' ? entry.name : `${inner}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(folder, path);
    else yield path;
  }
}

/** What becomes of a file: it was taken, it has no meaning here (why, in the plural), or it is missing. */
export type FileFate = 'taken' | { readonly foreign: string } | { readonly missing: string };

/** Notes every file of an archive that was not taken; one that nothing knows makes the import incomplete. */
export async function noteFiles(
  folder: string,
  fateOf: (path: string) => FileFate,
  omissions: Omissions,
): Promise<void> {
  for await (const path of filesBelow(folder)) {
    const fate = fateOf(path);
    if (fate === 'taken') continue;
    if ('foreign' in fate) omissions.add(fate.foreign, path);
    else omissions.miss(fate.missing, path);
  }
}
