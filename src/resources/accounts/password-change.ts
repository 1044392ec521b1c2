import type { UserDocument } from '../../../schemas/users/user-document.js';
import { ApiError, badRequest } from '../../errors.js';
import { loginEnabled } from '../../organization/accounts/login-methods.js';
import type { Organization } from '../../organization/state/organization.js';
import type { Directory } from '../../services/auth/ldap-directory.js';
import { isAcceptablePassword } from '../../services/auth/password-strength.js';
import { claimantOf, type Passwords } from '../../services/auth/passwords.js';
import { accountCount } from '../kernel/guess-counts.js';
import type { LoginLimiter } from '../kernel/login-limiter.js';

/** What changing a password needs. */
export interface PasswordParts {
  readonly passwords: Passwords;
  readonly limiter: LoginLimiter;
  /** Where the server was set up for one. */
  readonly directory?: Directory | null;
}

/** A password to store, and the hash it was allowed to replace. */
export interface NewPassword {
  readonly hash: string;
  readonly replaces: string | null;
}

/** The parameters that concern the password. */
export interface PasswordParams {
  readonly old_password?: string;
  readonly new_password?: string;
}

/**
 * Checks the old password and hashes the new one (settings.md#user-settings); null when no change is
 * asked for. Attempts count as login attempts of the account.
 * @throws ApiError `Wrong password!` and the like
 */
export async function preparePassword(
  org: Organization,
  { passwords, limiter, directory }: PasswordParts,
  user: UserDocument,
  { old_password, new_password }: PasswordParams,
): Promise<NewPassword | null> {
  if (new_password === undefined) return null;
  if (!old_password || new_password === '') throw badRequest('Please fill out all fields.');
  if (await isOfDirectory(org, directory, user.email)) {
    throw badRequest('Your Zulip password is managed in LDAP');
  }
  const account = accountCount(user);
  const claimant = claimantOf(user.user_id);
  await limiter.attempt(account).catch(refuseInWords);
  const replaces = user.password_hash;
  if (!(await passwords.verify(replaces, old_password, claimant)))
    throw badRequest('Wrong password!');
  await limiter.succeeded(account);
  if (!isAcceptablePassword(new_password, [user.email, user.full_name])) {
    throw badRequest('New password is too weak!');
  }
  return { hash: await passwords.hash(new_password, claimant), replaces };
}

/**
 * Whether an address is that of somebody in the directory, whose password and address are not this
 * server's business.
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

/** Too many attempts are said in words here, not by a status. */
function refuseInWords(error: unknown): never {
  if (error instanceof ApiError && error.code === 'RATE_LIMIT_HIT') {
    const seconds = Math.ceil(Number(error.fields['retry-after']));
    throw badRequest(`You're making too many attempts! Try again in ${seconds} seconds.`);
  }
  throw error;
}
