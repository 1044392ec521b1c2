import type { UserDocument } from '../../../schemas/users/user-document.js';
import { ApiError, badRequest } from '../../errors/index.js';
import { loginEnabled } from '../../organization/accounts/login-methods.js';
import type { Organization } from '../../organization/state/organization.js';
import type { Directory } from '../../services/auth/ldap-directory.js';
import { isAcceptablePassword } from '../../services/auth/password-strength.js';
import { claimantOf, type Passwords } from '../../services/auth/passwords.js';
import { accountCount, type LoginLimiter } from '../kernel/limiters.js';

/** Dependencies of changing a password. */
export interface PasswordParts {
  readonly passwords: Passwords;
  readonly limiter: LoginLimiter;
  /** Null or absent where the server has none configured. */
  readonly directory?: Directory | null;
}

/** Hash of a new password, and the hash it may replace. */
export interface NewPassword {
  readonly hash: string;
  readonly replaces: string | null;
}

/** The parameters that concern the password. */
interface PasswordParams {
  readonly old_password?: string;
  readonly new_password?: string;
}

/**
 * Checks the old password and hashes the new one (settings.md#user-settings); null when the request changes
 * none. Attempts count as login attempts of the account.
 * @throws ApiError such as `Wrong password!`
 */
export async function preparePassword(
  org: Organization,
  { passwords, limiter, directory }: PasswordParts,
  user: UserDocument,
  { old_password, new_password }: PasswordParams,
): Promise<NewPassword | null> {
  if (new_password === undefined) return null;
  if (!old_password || new_password === '') throw badRequest('Please fill out all fields.');
  const claimant = claimantOf(user.user_id);
  const replaces = user.password_hash;
  await checkPassword(org, { passwords, limiter, directory }, user, old_password);
  await limiter.succeeded(accountCount(user));
  if (!isAcceptablePassword(new_password, [user.email, user.full_name])) {
    throw badRequest('New password is too weak!');
  }
  return { hash: await passwords.hash(new_password, claimant), replaces };
}

/**
 * Checks that the caller knows their password. It counts as an attempt to log in, which the caller of this forgets when
 * all was right.
 * @throws ApiError such as `Wrong password!`
 */
export async function checkPassword(
  org: Organization,
  { passwords, limiter, directory }: PasswordParts,
  user: UserDocument,
  password: string,
): Promise<void> {
  if (await isOfDirectory(org, directory, user.email)) {
    throw badRequest('Your password is managed in LDAP');
  }
  await limiter.attempt(accountCount(user)).catch(refuseInWords);
  const claimant = claimantOf(user.user_id);
  if (!(await passwords.verify(user.password_hash, password, claimant))) {
    throw badRequest('Wrong password!');
  }
}

/**
 * Whether an address belongs to a person in the directory, which then owns their password and address.
 * @throws ApiError 503 when the directory does not answer
 */
export async function isOfDirectory(
  org: Organization,
  directory: Directory | null | undefined,
  email: string,
): Promise<boolean> {
  if (!directory || !loginEnabled(org, 'LDAP')) return false;
  return directory.knows(email);
}

/** Turns the status 429 of too many attempts into a refusal with a text, as clients expect here. */
function refuseInWords(error: unknown): never {
  if (error instanceof ApiError && error.code === 'RATE_LIMIT_HIT') {
    const seconds = Math.ceil(Number(error.fields['retry-after']));
    throw badRequest(`You're making too many attempts! Try again in ${seconds} seconds.`);
  }
  throw error;
}
