import type { TlsFiles } from './tls-files.js';
import { clearInterval, setInterval } from '../../platform/timers.js';
import { listening } from '../cannot-listen.js';
import { CertificateRenewal, LOOK_MS, type Renew, type RenewalLog } from './certificate-renewal.js';
import type { ConnectionLimit } from '../limits/connection-limit.js';
import { MAX_REDIRECT_CONNECTIONS, RedirectListener } from './redirect-listener.js';

/** How a server terminates TLS. */
export interface HttpsOptions extends TlsFiles {
  /** The port at which plain HTTP is redirected to HTTPS; null: none. */
  readonly redirectPort: number | null;
}

/** Where a server is reached by HTTPS. */
export interface HttpsPlace {
  readonly host: string;
  readonly port: number;
  /** The public base URL; null: clients are redirected to the name by which they came. */
  readonly url: string | null;
  /** Whether others than the name of the base URL are served, so that clients keep the name by which they came. */
  readonly hasOtherNames: () => boolean;
  /** Other processes of this account may listen on the ports too. */
  readonly shared: boolean;
  /** What others keep open in the process, and which addresses are those of trusted proxies. */
  readonly server: {
    readonly limit: ConnectionLimit;
    readonly isProxy: (address: string) => boolean;
  };
}

/** Https does what a process that terminates TLS does beside serving: it renews the certificate, and redirects plain HTTP. */
export class Https {
  private readonly renewal: CertificateRenewal;
  private redirects: RedirectListener | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** @throws CertificateError where there is none to begin with */
  constructor(
    private readonly config: HttpsOptions,
    renew: Renew,
    log: RenewalLog,
  ) {
    this.renewal = new CertificateRenewal(config, renew, log);
  }

  /** The certificate in use, by its file, and when it expires, milliseconds since the epoch. */
  get certificate(): { readonly file: string; readonly expiresAt: number } {
    return { file: this.config.certificate, expiresAt: this.renewal.expiresAt };
  }

  /** @throws Error when nobody can listen at the port of plain HTTP */
  async start({ host, port, url, hasOtherNames, shared, server }: HttpsPlace): Promise<void> {
    const { redirectPort } = this.config;
    if (redirectPort !== null) {
      const place = { host, port: redirectPort, shared };
      const own = url === null ? port : Number(new URL(url).port || 443);
      const target = (): string | number => (url === null || hasOtherNames() ? own : url);
      const gate = server.limit.gate('redirects', MAX_REDIRECT_CONNECTIONS);
      this.redirects = await listening(
        () => new RedirectListener(place, target, gate, server.isProxy),
      );
    }
    this.timer = setInterval(() => this.renewal.look(), LOOK_MS).unref();
  }

  /** The port of plain HTTP; null: none. */
  get redirectPort(): number | null {
    return this.redirects?.port ?? null;
  }

  /** Idempotent. */
  stop(): void {
    clearInterval(this.timer);
    this.redirects?.close();
    this.redirects = undefined;
  }
}
