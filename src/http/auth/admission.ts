import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
import { ApiError, csrfFailed } from '../../errors.js';
import type { Caller } from '../../resources/kernel/route.js';
import type { RequestLimiter } from '../limits/rate-limit.js';
import { addressKey } from '../../services/auth/address-key.js';
import type { Exchange } from '../exchange.js';
import { readUrlEncoded, textField } from '../request/form.js';
import type { BasicAuthentication } from './basic-auth.js';
import type { CrossSiteGuard } from './cross-site.js';

/**
 * Authenticates by other credentials than HTTP Basic: the caller, or null to continue with Basic.
 * @throws ApiError `UNAUTHORIZED`
 */
export type Identify = (exchange: Exchange) => Caller | null;

/** The part of a target that decides who is admitted. */
interface Admissible {
  readonly endpoint: EndpointDescriptor;
  readonly identify?: Identify;
}

/** Admission finds the caller of a request and counts the request against the rate limits. */
export class Admission {
  /** @param limiter null switches rate limits off */
  constructor(
    private readonly authentication: BasicAuthentication,
    private readonly crossSite: CrossSiteGuard,
    private readonly limiter: RequestLimiter | null,
  ) {}

  /** The caller (null on anonymous endpoints), counted against the rate limits. @throws ApiError */
  admit(exchange: Exchange, target: Admissible): Caller | null {
    const { limiter } = this;
    if (target.endpoint.access === 'anonymous') {
      // A login is counted once its account is known.
      if (target.endpoint.loginName === undefined) this.count(exchange, 'addresses');
      return null;
    }
    const caller = this.authenticate(exchange, target);
    exchange.user = caller.user.user_id;
    if (limiter) exchange.rateLimit = limiter.users.consume(caller.user.user_id);
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
      const identified = target.identify?.(exchange);
      if (identified) return identified;
      if (target.endpoint.keyInQuery) {
        const key = textField(readUrlEncoded(exchange.query), 'api_key');
        if (key !== undefined) return authentication.byKey(key);
      }
      this.refuseForeign(exchange);
      return authentication.known(authorization) ?? authentication.login(authorization);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) this.count(exchange, 'refusals');
      throw error;
    }
  }

  /**
   * Refuses credentials that a browser may have added by itself to a request of another site.
   * @throws ApiError `CSRF_FAILED`
   */
  private refuseForeign(exchange: Exchange): void {
    const { browser, authorization } = exchange;
    if (browser === null || authorization === '') return;
    // The protocol needs the client's address, which is expensive to read.
    const protocol = browser.origin === '' ? null : exchange.protocol;
    if (this.crossSite.isForeign(browser, protocol)) throw csrfFailed();
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
