import { timingSafeEqual } from 'node:crypto';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { isWellFormedKey } from '../../services/auth/api-keys.js';
import type { LinkKeys } from '../../services/auth/link-keys.js';
import type { Organization } from '../state/organization.js';

/** Mails that a link in them switches off. */
export type UnsubscribableMail = 'missed_messages' | 'digest';

/** Where mails are switched off, without logging in, before the token, which names the user and proves it. */
export function unsubscribePath(mail: UnsubscribableMail): string {
  return `/accounts/unsubscribe/${mail}/`;
}

/** The address that switches off such mails to a user. It works as long as the account exists. */
export function unsubscribeUrl(
  org: Organization,
  keys: LinkKeys,
  mail: UnsubscribableMail,
  userId: number,
): string {
  return `${org.site.url}${unsubscribePath(mail)}${userId}-${keyOf(keys, mail, userId)}`;
}

/** The user whose token it is; undefined where it is nobody's, or one for other mails. */
export function userOfToken(
  org: Organization,
  keys: LinkKeys,
  mail: UnsubscribableMail,
  token: string,
): UserDocument | undefined {
  const [, id, key] = /^(\d{1,15})-(.+)$/.exec(token) ?? [];
  if (id === undefined || key === undefined || !isWellFormedKey(key)) return undefined;
  const right = Buffer.from(keyOf(keys, mail, Number(id)));
  return timingSafeEqual(right, Buffer.from(key)) ? org.users.get(Number(id)) : undefined;
}

function keyOf(keys: LinkKeys, mail: UnsubscribableMail, userId: number): string {
  // No nonce of a link looks like this.
  return keys.key(`unsubscribe:${mail}:${userId}`);
}
