import type { HttpSite } from './http-site.js';
import { remoteAddressOf } from './limits/guarded.js';
import { joinedHeaders, type NativeRequest, type NativeResponse } from './native.js';
import type { TrustedProxies } from './request/trusted-proxies.js';

/** A port behind a host name or an address in brackets. */
const PORT = /:\d{0,5}$/;

const FORWARDED_HOST = 'x-forwarded-host';

/** The host name in a `Host` header, as names are compared: lower case, without port and the dot of the root. */
export function hostNameIn(header: string): string {
  const name = header.trim().toLowerCase().replace(PORT, '');
  return name.endsWith('.') ? name.slice(0, -1) : name;
}

/**
 * SiteTable decides which site a request is for, by the host name that its client asks for. Without names there is one
 * site, which serves all host names: then nothing of the request is read.
 */
export class SiteTable {
  private readonly byName = new Map<string, HttpSite>();
  /** Serves every host name. */
  private only: HttpSite | null = null;

  /** @param proxies whose `X-Forwarded-Host` is believed; null: nobody's */
  constructor(private readonly proxies: TrustedProxies | null) {}

  /**
   * A site serves requests from now on, by these host names instead of those it had.
   * @param names null: every one
   * @throws Error where another site has one of them
   */
  name(site: HttpSite, names: readonly string[] | null): void {
    const taken = (names ?? [...this.byName.keys()]).find(
      (name) => (this.byName.get(name) ?? site) !== site,
    );
    if (taken !== undefined) throw new Error(`Another site has the host name ${taken}`);
    if (this.only !== null && this.only !== site) throw new Error('A site has every host name');
    this.remove(site);
    if (names === null) this.only = site;
    else for (const name of names) this.byName.set(name, site);
  }

  /** A site serves no further requests. */
  remove(site: HttpSite): void {
    if (this.only === site) this.only = null;
    for (const [name, one] of this.byName) if (one === site) this.byName.delete(name);
  }

  /** Null where no site has the host name. */
  of(response: NativeResponse, request: NativeRequest): HttpSite | null {
    if (this.only !== null) return this.only;
    return this.byName.get(this.nameIn(response, request)) ?? null;
  }

  /** The host name that a request asks for. */
  nameIn(response: NativeResponse, request: NativeRequest): string {
    return hostNameIn(this.askedHost(response, request));
  }

  /** What the client asked the outermost proxy for; the last value of all lines is that of the nearest, the only one that is known. */
  private askedHost(response: NativeResponse, request: NativeRequest): string {
    if (this.proxies !== null) {
      const isTold = request.getHeader(FORWARDED_HOST) !== '';
      if (isTold && this.proxies.trusts(remoteAddressOf(response))) {
        const told = joinedHeaders(request, [FORWARDED_HOST])[FORWARDED_HOST];
        return told.slice(told.lastIndexOf(',') + 1);
      }
    }
    return request.getHeader('host');
  }
}
