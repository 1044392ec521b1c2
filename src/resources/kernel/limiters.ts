import type { UserDocument } from '../../../schemas/users/user-document.js';
import { isKnownPlace } from '../../organization/accounts/login-places.js';
import { addressKey } from '../../services/auth/address-key.js';
import type { ApiKeys } from '../../services/auth/api-keys.js';
import { nameKey } from '../../services/text/stored-text.js';

/**
 * Limits login attempts by user name (requests.md#rate-limits), from all addresses that did not log in to the account
 * before and from each that did: names that look alike count together, and so do all names of one account
 * (`nameCounts`). A handler calls `attempt` before it checks a
 * password, and `succeeded` after a right one.
 */
export interface LoginLimiter {
  /**
   * Counts one attempt.
   * @throws ApiError `RATE_LIMIT_HIT` when there were too many; a refused attempt does not count
   */
  attempt(key: string): Promise<void>;
  /** Forgets the attempts of this key. */
  succeeded(key: string): Promise<void>;
}

/** Counts nothing: for load tests, with rate limits switched off. */
export const unlimitedLogins: LoginLimiter = {
  attempt: async () => undefined,
  succeeded: async () => undefined,
};

/**
 * What tells attempts from an address that logged in before from those of everybody else: both have counts of their
 * own, so that guesses of strangers lock nobody out there.
 * @param user whom the attempt is about
 */
export function placeOf(user: UserDocument | undefined, keys: ApiKeys, address: string): string {
  return user && isKnownPlace(user, keys, address) ? ` at ${addressKey(address)}` : '';
}

/** Key of the attempts on an account, under any of its names. @param place see {@link placeOf} */
export function accountCount({ user_id }: Pick<UserDocument, 'user_id'>, place = ''): string {
  return `account ${user_id}${place}`;
}

/**
 * Keys of an attempt with a user name: the name in a form that is equal for look-alikes, as a directory
 * compares them (RFC 4518), and the account of that name.
 * @param place see {@link placeOf}
 */
export function nameCounts(username: string, user: UserDocument | undefined, place = ''): string[] {
  const name = `${keyAt(place)}name ${nameKey(username)}`;
  return user ? [name, accountCount(user, place)] : [name];
}

/**
 * What the key of a long text begins with at a place, since limiters cut keys at the end; attempts from elsewhere begin
 * with another word, whatever they name.
 */
export function keyAt(place: string): string {
  return place === '' ? '' : `known${place} `;
}

/** Counts one attempt under each key. @throws ApiError `RATE_LIMIT_HIT` when one of them had too many */
export async function countAttempt(
  limiter: LoginLimiter,
  counts: readonly string[],
): Promise<void> {
  for (const one of counts) await limiter.attempt(one);
}

/** Forgets the attempts under each key. */
export async function clearAttempts(
  limiter: LoginLimiter,
  counts: readonly string[],
): Promise<void> {
  for (const one of counts) await limiter.succeeded(one);
}

/**
 * Limits requests that make this server send mail to an address in the request (requests.md#rate-limits).
 * Refused attempts do not count.
 */
export interface MailLimiter {
  /**
   * Counts a mail requested without an account. @param address network address of the client
   * @throws ApiError `RATE_LIMIT_HIT`
   */
  mailFrom(address: string): void;
  /**
   * Counts an attempt to join where no mail is sent (endpoints-invitations.md#without-mail).
   * @param address network address of the client
   * @throws ApiError `RATE_LIMIT_HIT`
   */
  joinFrom(address: string): void;
  /**
   * Counts a password reset, which sends a mail too.
   * @param address network address of the client
   * @throws ApiError `RATE_LIMIT_HIT`
   */
  passwordReset(email: string, address: string): void;
  /** Counts a user's change of address. @throws ApiError `RATE_LIMIT_HIT` */
  emailChange(userId: number): void;
}

/** Counts nothing: for load tests, with rate limits switched off. */
export const unlimitedMails: MailLimiter = {
  mailFrom: () => undefined,
  joinFrom: () => undefined,
  passwordReset: () => undefined,
  emailChange: () => undefined,
};
