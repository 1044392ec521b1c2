import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
import {
  ApiError,
  needsKey,
  organizationDeactivated,
  twoFactorSetupRequired,
  unauthorized,
} from '../../errors/index.js';
import {
  type Caller,
  type Authenticator,
  type Session,
  sessionOf,
} from '../../resources/kernel/route.js';
import type { RequestLimiter } from '../limits/rate-limit.js';
import { addressKey } from '../../services/auth/address-key.js';
import type { Exchange } from '../reply/exchange.js';
import { readQuery, textField } from '../request/form.js';
import type { CrossSiteGuard } from './cross-site.js';
import type { SessionGate } from './session-gate.js';
import { isUtf8 } from 'node:buffer';
import { RecentlyUsed } from '../../platform/lru.js';
import { BOT_TYPE, type UserDocument } from '../../../schemas/users/user-document.js';
import { lacksTwoFactor } from '../../organization/accounts/two-factor.js';
import type { ActivityTracker } from '../../organization/presence/activity-tracker.js';
import type { Organization } from '../../organization/state/organization.js';
import { userByEmail } from '../../organization/views/user-view.js';
import { type ApiKeys, isWellFormedKey } from '../../services/auth/api-keys.js';
import { BotKeys } from './bot-keys.js';

/**
 * Authenticates by other credentials than HTTP Basic: the caller, or null to continue with Basic.
 * @throws ApiError `UNAUTHORIZED`
 */
export type Identify = (exchange: Exchange) => Caller | null;

/** The part of a target that decides who is admitted. */
interface Admissible {
  readonly endpoint: EndpointDescriptor;
  readonly identify?: Identify;
  /** Outside `/json`: the session of a browser is accepted, too. */
  readonly takesSession?: boolean;
  /** A login of a browser, which a page of this server must ask for. */
  readonly isLogin?: boolean;
}

/** Admission finds the caller of a request and counts the request against the rate limits. */
export class Admission {
  /** @param limiter null switches rate limits off */
  constructor(
    private readonly authentication: BasicAuthentication,
    private readonly crossSite: CrossSiteGuard,
    private readonly limiter: RequestLimiter | null,
    /** Null where browsers have no sessions. */
    private readonly sessions: SessionGate | null = null,
  ) {}

  /** The caller (null on anonymous endpoints), counted against the rate limits. @throws ApiError */
  admit(exchange: Exchange, target: Admissible): Caller | null {
    const { limiter } = this;
    if (target.endpoint.access === 'anonymous') {
      if (target.isLogin === true) this.sessions!.assertOwnPage(exchange);
      // A login is counted once its account is known.
      if (target.endpoint.loginName === undefined) this.count(exchange, 'addresses');
      return null;
    }
    const caller = this.authenticate(exchange, target);
    exchange.user = caller.user.user_id;
    if (limiter) exchange.rateLimit = limiter.users.consume(caller.user.user_id);
    // The one door of all credentials: keys, sessions, tickets, and links with a key.
    if (target.endpoint.beforeTwoFactor !== true && this.authentication.lacksTwoFactor(caller)) {
      throw twoFactorSetupRequired(caller.sessionId === undefined ? 401 : 403);
    }
    if (target.endpoint.keyOnly === true && exchange.bySession) throw needsKey();
    return caller;
  }

