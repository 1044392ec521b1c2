import type { UserDocument } from '../../../schemas/users/user-document.js';
import { principalsOf, type LenientList } from '../../../schemas/lenient-list.js';
import { unauthorizedPrincipal } from '../../errors/index.js';
import { canSeeUser } from '../../organization/access/user-access.js';
import type { Organization } from '../../organization/state/organization.js';
import { userByEmail } from '../../organization/views/user-view.js';

/**
 * Users on whose behalf a request acts, each once: those named by id or address, or the caller where none
 * is named.
 * @throws ApiError 403 `UNAUTHORIZED_PRINCIPAL` for anybody who is not an active user whom the caller may see
 */
export function principalUsers(
  org: Organization,
  caller: UserDocument,
  principals: LenientList | undefined,
): UserDocument[] {
  const entries = principals === undefined ? [] : principalsOf(principals);
  if (entries.length === 0) return [caller];
  return [...new Set(entries.map((entry) => principalUser(org, caller, entry)))];
}

function principalUser(
  org: Organization,
  caller: UserDocument,
  principal: number | string,
): UserDocument {
  const user =
    typeof principal === 'number' ? org.users.get(principal) : userByEmail(org, principal);
  if (user && org.users.active.has(user.user_id) && canSeeUser(org, caller, user)) return user;
  throw unauthorizedPrincipal(principal);
}
