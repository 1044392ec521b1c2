/**
 * Files and pictures beside a Slack export. Slack itself leaves them out and gives addresses; tools that fetch them
 * write `__uploads/FILE/NAME` and `__avatars/USER/NAME`.
 */
import { join } from 'node:path';
import { readdirSync } from '../../../platform/files.js';
import type { AttachmentDocument } from '../../../../schemas/uploads/uploads.js';
import { isLitter } from '../leftovers.js';
import { ArchivePictures, giveAvatar } from '../stored-files.js';
import { ArchiveUploads } from '../uploads.js';
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
export class SlackUploads extends ArchiveUploads {
  /** Ids there of all that messages have. */
  private readonly shared = new Set<string>();

  constructor(
    private readonly archive: ImportJob,
    target: ImportTarget,
  ) {
    super(archive, target);
  }

  /** Whether a message has a file, by its id there: it was taken, or noted as too large. */
  has(id: string): boolean {
    return this.shared.has(id);
  }

  /** Stores a file where no former message had it. @returns undefined where it is not in the archive */
  async take({ row, userId, timestamp }: SharedFile): Promise<AttachmentDocument | undefined> {
    const id = text(row, 'id');
    this.shared.add(id);
    const place = onlyFileOf(this.archive.folder, '__uploads', id);
    if (place === null) return undefined;
    return this.store({ id, place, name: fileName(row), userId, timestamp });
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
      if (!(await giveAvatar(target, pictures, user, { place, owner: id }))) continue;
    }
    count += 1;
  }
  return count;
}

/** The file in the folder of an id, the first where it has several; null where there is none. */
function onlyFileOf(folder: string, kind: '__uploads' | '__avatars', id: string): string | null {
  if (!ID.test(id)) return null;
  try {
    const [name] = readdirSync(join(folder, kind, id))
      .filter((one) => !isLitter(one))
      .sort();
    return name === undefined ? null : `${kind}/${id}/${name}`;
  } catch {
    return null;
  }
}
