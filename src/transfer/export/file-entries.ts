/** Uploaded files and pictures of a Zulip export: each kind in its folder, with a list of its files. */
import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { RealmImage } from '../../organization/realm/realm-images.js';
import { realmImageKey } from '../../organization/realm/realm-images.js';
import type { Organization } from '../../organization/state/organization.js';
import { attachmentKey, REALM_ID } from '../../organization/uploads/attachments.js';
import { avatarKeys } from '../../organization/users/avatar-change.js';
import { customEmojiFiles, customEmojiKey } from '../../organization/views/custom-emoji-view.js';
import type { BlobStore } from '../../services/blob-store.js';
import type { TarEntry } from './tar-writer.js';

/** A file with its place in its folder, and what the list says of it. */
interface Listed {
  readonly key: string;
  readonly path: string;
  readonly said: Readonly<Record<string, unknown>>;
}

const realm_id = REALM_ID;
const IMAGES: readonly RealmImage[] = ['icon', 'logo', 'night_logo'];

/**
 * Files with their lists, one at a time.
 * @param gone is told of those that are not there any more
 */
export async function* fileEntries(
  org: Organization,
  blobs: Pick<BlobStore, 'get'>,
  gone: (path: string) => void,
): AsyncGenerator<TarEntry> {
  const kinds: readonly [folder: string, files: Iterable<Listed>][] = [
    ['uploads', uploads(org)],
    ['avatars', avatars(org)],
    ['emoji', emoji(org)],
    ['realm_icons', images(org)],
  ];
  for (const [folder, files] of kinds) {
    const records: Record<string, unknown>[] = [];
    for (const { key, path, said } of files) {
      const data = await blobs.get(key);
      if (!data) {
        gone(`${folder}/${path}`);
        continue;
      }
      yield { name: `${folder}/${path}`, content: [data] };
      records.push({ realm_id, path, s3_path: path, size: data.length, ...said });
    }
    yield { name: `${folder}/records.json`, content: [Buffer.from(JSON.stringify(records))] };
  }
}

function* uploads({ attachments, users }: Organization): Generator<Listed> {
  for (const file of attachments.values()) {
    const owner = users.get(file.user_id);
    const said = { ...personIn(owner), content_type: file.image?.content_type ?? null };
    yield { key: attachmentKey(file), path: file.path_id, said };
  }
}

/** The picture as large as it is kept is what the others are made of. */
function* avatars({ users }: Organization): Generator<Listed> {
  for (const user of users.values()) {
    if (user.avatar_file === undefined) continue;
    const { normal, medium } = avatarKeys(user.avatar_file);
    const said = { ...personIn(user), avatar_version: user.avatar_version };
    const stem = `${REALM_ID}/${user.user_id}`;
    yield { key: medium, path: `${stem}.original`, said };
    yield { key: normal, path: `${stem}.png`, said };
    yield { key: medium, path: `${stem}-medium.png`, said };
  }
}

function personIn(user: UserDocument | undefined): Record<string, unknown> {
  return { user_profile_id: user?.user_id ?? null, user_profile_email: user?.email ?? null };
}

function* emoji({ customEmoji }: Organization): Generator<Listed> {
  for (const one of customEmoji.values()) {
    const { picture, still } = customEmojiFiles(one);
    const file_name = `${one.id}.${picture.split('.').at(-1)!}`;
    const said = { file_name, name: one.name, author: one.author_id, deactivated: one.deactivated };
    const folder = `${REALM_ID}/emoji/images`;
    for (const path of [`${folder}/${file_name}`, `${folder}/${file_name}.original`]) {
      yield { key: customEmojiKey(picture), path, said };
    }
    if (still === null) continue;
    const path = `${folder}/still/${one.id}.png`;
    yield { key: customEmojiKey(still), path, said: { ...said, file_name: `still/${one.id}.png` } };
  }
}

function* images({ realm }: Organization): Generator<Listed> {
  for (const image of IMAGES) {
    const file = realm.current[`${image}_file`];
    if (file === undefined) continue;
    for (const path of [`${image}.original`, `${image}.png`]) {
      yield { key: realmImageKey(file), path: `${REALM_ID}/realm/${path}`, said: {} };
    }
  }
}
