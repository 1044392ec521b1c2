import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { ApiKeys } from '../../services/auth/api-keys.js';
import type { Transaction } from '../state/transaction.js';

/**
 * Addresses remembered of each person: home, work, a phone's network and what they had before. An attacker gains nothing
 * from a larger number, since none of them is theirs.
 */
const MAX_PLACES = 8;

/**
 * Whether somebody logged in to the account from this address before. Wrong passwords from elsewhere do not lock it
 * out (requests.md#rate-limits).
 */
export function isKnownPlace(user: UserDocument, keys: ApiKeys, address: string): boolean {
  const { login_places = [], user_id } = user;
  return login_places.length > 0 && login_places.includes(keys.placeOf(user_id, address));
}

/** Remembers where somebody logged in, the newest place first. */
export function rememberPlace(
  tx: Transaction,
  user: UserDocument,
  keys: ApiKeys,
  address: string,
): void {
  const { login_places = [], user_id } = tx.org.users.get(user.user_id)!;
  const place = keys.placeOf(user_id, address);
  if (login_places.includes(place)) return;
  tx.org.users.update(user_id, { login_places: [place, ...login_places].slice(0, MAX_PLACES) });
}

/** What a changed password leaves of them: nothing, because somebody else may have logged in with the former one. */
export const NO_PLACES: Pick<UserDocument, 'login_places'> = { login_places: [] };

/** As {@link NO_PLACES}, where the user changed it: the place where they are. */
export function onlyPlace(
  { user_id }: UserDocument,
  keys: ApiKeys,
  address: string,
): Pick<UserDocument, 'login_places'> {
  return { login_places: [keys.placeOf(user_id, address)] };
}
