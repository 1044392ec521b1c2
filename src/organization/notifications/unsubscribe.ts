import { timingSafeEqual } from 'node:crypto';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { isWellFormedKey } from '../../services/auth/api-keys.js';
import type { LinkKeys } from '../../services/auth/link-keys.js';
import type { Organization } from '../state/organization.js';

/** Where mails about messages are switched off, without logging in: `{token}` names the user and proves it. */
export const UNSUBSCRIBE_PATH = '/accounts/unsubscribe/missed_messages/';

/** The address that switches off mails about messages to a user. It works as long as the account exists. */
export function unsubscribeUrl(org: Organization, keys: LinkKeys, userId: number): string {
  return `${org.site.url}${UNSUBSCRIBE_PATH}${userId}-${keyOf(keys, userId)}`;
}

/** The user whose token it is; undefined where it is nobody's. */
export function userOfToken(
  org: Organization,
  keys: LinkKeys,
  token: string,
): UserDocument | undefined {
  const [, id, key] = /^(\d{1,15})-(.+)$/.exec(token) ?? [];
  if (id === undefined || key === undefined || !isWellFormedKey(key)) return undefined;
  const right = Buffer.from(keyOf(keys, Number(id)));
  return timingSafeEqual(right, Buffer.from(key)) ? org.users.get(Number(id)) : undefined;
}

function keyOf(keys: LinkKeys, userId: number): string {
  // No nonce of a link looks like this.
  return keys.key(`unsubscribe:missed_messages:${userId}`);
}