  /**
   * Authenticates the caller. Refused credentials count by address. Accepted ones always pass: keys have
   * 190 bits and checking one costs 15 µs, so refusing to check protects nothing and would lock out others
   * at the address.
   */
  authenticate(exchange: Exchange, target: Admissible): Caller {
    const { authentication } = this;
    const { authorization } = exchange;
    try {
      if (exchange.bySession) return this.bySession(exchange);
      const identified = target.identify?.(exchange);
      if (identified) return identified;
      if (target.endpoint.keyInQuery) {
        const key = textField(readQuery(exchange.query), 'api_key');
        if (key !== undefined) return authentication.byKey(key);
      }
      if (target.takesSession === true && authorization === '') {
        const caller = this.sessions?.callerOutside(exchange);
        if (caller) return caller;
      }
      this.refuseForeign(exchange);
      return authentication.known(authorization) ?? authentication.login(authorization);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) this.count(exchange, 'refusals');
      throw error;
    }
  }

  /** The caller of a request for `/json`. @throws ApiError */
  private bySession(exchange: Exchange): Caller {
    if (!this.sessions) {
      throw unauthorized('Not logged in: API authentication or user session required');
    }
    return this.sessions.caller(exchange);
  }

  /**
   * Refuses credentials that a page of another site may not use, or that its browser has added by itself.
   * @throws ApiError `CSRF_FAILED`
   */
  private refuseForeign(exchange: Exchange): void {
    if (exchange.authorization !== '') this.crossSite.check(exchange);
  }

  private count(exchange: Exchange, budget: 'addresses' | 'refusals'): void {
    const { limiter } = this;
    if (!limiter) return;
    exchange.rateLimit = limiter[budget].consume(addressKey(exchange.remoteAddress));
  }

  /**
   * Counts a login attempt.
   * @returns to call when it succeeded
   */
  countLogin(exchange: Exchange, account: string): () => void {
    const { limiter } = this;
    if (!limiter) return () => undefined;
    const address = addressKey(exchange.remoteAddress);
    exchange.rateLimit = limiter.logins.consume(address, account);
    return () => limiter.logins.succeeded(address, account);
  }
}

/**
 * Accepted headers remembered, some 200 bytes each, and at most twice as many. Those unused for longest are
 * forgotten; their next request costs a login, 15 µs.
 */
const REMEMBERED_SESSIONS = 50_000;

/** Longer headers are checked each time: e-mail addresses end at 320 characters, keys have 32. */
const MAX_CACHED_HEADER = 600;

/** An e-mail address and API key, as sent. */
interface Credentials {
  readonly email: string;
  readonly key: string;
}

/**
 * BasicAuthentication implements HTTP Basic authentication (authentication.md#basic). It remembers accepted
 * headers, so that a poll costs one lookup. The session behind a header is checked again on every request,
 * so that deactivation, a new key or another address takes effect at once. Refused headers are never
 * remembered.
 */
export class BasicAuthentication {
  private readonly sessions = new RecentlyUsed<Session>(REMEMBERED_SESSIONS);

  constructor(private readonly authenticator: Authenticator) {}

  /**
   * The caller of a header that was accepted before; undefined where it must be checked.
   * @throws ApiError `UNAUTHORIZED` when the user or organization was deactivated
   */
  known(header: string): Caller | undefined {
    const session = this.sessions.get(header);
    if (!session) return undefined;
    try {
      const caller = this.authenticator.caller(session);
      if (!caller) this.sessions.delete(header);
      return caller;
    } catch (error) {
      this.sessions.delete(header);
      throw error;
    }
  }

  /** Whether a caller may do nothing but set up a second factor. */
  lacksTwoFactor({ user }: Caller): boolean {
    return this.authenticator.lacksTwoFactor(user);
  }

  /** The caller of an API key alone. @throws ApiError `UNAUTHORIZED` */
  byKey(key: string): Caller {
    return this.authenticator.byKey(key);
  }

  /**
   * Checks a header that is not remembered.
   * @throws ApiError `UNAUTHORIZED`
   */
  login(header: string): Caller {
    const { email, key } = parseBasic(header);
    const session = this.authenticator.login(email, key);
    const caller = this.authenticator.caller(session);
    if (!caller) throw unauthorized('Invalid API key');
    if (header.length <= MAX_CACHED_HEADER) this.sessions.set(header, session);
    return caller;
  }
}

/**
 * Reads an Authorization header. White space around its parts is ignored, the scheme is
 * case-insensitive.
 * @throws ApiError `UNAUTHORIZED`, one text per row of authentication.md#basic
 */
