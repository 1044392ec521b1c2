import { csrfFailed } from '../../errors/index.js';

/** The headers with which a browser reports the origin of a request; other programs send none of them. */
export interface BrowserHeaders {
  /** `Origin`; empty where absent, as in navigations. */
  readonly origin: string;
  /** `Sec-Fetch-Site`; empty where absent, as in older browsers and on plain HTTP. */
  readonly fetchSite: string;
  /** `Sec-Fetch-Mode`; empty where absent. */
  readonly fetchMode: string;
  readonly host: string;
}

/** A request with credentials, or one by which a browser asks whether a page may send some. */
interface CredentialsRequest {
  /** Null where no browser sent the request. */
  readonly browser: BrowserHeaders | null;
  readonly protocol: 'http' | 'https' | null;
}

/** The origins whose pages may use credentials. */
export interface Origins {
  /** Origin of the public base URL; read at each request that a browser sent from elsewhere. */
  readonly own: () => string;
  /** Other origins whose pages may call; `*` for all. */
  readonly allowed: readonly string[];
}

/**
 * CrossSiteGuard detects requests whose credentials do not count: those of pages that are not allowed, and those to
 * which the browser of another page added remembered Basic credentials by itself.
 *
 * A script that sends its own `Authorization` does so in a request of the mode `cors`, which always has an `Origin`. In
 * every other request of another site (a form, a link, a picture) only the browser can have added the header. The rest
 * are the rules of Go's `http.CrossOriginProtection`, applied to every method: a `GET` of events acknowledges, and a
 * form may choose another method.
 */
export class CrossSiteGuard {
  private readonly allowed: ReadonlySet<string>;
  private readonly allowsAll: boolean;

  constructor(private readonly origins: Origins) {
    this.allowed = new Set(origins.allowed);
    this.allowsAll = this.allowed.has('*');
  }

  /**
   * Refuses credentials that do not count.
   * @throws ApiError `CSRF_FAILED`
   */
  check(request: CredentialsRequest): void {
    const { browser } = request;
    if (browser === null) return;
    // The protocol needs the client's address, which is expensive to read.
    const protocol = browser.origin === '' ? null : request.protocol;
    if (this.isForeign(browser, protocol)) throw csrfFailed();
  }

  /**
   * Whether a page of another site caused the request, and may not use credentials in it.
   * @param protocol how the client reached the server; null where unknown
   */
  isForeign(
    { origin, fetchSite, fetchMode, host }: BrowserHeaders,
    protocol: 'http' | 'https' | null,
  ): boolean {
    // Pages cannot set this header.
    if (fetchSite === 'same-origin' || fetchSite === 'none') return false;
    if (origin === '') return fetchSite !== '';
    if (this.allowed.has(origin) || origin === this.origins.own()) return false;
    if (this.allowsAll) return fetchMode !== '' && fetchMode !== 'cors';
    return fetchSite !== '' || !isOfHost(origin, host, protocol);
  }
}

/**
 * Whether a page of this server caused a request, or its user did who typed the address; null where the browser does not
 * say: old ones, for what only reads, over HTTP. Other origins that may use credentials may not use a session.
 * @param own origin of the public base URL
 */
export function isSameOrigin(
  exchange: { browser: BrowserHeaders | null; protocol: 'http' | 'https' | null },
  own: string,
): boolean | null {
  const { browser } = exchange;
  if (browser === null) return null;
  const { origin, fetchSite, host } = browser;
  // Pages cannot set this header.
  if (fetchSite !== '') return fetchSite === 'same-origin' || fetchSite === 'none';
  const protocol = own.startsWith('https:') ? 'https' : exchange.protocol;
  return origin === own || isOfHost(origin, host, protocol);
}

/** Whether a page of the origin was served under the `Host` the request names. */
function isOfHost(origin: string, host: string, protocol: 'http' | 'https' | null): boolean {
  if (host === '') return false;
  const lower = host.toLowerCase();
  if (protocol !== null) return origin === `${protocol}://${lower}`;
  return origin === `http://${lower}` || origin === `https://${lower}`;
}
