import type { UserDocument } from '../../../schemas/users/user-document.js';
import { avatarForm, emitUserUpdate } from '../views/user-events.js';
import type { Transaction } from '../state/transaction.js';

/** Keys of an uploaded picture in the blob store, by its name (`avatar_file`). */
export function avatarKeys(file: string): { readonly normal: string; readonly medium: string } {
  return { normal: `avatars/${file}.png`, medium: `avatars/${file}-medium.png` };
}

/**
 * Changes an account's picture and emits it to everybody who sees the account (avatar form of `realm_user`).
 *
 * @param file name of a stored picture; null for the organization's default
 * @param remove removes the files of the former picture, once the change is durable
 */
export function changeAvatar(
  tx: Transaction,
  user: UserDocument,
  file: string | null,
  remove: (keys: readonly string[]) => void,
): UserDocument {
  const { org } = tx;
  const { avatar_file: former, ...rest } = user;
  const avatar_version = user.avatar_version + 1;
  const changed = org.users.insert(
    file === null
      ? { ...rest, avatar_version, avatar_source: org.realm.current.default_avatar_source }
      : { ...rest, avatar_version, avatar_source: 'U', avatar_file: file },
  );
  emitUserUpdate(tx, avatarForm(org, changed));
  if (former !== undefined) {
    const { normal, medium } = avatarKeys(former);
    tx.onceDurable(() => remove([normal, medium]));
  }
  return changed;
}
