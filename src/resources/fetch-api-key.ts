import { fetchApiKey } from '../../schemas/server-settings.js';
import type { UserDocument } from '../../schemas/documents/user.js';
import { badRequest, loginRefused } from '../errors.js';
import { isEmailAddress } from '../organization/account-checks.js';
import type { Organization } from '../organization/organization.js';
import { userByEmail } from '../organization/user-view.js';
import type { ApiKeys } from '../services/api-keys.js';
import type { Passwords } from '../services/passwords.js';
import { handlePrepared, type AnyHandler } from './handler.js';
import type { LoginLimiter } from './login-limiter.js';

/** What logging in needs. */
export interface LoginParts {
  readonly passwords: Passwords;
  readonly keys: ApiKeys;
  readonly limiter: LoginLimiter;
}

/** Whose password was right, and which password that was. */
interface Proof {
  readonly userId: number;
  readonly hash: string;
}

/**
 * `POST /fetch_api_key` (seed, endpoint 11; errors.md section 4.3). Whether an account exists shows
 * neither in the answer nor in its time, until the password is right.
 */
export function fetchApiKeyHandler({ passwords, keys, limiter }: LoginParts): AnyHandler {
  return handlePrepared(
    fetchApiKey,
    async (org, { params }): Promise<Proof> => {
      const username = params.username.trim();
      if (!isEmailAddress(username)) throw badRequest('Enter a valid email address.');
      assertPasswordLogin(org);
      const name = username.toLowerCase();
      await limiter.attempt(name);
      const user = loginUser(org, username);
      const hash = user?.password_hash ?? null;
      const right = await passwords.verify(hash, params.password);
      if (!user || hash === null || !right) throw loginRefused('AUTHENTICATION_FAILED');
      await limiter.succeeded(name);
      return { userId: user.user_id, hash };
    },
    ({ org }, _request, { userId, hash }) => {
      assertPasswordLogin(org);
      const user = org.users.get(userId);
      // The password may have been changed while this one was checked.
      if (user?.password_hash !== hash) throw loginRefused('AUTHENTICATION_FAILED');
      if (!user.is_active) throw loginRefused('USER_DEACTIVATED');
      const api_key = keys.derive(userId, user.key_version);
      return { api_key, email: user.email, user_id: userId };
    },
  );
}

/** @throws ApiError `REALM_DEACTIVATED` or `PASSWORD_AUTH_DISABLED` */
function assertPasswordLogin(org: Organization): void {
  const realm = org.realm.current;
  if (realm.deactivated) throw loginRefused('REALM_DEACTIVATED');
  if (!realm.authentication_methods.Email) throw loginRefused('PASSWORD_AUTH_DISABLED');
}

/** Bots have keys but no passwords. */
function loginUser(org: Organization, username: string): UserDocument | undefined {
  const user = userByEmail(org, username);
  return user?.is_bot ? undefined : user;
}
