import type { UserDocument } from '../../../schemas/users/user-document.js';
import { nameKey } from '../../services/text/names.js';
import type { LoginLimiter } from './login-limiter.js';

/** What the attempts on an account count for, by whatever name it was meant. */
export function accountCount({ user_id }: Pick<UserDocument, 'user_id'>): string {
  return `account ${user_id}`;
}

/**
 * What an attempt with a user name counts for: the name, in the form in which look-alikes are one, as a
 * directory compares them (RFC 4518), and the account that it names here.
 */
export function nameCounts(username: string, user: UserDocument | undefined): string[] {
  const name = `name ${nameKey(username)}`;
  return user ? [name, accountCount(user)] : [name];
}

/** Counts one attempt for each. @throws ApiError `RATE_LIMIT_HIT` when one of them had too many */
export async function countAttempt(
  limiter: LoginLimiter,
  counts: readonly string[],
): Promise<void> {
  for (const one of counts) await limiter.attempt(one);
}

/** Forgets the attempts of each. */
export async function clearAttempts(
  limiter: LoginLimiter,
  counts: readonly string[],
): Promise<void> {
  for (const one of counts) await limiter.succeeded(one);
}
