import type { UserObject } from '../../../schemas/users/users.js';
import { ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import type { MessageContext } from '../../journal/renderers/message.js';
import { canSeeUser } from '../access/user-access.js';
import type { Organization } from '../state/organization.js';
import { apiEmail, AVATAR_PATH, isoMinutes, placeholderEmail, userByEmail } from './user-view.js';

/** Name shown for users whom the viewer may not see. */
export const UNKNOWN_USER = 'Unknown user';

/** Their picture, the same for all: no account has the number 0. */
export const UNKNOWN_USER_AVATAR = `${AVATAR_PATH}identicon/0.png?version=1`;

/**
 * The object of a user whom the viewer may not see (endpoints-users.md#user-object): the same for all of them but for
 * the id. It says nothing of the account, not even whether it is active, or when it was made.
 */
export function unknownUser(org: Organization, userId: number, withProfile: boolean): UserObject {
  return {
    user_id: userId,
    delivery_email: null,
    email: placeholderEmail(org, userId),
    full_name: UNKNOWN_USER,
    date_joined: isoMinutes(org.realm.current.date_created * 1000),
    is_active: true,
    is_owner: false,
    is_admin: false,
    is_guest: false,
    is_bot: false,
    bot_type: null,
    bot_owner_id: null,
    role: ROLE.member,
    timezone: '',
    avatar_url: UNKNOWN_USER_AVATAR,
    avatar_version: 1,
    is_imported_stub: false,
    presence_enabled: true,
    ...(withProfile ? { profile_data: {} } : {}),
  };
}

/** The sender of a message, for receivers who may not see them. */
export function unknownSender(org: Organization, userId: number): MessageContext['sender'] {
  return {
    full_name: UNKNOWN_USER,
    email: placeholderEmail(org, userId),
    avatar_url: UNKNOWN_USER_AVATAR,
    computable: false,
  };
}

/** Name and API e-mail of a user, as a viewer sees them. */
export function shownTo(
  org: Organization,
  viewer: UserDocument,
  user: UserDocument,
): { readonly full_name: string; readonly email: string } {
  if (canSeeUser(org, viewer, user)) {
    return { full_name: user.full_name, email: apiEmail(org, user) };
  }
  return { full_name: UNKNOWN_USER, email: placeholderEmail(org, user.user_id) };
}

/**
 * The user with an address, real or not, as `userByEmail`; users whom the viewer may not see only by their placeholder.
 */
export function userByVisibleEmail(
  org: Organization,
  viewer: UserDocument,
  email: string,
): UserDocument | undefined {
  const user = userByEmail(org, email);
  if (!user || canSeeUser(org, viewer, user)) return user;
  const placeholder = placeholderEmail(org, user.user_id);
  return email.toLowerCase() === placeholder.toLowerCase() ? user : undefined;
}
