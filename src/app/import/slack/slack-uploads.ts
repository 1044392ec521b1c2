/**
 * Files and pictures beside a Slack export. Slack itself leaves them out and gives addresses; tools that fetch them
 * write `__uploads/FILE/NAME` and `__avatars/USER/NAME`.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readdirSync, readFile } from '../../../platform/files.js';
import type { AttachmentDocument } from '../../../../schemas/uploads/uploads.js';
import {
  attachmentKey,
  REALM_ID,
  sanitizedName,
} from '../../../organization/uploads/attachments.js';
import { changeAvatar } from '../../../organization/users/avatar-change.js';
import { checksumOfFile } from '../../../services/file-checksum.js';
import type { Write } from '../../../store/port.js';
import { fileIn } from '../archive.js';
import { ArchivePictures, MAX_FILE, addImportedFile } from '../stored-files.js';
import type { ImportJob } from '../import-job.js';
import type { ImportTarget } from '../import-target.js';
import type { JsonRow } from '../json-rows.js';
import type { SlackPeople } from './slack-people.js';
import { text } from './slack-files.js';

/** Ids of Slack. */
const ID = /^[A-Z0-9]{2,30}$/;

/** A file with the message that it is in. */
export interface SharedFile {
  readonly row: JsonRow;
  readonly userId: number;
  /** UNIX seconds. */
  readonly timestamp: number;
}

/** Takes files that are in the archive. */
export class SlackUploads {
  /** Numbers here, by ids there. */
  private readonly taken = new Map<string, number>();
  /** Ids there of all that messages have. */
  private readonly shared = new Set<string>();
  /** Messages that link files, since this was last written; by file. */
  private waiting = new Map<number, number[]>();

  constructor(
    private readonly job: ImportJob,
    private readonly target: ImportTarget,
  ) {}

  /** Files that were taken. */
  get count(): number {
    return this.target.org.attachments.size;
  }

  /** Whether a message has a file, by its id there: it was taken, or noted as too large. */
  has(id: string): boolean {
    return this.shared.has(id);
  }

  /** Stores a file where no former message had it. @returns undefined where it is not in the archive */
  async take({ row, userId, timestamp }: SharedFile): Promise<AttachmentDocument | undefined> {
    const id = text(row, 'id');
    const { attachments } = this.target.org;
    this.shared.add(id);
    const known = this.taken.get(id);
    if (known !== undefined) return attachments.get(known);
    const { folder, blobs, omissions } = this.job;
    const place = onlyFileOf(folder, '__uploads', id);
    if (place === null) return undefined;
    const name = fileName(row);
    const path = await fileIn(folder, place, MAX_FILE);
    if (path === null) {
      omissions.add(`files above ${MAX_FILE} bytes`, name);
      return undefined;
    }
    const data = await readFile(path);
    // The same at each attempt, and known to nobody who does not have the file.
    const hash = createHash('sha256').update(`${id}\0`).update(data).digest('hex');
    const path_id = `${REALM_ID}/${hash.slice(0, 2)}/${hash.slice(2, 34)}/${sanitizedName(name)}`;
    if (!attachments.byPath(path_id)) {
      await blobs.put(attachmentKey({ path_id }), data);
      const sha256 = await checksumOfFile(data);
      const said = { name, path_id, user_id: userId, create_time: timestamp };
      const file = { ...said, size: data.length, sha256 };
      const writes = this.target.transact(({ org }) => {
        addImportedFile(org, { id: org.counters.next('attachment'), ...file, message_ids: [] });
      });
      await this.target.write(writes);
    }
    const stored = attachments.byPath(path_id)!;
    this.taken.set(id, stored.id);
    return stored;
  }

  /** Notes which files a message links. */
  link(messageId: number, files: readonly number[]): void {
    for (const id of files) {
      const list = this.waiting.get(id) ?? [];
      if (list.length === 0) this.waiting.set(id, list);
      list.push(messageId);
    }
  }

  /** What is to be written of the links that were noted. */
  linked(): readonly Write[] {
    const { waiting } = this;
    this.waiting = new Map();
    return this.target.transact(({ org }) => {
      for (const [id, messages] of waiting) {
        const former = org.attachments.get(id)!.message_ids;
        const message_ids = [...new Set([...former, ...messages])].sort((a, b) => a - b);
        org.attachments.update(id, { message_ids });
      }
    });
  }
}

/** Name of a file that a message has. */
export function fileName(row: JsonRow): string {
  return text(row, 'name') || text(row, 'title') || 'file';
}

/** Stores the pictures of people that are there; of the others it says that they are not. @returns how many */
export async function takeAvatars(
  job: ImportJob,
  target: ImportTarget,
  people: SlackPeople,
): Promise<number> {
  const { org } = target;
  const pictures = new ArchivePictures(job);
  let count = 0;
  for (const row of people.users) {
    const id = text(row, 'id');
    const user = org.users.get(people.userIds.get(id)!)!;
    if (user.avatar_file === undefined) {
      const place = onlyFileOf(job.folder, '__avatars', id);
      if (place === null) {
        const profile = (row['profile'] ?? {}) as JsonRow;
        if (text(profile, 'image_original') !== '') {
          job.omissions.add('pictures of people, which Slack keeps', user.full_name);
        }
        continue;
      }
      const name = await pictures.avatar(place, id);
      if (name === null) continue;
      await target.write(target.transact((tx) => changeAvatar(tx, user, name, () => undefined)));
    }
    count += 1;
  }
  return count;
}

/** The file in the folder of an id; null where there is none. */
function onlyFileOf(folder: string, kind: '__uploads' | '__avatars', id: string): string | null {
  if (!ID.test(id)) return null;
  try {
    const [name] = readdirSync(join(folder, kind, id)).sort();
    return name === undefined ? null : `${kind}/${id}/${name}`;
  } catch {
    return null;
  }
}
