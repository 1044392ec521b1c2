/** Uploaded files of a Zulip export. */
import { join } from 'node:path';
import { readFile } from '../../../platform/files.js';
import { attachmentKey } from '../../../organization/uploads/attachments.js';
import { checksumOfFile } from '../../../services/file-checksum.js';
import { checkKey } from '../../../services/blob-store.js';
import { fileIn } from '../archive.js';
import { addImportedFile, MAX_FILE } from '../stored-files.js';
import type { ImportJob } from '../import-job.js';
import type { ImportTarget } from '../import-target.js';
import { rowsOf, type JsonRow } from '../json-rows.js';
import { withLongUploads } from './messages.js';
import { integer, rowsIn, secondsIn, textIn } from './realm-file.js';
import { noteFields } from './zulip-fields.js';

/** Copies uploaded files; those that are there are not copied again. @returns how many there are */
export async function takeFiles(
  { blobs, folder, omissions }: ImportJob,
  target: ImportTarget,
): Promise<number> {
  const { org } = target;
  const list = join(folder, 'attachment.json');
  let count = 0;
  let newest = 0;
  const ids = new Set<number>();
  const onStrange = (table: string): void => omissions.missStrange('attachment.json', table);
  for await (const { table, row } of rowsOf(list, { onStrange })) {
    if (table !== 'zerver_attachment') continue;
    const id = integer(row, 'id');
    if (ids.has(id)) {
      omissions.miss(`${rowsIn(table)} with the id of another`, String(id));
      continue;
    }
    ids.add(id);
    noteFields(table, row, omissions);
    const there = textIn(row, 'path_id');
    const path_id = withLongUploads(`/user_uploads/${there}`).slice('/user_uploads/'.length);
    const owner = integer(row, 'owner');
    const source = await placeOf(folder, there);
    if (!org.users.has(owner) || !isPath(path_id) || source === null) {
      omissions.add('uploaded files that are missing, too large, or have no owner', there);
      continue;
    }
    newest = Math.max(newest, id);
    count += 1;
    if (org.attachments.has(id)) continue;
    const data = await readFile(source);
    await blobs.put(attachmentKey({ path_id }), data);
    const attachment = {
      ...{ id, user_id: owner, name: textIn(row, 'file_name'), path_id, size: data.length },
      sha256: await checksumOfFile(data),
      create_time: secondsIn(row, 'create_time'),
      message_ids: messagesOf(row),
    };
    await target.write(target.transact(() => addImportedFile(org, attachment)));
  }
  await target.write(target.transact(({ org }) => org.counters.skip('attachment', newest)));
  return count;
}

/** Exports from buckets leave out the number of the organization. */
async function placeOf(folder: string, path: string): Promise<string | null> {
  const long = await fileIn(folder, `uploads/${path}`, MAX_FILE);
  return long ?? fileIn(folder, `uploads/${path.replace(/^\d+\//, '')}`, MAX_FILE);
}

function isPath(path_id: string): boolean {
  try {
    checkKey(attachmentKey({ path_id }));
    return path_id.split('/').length === 4;
  } catch {
    return false;
  }
}

function messagesOf(row: JsonRow): number[] {
  const { messages } = row;
  if (!Array.isArray(messages)) return [];
  const ids = (messages as unknown[]).filter((id): id is number => Number.isSafeInteger(id));
  return ids.sort((a, b) => a - b);
}
