/**
 * Files and pictures beside a Slack export. Slack itself leaves them out and gives addresses; tools that fetch them
 * write `__uploads/FILE/NAME` and `__avatars/USER/NAME`.
 */
import { join } from 'node:path';
import { readdirSync } from '../../../platform/files.js';
import { unusedFence } from '../../../organization/messages/message-markup.js';
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

/** What Slack shows of a file: its title, where that says more than the name does. */
export function shownName(row: JsonRow): string {
  const title = text(row, 'title').trim();
  const name = fileName(row);
  return title === '' || plainly(title) === plainly(name) ? name : title;
}

/** A name without what titles leave out: the kind of the file and what stands between words. */
function plainly(name: string): string {
  const stem = name.replace(/\.[\p{L}\p{N}]{1,5}$/u, '');
  return stem.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();
}

/** The beginning of a text that somebody shared as a file, which Slack shows in the chat; empty where there is none. */
export function beginning(row: JsonRow): string {
  const preview = text(row, 'preview').trimEnd();
  if (preview.trim() === '' || !TEXTS.has(text(row, 'mode'))) return '';
  const kind = text(row, 'filetype');
  const language = text(row, 'mode') === 'snippet' && kind !== 'text' ? kind : '';
  const fence = unusedFence(preview);
  return `\n${fence}${/^[\w+#-]{1,30}$/.test(language) ? language : ''}\n${preview}\n${fence}`;
}

/** Modes of files that are texts: code, and posts. */
const TEXTS = new Set(['snippet', 'post', 'space']);

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
