import {
  allowInsecureRequests,
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  ResponseBodyError,
  type ClientAuth,
  type CustomFetch,
} from 'openid-client';
import { fetch } from '../../platform/network.js';
import { wallTime } from '../../platform/time.js';
import { loginNotFinished, loginNotProven, serviceUnavailable } from '../../errors/index.js';
import { boundedText } from '../json-request.js';
import { ConcurrencyLimiter } from '../../turns/concurrency-limiter.js';
import { claimsOf, personOf, type VouchedPerson } from './openid-claims.js';
import {
  isLocalIssuer,
  readOpenIdSettings,
  type OpenIdProviderSettings,
} from './openid-settings.js';

/** Longest wait for one answer of a provider, seconds. */
const TIMEOUT_SECONDS = 5;
/** Configurations, keys and claims have some kilobytes; more is none. Bytes. */
const MAX_REPLY = 1024 * 1024;
/**
 * How long what a provider says about itself is believed, milliseconds. Its keys are asked for as tokens name new ones.
 */
const CONFIGURATION_MS = 3_600_000;
/** Logins that talk to a provider at once, and how many more may wait. */
const AT_ONCE = 16;
const MAX_WAITING = 256;

/** What ties the answer of a provider to the request: a login is finished only with all three. */
export interface LoginChecks {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE (RFC 7636). */
  readonly verifier: string;
}

/** OpenIdProvider has logins made by another server (OpenID Connect: authorization code flow, PKCE, nonce). */
export class OpenIdProvider {
  private readonly turns = new ConcurrencyLimiter(
    AT_ONCE,
    MAX_WAITING,
    'Too many logins are being checked',
  );
  private found: { readonly configuration: Promise<Configuration>; readonly at: number } | null =
    null;

  constructor(
    readonly settings: OpenIdProviderSettings,
    /** Hears why a login failed, without anything secret. */
    private readonly onFault: (text: string) => void,
    private readonly now: () => number = wallTime,
  ) {}

  /** Reads the settings; does not talk to the providers. @throws Error when they cannot be used */
  static async load(
    path: string,
    onFault: (provider: string, text: string) => void,
  ): Promise<OpenIdProvider[]> {
    const settings = await readOpenIdSettings(path);
    return settings.map((one) => new OpenIdProvider(one, (text) => onFault(one.name, text)));
  }

  /** Asks the provider what it says about itself. @throws ApiError 503, after `onFault` heard why */
  async reach(): Promise<void> {
    await this.configuration();
  }

  /**
   * Where a browser begins a login.
   * @param redirectUri where it comes back
   * @throws ApiError 503 when the provider does not answer or too many wait
   */
  async begin(redirectUri: string, { state, nonce, verifier }: LoginChecks): Promise<string> {
    const configuration = await this.turns.take(() => this.configuration());
    const url = buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: this.settings.scopes.join(' '),
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  /**
   * Whom the provider vouches for. Signature, issuer, audience, times and nonce of the token are checked; a code works
   * once.
   * @param address where the browser came back, with the query
   * @throws ApiError for a login that proves nothing, 503 when the provider does not answer
   */
  complete(address: URL, { state, nonce, verifier }: LoginChecks): Promise<VouchedPerson> {
    return this.turns.take(async () => {
      const configuration = await this.configuration();
      const claims = await this.claims(configuration, address, { state, nonce, verifier }).catch(
        (error: unknown) => {
          throw this.refusalOf(error);
        },
      );
      const person = personOf(claims, this.settings);
      const { display_name } = this.settings;
      if (person === 'no-email') throw loginNotProven(`${display_name} gave no e-mail address.`);
      if (person === 'unverified') {
        throw loginNotProven(`${display_name} does not say that your e-mail address is verified.`);
      }
      return person;
    });
  }

  private async claims(
    configuration: Configuration,
    address: URL,
    { state, nonce, verifier }: LoginChecks,
  ): Promise<Readonly<Record<string, unknown>>> {
    const tokens = await authorizationCodeGrant(configuration, address, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    });
    const claims = tokens.claims()!;
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
    // Many providers put no more than the subject into the token.
    const more = await fetchUserInfo(configuration, tokens.access_token, claims.sub);
    return claimsOf(claims, more);
  }

  /** What the provider says about itself; asked for again after a failure. @throws ApiError 503 */
  private async configuration(): Promise<Configuration> {
    const { found } = this;
    if (found && found.at + CONFIGURATION_MS > this.now()) return found.configuration;
    const asked = { configuration: this.discover(), at: this.now() };
    this.found = asked;
    try {
      return await asked.configuration;
    } catch (error) {
      if (this.found === asked) this.found = null;
      this.onFault(wordsOf(error));
      throw this.away();
    }
  }

  private discover(): Promise<Configuration> {
    const { issuer, client_id } = this.settings;
    return discovery(new URL(issuer), client_id, undefined, this.clientAuthentication(), {
      timeout: TIMEOUT_SECONDS,
      [customFetch]: boundedFetch,
      // Also where the token came straight from the provider, over an encrypted connection.
      execute: [
        enableNonRepudiationChecks,
        ...(isLocalIssuer(issuer) ? [allowInsecureRequests] : []),
      ],
    });
  }

  private clientAuthentication(): ClientAuth {
    const { client_secret, client_authentication } = this.settings;
    if (client_secret === undefined) return None();
    return client_authentication === 'client_secret_post'
      ? ClientSecretPost(client_secret)
      : ClientSecretBasic(client_secret);
  }

  private refusalOf(error: unknown): Error {
    this.onFault(wordsOf(error));
    const { display_name } = this.settings;
    if (error instanceof AuthorizationResponseError) {
      return loginNotFinished(`${display_name} did not log you in.`);
    }
    return isAboutLogin(error)
      ? loginNotProven(`What ${display_name} answered does not fit this login. Begin again.`)
      : this.away();
  }

  private away(): Error {
    return serviceUnavailable(`${this.settings.display_name} does not answer`);
  }
}

/** Codes of faults that are the provider's, or the network's, and no other login would have either. */
const AWAY: ReadonlySet<string> = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
]);

/** Whether a login was refused for what it is: a used code, a wrong state, a token for somebody else. */
function isAboutLogin(error: unknown): boolean {
  if (error instanceof ResponseBodyError) return error.error === 'invalid_grant';
  return error instanceof ClientError && error.code !== undefined && !AWAY.has(error.code);
}

/** What went wrong, for the log: neither tokens nor what the provider wrote. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, error: refusal } = error as { code?: unknown; error?: unknown };
  const cause = error.cause instanceof Error ? error.cause.message : '';
  return [error.message, code, refusal, cause].filter(Boolean).map(String).join('; ').slice(0, 300);
}

const boundedFetch: CustomFetch = async (url, options) => {
  const response = await fetch(url, options);
  const text = await boundedText(response, MAX_REPLY);
  const { status, statusText, headers } = response;
  return new Response(text === '' ? null : text, { status, statusText, headers });
};
