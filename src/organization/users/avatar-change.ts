import type { UserDocument } from '../../../schemas/users/user-document.js';
import { avatarForm } from '../views/email-visibility.js';
import type { Transaction } from '../state/transaction.js';

/** The files of one uploaded picture, by its name (`avatar_file`). */
export function avatarKeys(file: string): { readonly normal: string; readonly medium: string } {
  return { normal: `avatars/${file}.png`, medium: `avatars/${file}-medium.png` };
}

/**
 * Gives an account another picture and tells everybody (avatar form of `realm_user`).
 *
 * @param file name of an uploaded picture whose files are stored; null for the organization's default
 * @param remove removes files that nobody names any more, once that is durable
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
  tx.emit('realm_user', { to: 'all' }, { op: 'update', person: avatarForm(org, changed) });
  if (former !== undefined) {
    const { normal, medium } = avatarKeys(former);
    tx.onceDurable(() => remove([normal, medium]));
  }
  return changed;
}
