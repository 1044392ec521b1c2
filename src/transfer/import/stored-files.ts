/** Files and pictures of an archive as they are kept here. */
import { createHash } from 'node:crypto';
import { readFile } from '../../platform/files.js';
import {
  MAX_AVATAR_FILE_SIZE_MIB,
  MAX_EMOJI_FILE_SIZE_MIB,
  MAX_ICON_FILE_SIZE_MIB,
  MAX_LOGO_FILE_SIZE_MIB,
} from '../../../schemas/limits.js';
import type { CustomEmojiDocument } from '../../../schemas/realm/custom-emoji.js';
import type { AttachmentDocument } from '../../../schemas/uploads/uploads.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { ApiError } from '../../errors/index.js';
import { realmImageKey, type RealmImage } from '../../organization/realm/realm-images.js';
import type { Organization } from '../../organization/state/organization.js';
import { mayHaveThumbnails } from '../../organization/uploads/media.js';
import { avatarKeys, changeAvatar } from '../../organization/users/avatar-change.js';
import { customEmojiFiles, customEmojiKey } from '../../organization/views/custom-emoji-view.js';
import { fileIn } from './archive.js';
import type { ImportJob } from './import-job.js';
import type { ImportTarget } from './import-target.js';

const MIB = 1024 * 1024;

/** A file is in memory while it is copied; files above the limit of uploads are left out. Bytes. */
export const MAX_FILE = 256 * MIB;

/** Adds a file that is stored; of a picture the server makes thumbnails when it has started. */
export function addImportedFile(
  { attachments }: Organization,
  file: Omit<AttachmentDocument, 'image'>,
): AttachmentDocument {
  const isPicture = mayHaveThumbnails(file.name);
  return attachments.insert({ ...file, ...(isPicture ? { image: { state: 'pending' } } : {}) });
}

/** Adds a custom emoji without an author, unless its picture is missing or no picture; that is counted. */
export async function addEmoji(
  target: ImportTarget,
  pictures: ArchivePictures,
  name: string,
  place: string,
): Promise<void> {
  const id = target.org.counters.last('custom_emoji') + 1;
  const made = await pictures.emoji(place, id);
  if (!made) return;
  const writes = target.transact(({ org }) => {
    org.counters.skip('custom_emoji', id);
    org.customEmoji.insert({ id, name, author_id: null, deactivated: false, ...made });
  });
  await target.write(writes);
}

/** Gives people their picture, unless they have one. @param owner names them there. @returns whether they have one */
export async function giveAvatar(
  target: ImportTarget,
  pictures: ArchivePictures,
  user: UserDocument,
  { place, owner }: { readonly place: string; readonly owner: string },
): Promise<boolean> {
  if (user.avatar_file !== undefined) return true;
  const file = await pictures.avatar(place, owner);
  if (file === null) return false;
  await target.write(target.transact((tx) => changeAvatar(tx, user, file, () => undefined)));
  return true;
}

/** The key under which pictures wait for their turn: an import processes one at a time, and nobody else waits. */
const NOBODY = 0;

/**
 * Makes of the archive's pictures what uploads become here, and stores it. Names come from what is in the picture and
 * whose it is, so an import that is repeated writes the same files. A picture that is missing, too large or none is
 * null, and is counted.
 */
export class ArchivePictures {
  constructor(
    private readonly job: Pick<ImportJob, 'folder' | 'blobs' | 'pictures' | 'omissions'>,
  ) {}

  /** @param place of the file in the archive. @param owner whose it is. @returns the name of its files */
  avatar(place: string, owner: string): Promise<string | null> {
    return this.made('pictures of people', place, MAX_AVATAR_FILE_SIZE_MIB, async (data) => {
      const { normal, medium } = await this.job.pictures.avatar(data, NOBODY);
      const name = nameOf(`avatar ${owner}`, data);
      const keys = avatarKeys(name);
      await this.job.blobs.put(keys.normal, normal);
      await this.job.blobs.put(keys.medium, medium);
      return name;
    });
  }

  /** @param id of the emoji */
  emoji(place: string, id: number): Promise<Pick<CustomEmojiDocument, 'file' | 'animated'> | null> {
    return this.made('custom emoji', place, MAX_EMOJI_FILE_SIZE_MIB, async (data) => {
      const { picture, still } = await this.job.pictures.emoji(data, NOBODY);
      const made = { file: nameOf(`emoji ${id}`, data), animated: still !== null };
      const files = customEmojiFiles(made);
      await this.job.blobs.put(customEmojiKey(files.picture), picture);
      if (still) await this.job.blobs.put(customEmojiKey(files.still!), still);
      return made;
    });
  }

  /** @returns the name of the file */
  realmImage(place: string, image: RealmImage): Promise<string | null> {
    const kind = image === 'icon' ? 'icon' : 'logo';
    const limit = kind === 'icon' ? MAX_ICON_FILE_SIZE_MIB : MAX_LOGO_FILE_SIZE_MIB;
    return this.made('pictures of the organization', place, limit, async (data) => {
      const name = nameOf(image, data);
      await this.job.blobs.put(realmImageKey(name), await this.job.pictures[kind](data, NOBODY));
      return name;
    });
  }

  private async made<T>(
    what: string,
    place: string,
    limitMib: number,
    make: (data: Buffer) => Promise<T>,
  ): Promise<T | null> {
    const { folder, omissions } = this.job;
    const file = await fileIn(folder, place, limitMib * MIB);
    if (file !== null) {
      try {
        return await make(await readFile(file));
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
    }
    omissions.add(`${what} that are missing, above ${limitMib} MiB, or no pictures`, place);
    return null;
  }
}

function nameOf(owner: string, data: Buffer): string {
  return createHash('sha256').update(`${owner}\0`).update(data).digest('hex').slice(0, 32);
}
