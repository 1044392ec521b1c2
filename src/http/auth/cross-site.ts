/** The headers with which a browser reports the origin of a request; other programs send neither. */
export interface BrowserHeaders {
  /** `Origin`; empty where absent, as in navigations. */
  readonly origin: string;
  /** `Sec-Fetch-Site`; empty where absent, as in older browsers and on plain HTTP. */
  readonly fetchSite: string;
  readonly host: string;
}

/** The origins whose pages may use credentials. */
export interface Origins {
  /** Origin of the public base URL; read at each request that a browser sent from elsewhere. */
  readonly own: () => string;
  /** Other origins whose pages may call; `*` for all. */
  readonly allowed: readonly string[];
}

/**
 * CrossSiteGuard detects requests that a page of another site made a browser send. A browser adds
 * remembered Basic credentials to such requests without asking, and nothing in the request shows whether
 * the page knew them, so credentials count only in requests of allowed pages.
 *
 * The rules are those of Go's `http.CrossOriginProtection`, applied to every method: a `GET` of events
 * acknowledges, and a form may choose another method.
 */
export class CrossSiteGuard {
  private readonly allowed: ReadonlySet<string>;
  private readonly allowsAll: boolean;

  constructor(private readonly origins: Origins) {
    this.allowed = new Set(origins.allowed);
    this.allowsAll = this.allowed.has('*');
  }

  /**
   * Whether a page of another site caused the request.
   * @param protocol how the client reached the server; null where unknown
   */
  isForeign(
    { origin, fetchSite, host }: BrowserHeaders,
    protocol: 'http' | 'https' | null,
  ): boolean {
    // Pages cannot set this header.
    if (fetchSite === 'same-origin' || fetchSite === 'none') return false;
    if (origin === '') return fetchSite !== '' && !this.allowsAll;
    return !this.isAllowed(origin) && (fetchSite !== '' || !isOfHost(origin, host, protocol));
  }

  private isAllowed(origin: string): boolean {
    return this.allowsAll || this.allowed.has(origin) || origin === this.origins.own();
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
