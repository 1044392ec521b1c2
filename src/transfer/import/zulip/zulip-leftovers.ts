/** What of a Zulip export nothing took. */
import { join } from 'node:path';
import type { Omissions } from '../import-job.js';
import { rowsOf } from '../json-rows.js';
import { noteFiles, type FileFate } from '../leftovers.js';
import { plainFile } from '../plain-files.js';
import { textIn } from './realm-file.js';

/** Names of the files with messages. */
export const MESSAGES = /^messages-\d+\.json$/;

/** Files at the top that nothing here corresponds to, and why. */
const FOREIGN: Readonly<Record<string, string>> = {
  'analytics.json': 'files of statistics of the former server',
  'migration_status.json': 'files about the database of the former server',
  'stats.json': 'files about the export itself',
  // As it was called before.
  'stats.txt': 'files about the export itself',
  'consented_user_ids.json': 'files about the export itself',
};

/** Folders of pictures; each has a list of its files. */
const PICTURES = ['avatars', 'emoji', 'realm_icons'];

const TAKEN: FileFate = 'taken';

/** Notes files that no list of the export names, and that are unknown. */
export async function noteLeftovers(folder: string, omissions: Omissions): Promise<void> {
  const listed = new Set(['realm.json', 'attachment.json']);
  for await (const { row } of rowsOf(join(folder, 'attachment.json'))) {
    const path = textIn(row, 'path_id');
    // Exports from buckets leave out the number of the organization.
    listed.add(`uploads/${path}`).add(`uploads/${path.replace(/^\d+\//, '')}`);
  }
  for (const kind of [...PICTURES, 'uploads']) {
    const list = join(folder, kind, 'records.json');
    if (!(await plainFile(list))) continue;
    listed.add(`${kind}/records.json`);
    if (kind === 'uploads') continue;
    for await (const { row } of rowsOf(list)) {
      for (const field of ['path', 's3_path']) listed.add(`${kind}/${textIn(row, field)}`);
    }
  }
  await noteFiles(folder, fateOf, omissions);

  function fateOf(path: string): FileFate {
    if (listed.has(path) || MESSAGES.test(path)) return TAKEN;
    const foreign = FOREIGN[path];
    if (foreign !== undefined) return { foreign };
    if (path.startsWith('uploads/')) return { missing: 'uploaded files that no list names' };
    if (PICTURES.some((kind) => path.startsWith(`${kind}/`))) {
      return { missing: 'pictures that no list names' };
    }
    return { missing: 'files that are unknown to the import' };
  }
}
