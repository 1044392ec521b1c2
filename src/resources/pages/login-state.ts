import { lruOfEntries } from '../../platform/lru.js';
import { cookieIn, cookieLine } from '../../services/auth/cookies.js';
import { newToken } from '../../services/auth/random-token.js';
import type { LoginChecks } from '../../services/auth/openid-provider.js';
import type { SealedState } from '../../services/auth/sealed-state.js';

const NAME = 'login';
/**
 * A second cookie, which names the same login: the first one in a header may be one that a neighbour under the domain
 * has set (see `SessionCookies.find`), both are not.
 */
const SECOND = 'login-id';
/** Time to log in at a provider: to find one's second factor, not to fetch lunch. */
const LOGIN_MS = 10 * 60_000;
/** Logins remembered as finished; the provider refuses a used code besides. */
const MAX_FINISHED = 10_000;

/** A login under way, as the browser that began it keeps it. */
export interface LoginUnderWay extends LoginChecks {
  readonly provider: string;
  /** One-time pad of a mobile app, 64 hexadecimal digits; null where the browser itself logs in. */
  readonly otp: string | null;
  /** Key of a desktop app, 64 hexadecimal digits; null where the browser itself logs in, absent as null. */
  readonly desktop?: string | null;
  /** Whether it was begun inside of the desktop app, which alone takes a token. */
  readonly inApp?: boolean;
  /** Key of a reusable invitation link; null for none. */
  readonly invitation: string | null;
}

/**
 * LoginStates ties the two ends of a login by a provider to one browser: a cookie that only this organization's nodes
 * can read or write. Nothing is stored, so any node reads what another wrote.
 */
export class LoginStates {
  /** States of finished logins, on the node that finishes them: the leader. */
  private readonly finished = lruOfEntries<string, true>(MAX_FINISHED);

  constructor(
    private readonly sealed: SealedState,
    private readonly now: () => number,
  ) {}

  /** A new login, and the cookies that keep it. */
  begin(
    asked: Pick<LoginUnderWay, 'provider' | 'otp' | 'desktop' | 'inApp' | 'invitation'>,
    url: string,
  ): { login: LoginUnderWay; cookies: string[] } {
    const [state, nonce, verifier] = [newToken(), newToken(), newToken(32)] as const;
    const login = { ...asked, state, nonce, verifier };
    const value = this.sealed.seal(login, this.now() + LOGIN_MS);
    const line = (name: string, text: string) => cookieLine(url, name, text, LOGIN_MS / 1000);
    return { login, cookies: [line(NAME, value), line(SECOND, state)] };
  }

  /**
   * The login that this browser began with a provider; null where it began none, or it is too old or finished.
   * @param cookies the request's `Cookie` header
   */
  open(cookies: string, url: string, provider: string): LoginUnderWay | null {
    const value = cookieIn(cookies, url, NAME);
    const login = value === null ? null : (this.sealed.open(value, this.now()) as LoginUnderWay);
    if (login === null || login.provider !== provider) return null;
    if (cookieIn(cookies, url, SECOND) !== login.state) return null;
    return this.finished.has(login.state) ? null : login;
  }

  /** Whether something with this id is used for the first time. */
  use(id: string): boolean {
    const isNew = !this.finished.has(id);
    this.finished.set(id, true);
    return isNew;
  }

  /** A login works once. @returns the cookies that end it in the browser */
  finish(login: LoginUnderWay, url: string): string[] {
    this.finished.set(login.state, true);
    return [NAME, SECOND].map((name) => cookieLine(url, name, '', 0));
  }
}
