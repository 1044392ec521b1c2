import * as descriptors from '../../../schemas/users/avatars.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest } from '../../errors/index.js';
import { changeAvatar } from '../../organization/users/avatar-change.js';
import type { Organization } from '../../organization/state/organization.js';
import { isAdministrator } from '../../organization/access/permissions.js';
import { canSeeUser } from '../../organization/access/user-access.js';
import { avatarUrl } from '../../organization/views/user-view.js';
import { handle, handlePrepared, type AnyHandler } from '../kernel/handler.js';
import { removeBlobs, removePicture, storePicture, type PictureParts } from './picture-upload.js';
import { filesOf } from '../kernel/route.js';
import { visibleByEmail } from './users.js';

/** The caller's own picture (endpoints-users.md#user-administration). */
export function avatarHandlers(parts: PictureParts): AnyHandler[] {
  const remove = (keys: readonly string[]) => removeBlobs(parts, keys);
  return [
    handlePrepared(
      descriptors.uploadAvatar,
      async (org, request) => {
        requireMayChange(org, request.user);
        const files = filesOf(request);
        if (files.length !== 1) throw badRequest('You must upload exactly one avatar.');
        return storePicture(parts, files[0]!, request.user.user_id);
      },
      (tx, { user }, file) => {
        requireMayChange(tx.org, user);
        const changed = changeAvatar(tx, user, file, remove);
        return { avatar_url: avatarUrl(tx.org, changed) };
      },
      (file) => removePicture(parts, file),
    ),
    handle(descriptors.deleteAvatar, (tx, { user }) => {
      requireMayChange(tx.org, user);
      const changed = changeAvatar(tx, user, null, remove);
      return { avatar_url: avatarUrl(tx.org, changed) };
    }),
  ];
}

/**
 * The user that a path names by id, or by an address the viewer may know.
 * @throws ApiError `No such user`, also for one whom the viewer may not see
 */
export function userNamed(org: Organization, viewer: UserDocument, name: string): UserDocument {
  if (!/^\d{1,15}$/.test(name)) return visibleByEmail(org, viewer, name);
  const user = org.users.get(Number(name));
  if (!user || !canSeeUser(org, viewer, user)) throw badRequest('No such user');
  return user;
}

function requireMayChange(org: Organization, user: UserDocument): void {
  if (org.realm.current.avatar_changes_disabled && !isAdministrator(user)) {
    throw badRequest('Avatar changes are disabled in this organization.');
  }
}
