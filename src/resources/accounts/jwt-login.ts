import { fetchApiKeyByToken } from '../../../schemas/accounts/jwt-login.js';
import { badRequest, loginRefused } from '../../errors/index.js';
import { recordLogin } from '../../organization/accounts/accounts.js';
import { claimAccount } from '../../organization/accounts/password-reset.js';
import { rememberPlace } from '../../organization/accounts/login-places.js';
import { loginEnabled } from '../../organization/accounts/login-methods.js';
import type { Organization } from '../../organization/state/organization.js';
import { userByEmail, userView } from '../../organization/views/user-view.js';
import type { ApiKeys } from '../../services/auth/api-keys.js';
import { TokenError, type WebTokens } from '../../services/auth/web-tokens.js';
import { handlePrepared, type AnyHandler } from '../kernel/handler.js';

/** Dependencies of logging in by token; `tokens` is null where none are configured. */
interface TokenLoginParts {
  readonly keys: ApiKeys;
  readonly tokens: WebTokens | null;
  readonly closeSockets: (userId: number) => void;
}

/** `POST /jwt/fetch_api_key` (specification-endpoints.md#fetch-api-key-jwt; authentication.md#without-credentials). */
export function tokenLoginHandler({ keys, tokens, closeSockets }: TokenLoginParts): AnyHandler {
  return handlePrepared(
    fetchApiKeyByToken,
    async (org, { params: { token } }) => {
      assertEnabled(org, tokens);
      if (token === '') throw badRequest('No JSON web token passed in request');
      return tokens.emailOf(token).catch(refuse);
    },
    (tx, { params, remoteAddress }, email) => {
      const { org } = tx;
      assertEnabled(org, tokens);
      if (org.realm.isDeactivated) throw loginRefused('REALM_DEACTIVATED');
      const known = userByEmail(org, email);
      if (!known || known.is_bot) throw loginRefused('AUTHENTICATION_FAILED');
      if (!known.is_active) throw loginRefused('USER_DEACTIVATED');
      if (claimAccount(tx, known)) tx.onceDurable(() => closeSockets(known.user_id));
      const user = org.users.get(known.user_id)!;
      recordLogin(tx, user);
      rememberPlace(tx, user, keys, remoteAddress);
      const api_key = keys.derive(user.user_id, user.key_version);
      const reply = { api_key, email: user.email };
      if (!params.include_profile) return reply;
      const view = { clientGravatar: false, withProfile: false };
      const present = org.users.get(user.user_id)!;
      return { ...reply, user: userView(org, present, present, view) };
    },
  );
}

function assertEnabled(org: Organization, tokens: WebTokens | null): asserts tokens is WebTokens {
  if (!tokens || !loginEnabled(org, 'JWT')) {
    throw badRequest('JWT authentication is not enabled for this organization');
  }
}

function refuse(error: unknown): never {
  if (!(error instanceof TokenError)) throw error;
  throw badRequest(
    error.fault === 'bad' ? 'Bad JSON web token' : 'No email specified in JSON web token claims',
  );
}