export function parseBasic(header: string): Credentials {
  const parts = header.split(/\s+/).filter((part) => part !== '');
  if (parts.length === 0) {
    throw unauthorized('Not logged in: API authentication or user session required');
  }
  const [scheme, encoded] = parts;
  if (parts.length !== 2 || scheme === undefined || encoded === undefined) throw malformed();
  if (scheme.toLowerCase() !== 'basic') {
    throw unauthorized('This endpoint requires HTTP basic authentication.');
  }
  const text = decodeBase64(encoded);
  const colon = text.indexOf(':');
  if (colon === -1) throw malformed();
  const key = text.slice(colon + 1).trim();
  if (!/^[A-Za-z0-9]{32}$/.test(key)) throw unauthorized('Malformed API key');
  return { email: text.slice(0, colon).trim(), key };
}

function decodeBase64(encoded: string): string {
  const wellFormed = encoded.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(encoded);
  const bytes = Buffer.from(wellFormed ? encoded : '', 'base64');
  if (bytes.length === 0 || !isUtf8(bytes)) throw malformed();
  return bytes.toString('utf8');
}

function malformed() {
  return unauthorized('Invalid authorization header for basic auth');
}

/** Checked in place of accounts that do not exist, so that response times reveal nothing. */
const NOBODY = { user_id: 0, key_version: '' };

/** Checks e-mail addresses and API keys against the organization (authentication.md#basic). */
export class KeyAuthenticator implements Authenticator {
  private readonly botKeys: BotKeys;

  constructor(
    private readonly org: Organization,
    private readonly keys: ApiKeys,
    /** Told who makes requests with valid credentials. */
    private readonly activity: Pick<ActivityTracker, 'checked' | 'record'>,
  ) {
    this.botKeys = new BotKeys(org, keys);
  }

  login(email: string, key: string): Session {
    const given = key.trim();
    if (!isWellFormedKey(given)) throw unauthorized('Malformed API key');
    const user = userByEmail(this.org, email.trim());
    const { user_id, key_version } = user ?? NOBODY;
    const right = this.keys.verify(user_id, key_version, given);
    if (!user || !right || user.is_system_bot) throw invalidKey();
    this.assertUsable(user);
    return sessionOf(user);
  }

  /** Makes the keys of bots ready to be found, once the organization is loaded. */
  async prepare(): Promise<void> {
    await this.botKeys.prepare();
  }

  byKey(key: string): Caller {
    const given = key.trim();
    if (!isWellFormedKey(given)) throw unauthorized('Malformed API key');
    const user = this.botKeys.find(given);
    if (!user) throw invalidKey();
    this.assertUsable(user);
    return this.callerOf(user);
  }

  caller(session: Session): Caller | undefined {
    const user = this.org.users.get(session.userId);
    if (user?.key_version !== session.keyVersion || user.email !== session.email) return undefined;
    if (session.sessionId !== undefined && !this.org.sessions.has(session.sessionId))
      return undefined;
    this.assertUsable(user);
    return this.callerOf(user);
  }

  lacksTwoFactor(user: UserDocument): boolean {
    return lacksTwoFactor(this.org, user);
  }

  private callerOf(user: UserDocument): Caller {
    const { checked } = this.activity;
    if (!checked.has(user.user_id)) this.activity.record(user.user_id);
    return { user };
  }

  /** Call only after the key was found right: the refusal reveals the account. @throws ApiError */
  private assertUsable(user: UserDocument): void {
    if (!user.is_active) throw unauthorized('Account is deactivated');
    if (this.org.realm.isDeactivated) {
      throw organizationDeactivated();
    }
  }
}

function invalidKey(): ApiError {
  return unauthorized('Invalid API key');
}

/**
 * Incoming-webhook bots may only send messages, and pass on those of services (conventions.md#callers). Call before the
 * endpoint's access rule.
 * @throws ApiError `UNAUTHORIZED`
 */
export function assertNotWebhookBot(user: UserDocument, endpoint: EndpointDescriptor): void {
  if (user.bot_type !== BOT_TYPE.incomingWebhook) return;
  // What takes a key in its query is made for them.
  if (endpoint.keyInQuery) return;
  if (endpoint.method === 'POST' && endpoint.path === '/messages') return;
  throw unauthorized('This API is not available to incoming webhook bots.');
}
