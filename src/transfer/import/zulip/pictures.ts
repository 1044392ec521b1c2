/** Pictures of a Zulip export: of custom emoji, of people and of the organization, each with a list of its files. */
import { join } from 'node:path';
import { existsSync } from '../../../platform/files.js';
import type { RealmImage } from '../../../organization/realm/realm-images.js';
import { changeRealmImage } from '../../../organization/realm/realm-images.js';
import { changeAvatar } from '../../../organization/users/avatar-change.js';
import type { ImportJob } from '../import-job.js';
import type { ImportTarget } from '../import-target.js';
import { rowsOf, type JsonRow } from '../json-rows.js';
import { ArchivePictures } from '../stored-files.js';
import { emojiRows, type EmojiPictures } from './realm-things.js';
import { integer, integerOrNull, textIn, type RealmFile } from './realm-file.js';

/** Exports have a picture as it was uploaded, and as it was made smaller. */
const ORIGINAL = '.original';

/** Pictures between two lines for the operator: some seconds of work. */
const TOLD_EACH = 500;

/** Stores the pictures of custom emoji, before the emoji are there. */
export async function takeEmojiPictures(job: ImportJob, file: RealmFile): Promise<EmojiPictures> {
  const places = await placesIn(job.folder, 'emoji', (row) => {
    return textIn(row, 'file_name').replace(ORIGINAL, '');
  });
  const pictures = new ArchivePictures(job);
  const made = new Map<number, { file: string; animated: boolean }>();
  for (const row of emojiRows(file, job.omissions)) {
    const id = integer(row, 'id');
    const name = textIn(row, 'file_name');
    const picture = await pictures.emoji(places.get(name) ?? `emoji/${name}`, id);
    if (picture) made.set(id, picture);
  }
  return made;
}

/** Stores the pictures that people uploaded; users who have one here keep it. @returns how many there are */
export async function takeAvatars(
  job: ImportJob,
  target: ImportTarget,
  file: RealmFile,
): Promise<number> {
  const { org } = target;
  const places = await placesIn(job.folder, 'avatars', (row) => {
    return String(integerOrNull(row, 'user_profile_id'));
  });
  const pictures = new ArchivePictures(job);
  const rows = ['zerver_userprofile', 'zerver_userprofile_mirrordummy'] as const;
  let count = 0;
  for (const row of rows.flatMap((table) => file.rows(table))) {
    if (textIn(row, 'avatar_source') !== 'U') continue;
    const user = org.users.get(integer(row, 'id'))!;
    if (user.avatar_file === undefined) {
      const id = String(user.user_id);
      const name = await pictures.avatar(places.get(id) ?? `avatars of ${user.full_name}`, id);
      if (name === null) continue;
      await target.write(target.transact((tx) => changeAvatar(tx, user, name, nothing)));
    }
    count += 1;
    if (count % TOLD_EACH === 0) job.report(`${count} pictures of people`);
  }
  return count;
}

const REALM_IMAGES: readonly RealmImage[] = ['icon', 'logo', 'night_logo'];

/** Stores the organization's icon and logos. */
export async function takeRealmImages(
  job: ImportJob,
  target: ImportTarget,
  file: RealmFile,
): Promise<void> {
  const [realm] = file.rows('zerver_realm');
  const places = await placesIn(job.folder, 'realm_icons', (row) => {
    return /([a-z_]+)\.[a-z]+$/.exec(textIn(row, 'path'))?.[1] ?? '';
  });
  const pictures = new ArchivePictures(job);
  for (const image of REALM_IMAGES) {
    const isKept = target.org.realm.current[`${image}_file`] !== undefined;
    if (isKept || textIn(realm!, `${image}_source`) !== 'U') continue;
    const name = await pictures.realmImage(places.get(image) ?? `realm_icons/${image}`, image);
    if (name === null) continue;
    await target.write(target.transact((tx) => changeRealmImage(tx, image, name, nothing)));
  }
}

/** Nothing has a former picture. */
function nothing(): void {}

/**
 * Places of pictures in the archive, by what they show; that of the original, if the archive has it.
 * @param keyOf what the picture of a file shows
 */
async function placesIn(
  folder: string,
  kind: 'emoji' | 'avatars' | 'realm_icons',
  keyOf: (row: JsonRow) => string,
): Promise<Map<string, string>> {
  const places = new Map<string, string>();
  const list = join(folder, kind, 'records.json');
  if (!existsSync(list)) return places;
  for await (const { row } of rowsOf(list)) {
    const path = textIn(row, 'path') || textIn(row, 's3_path');
    const key = keyOf(row);
    if (path.endsWith(ORIGINAL) || !places.has(key)) places.set(key, `${kind}/${path}`);
  }
  return places;
}
