import { fetchApiKeyByToken } from '../../../schemas/accounts/jwt-login.js';
import type { EndpointDescriptor, ParamsOf } from '../../../schemas/endpoint.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest, loginRefused, twoFactorSetupRequired } from '../../errors/index.js';
import { recordLogin } from '../../organization/accounts/accounts.js';
import { claimAccount } from '../../organization/accounts/password-reset.js';
import { rememberPlace } from '../../organization/accounts/login-places.js';
import { loginEnabled } from '../../organization/accounts/login-methods.js';
import { lacksTwoFactor } from '../../organization/accounts/two-factor.js';
import type { Organization } from '../../organization/state/organization.js';
import type { Transaction } from '../../organization/state/transaction.js';
import { userByEmail, userView } from '../../organization/views/user-view.js';
import type { ApiKeys } from '../../services/auth/api-keys.js';
import { TokenError, type WebTokens } from '../../services/auth/web-tokens.js';
import {
  handlePrepared,
  type AnyHandler,
  type CallerRequest,
  type HandlerReply,
} from '../kernel/handler.js';

/** Dependencies of logging in by token; `tokens` is null where none are configured. */
export interface TokenLoginParts {
  readonly keys: ApiKeys;
  readonly tokens: WebTokens | null;
  readonly closeSockets: (userId: number) => void;
}

/** `POST /jwt/fetch_api_key` (specification-endpoints.md#fetch-api-key-jwt; authentication.md#without-credentials). */
export function tokenLoginHandler(parts: TokenLoginParts): AnyHandler {
  return tokenLogin(fetchApiKeyByToken, parts, (tx, user, { params }) => {
    const { org } = tx;
    if (lacksTwoFactor(org, user)) throw twoFactorSetupRequired();
    recordLogin(tx, user);
    const api_key = parts.keys.derive(user.user_id, user.key_version);
    const reply = { api_key, email: user.email };
    if (!params.include_profile) return reply;
    const view = { clientGravatar: false, withProfile: false };
    const present = org.users.get(user.user_id)!;
    return { ...reply, user: userView(org, present, present, view) };
  });
}

type TokenDescriptor = EndpointDescriptor<Pick<(typeof fetchApiKeyByToken)['params'], 'token'>>;

/** A login by token. @param begin records it, and makes the reply */
export function tokenLogin<D extends TokenDescriptor>(
  endpoint: D,
  { keys, tokens, closeSockets }: TokenLoginParts,
  begin: (tx: Transaction, user: UserDocument, request: CallerRequest<D>) => HandlerReply<D>,
): AnyHandler {
  return handlePrepared<D, string>(
    endpoint,
    async (org, { params }) => {
      const { token } = params as ParamsOf<TokenDescriptor>;
      assertEnabled(org, tokens);
      if (token === '') throw badRequest('No JSON web token passed in request');
      return tokens.emailOf(token).catch(refuse);
    },
    (tx, request, email) => {
      const { org } = tx;
      assertEnabled(org, tokens);
      if (org.realm.isDeactivated) throw loginRefused('REALM_DEACTIVATED');
      const known = userByEmail(org, email);
      if (!known || known.is_bot) throw loginRefused('AUTHENTICATION_FAILED');
      if (!known.is_active) throw loginRefused('USER_DEACTIVATED');
      const user = claimAccount(tx, known, closeSockets);
      rememberPlace(tx, user, keys, request.remoteAddress);
      return begin(tx, user, request);
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
