import type { TlsFiles } from './tls-files.js';
import { systemClock } from '../../platform/clock.js';
import { type Certificate, readCertificate } from './certificate.js';

/** How often the files are looked at: a renewal comes weeks before the old certificate expires. Milliseconds. */
export const LOOK_MS = 60_000;

/** How long before the end an operator is told: programs that renew begin 30 days before. Milliseconds. */
const WARN_MS = 14 * 86_400_000;
/** Milliseconds. */
const WARN_EVERY_MS = 86_400_000;

/** Where an operator reads what happened. */
export interface RenewalLog {
  info(context: object, message: string): void;
  warn(context: object, message: string): void;
}

/** Serves new connections with another certificate. @throws Error when it cannot be used, and nothing changes */
export type Renew = (files: TlsFiles) => void;

/**
 * CertificateRenewal looks at the files of the certificate, and lets the server take a renewed one. The program that
 * renews may write the two files one after the other: where they do not fit, the next look may find that they do.
 */
export class CertificateRenewal {
  private current: Certificate;
  private refusal = '';
  private warnedAt = -Infinity;

  /** @throws CertificateError where there is none to begin with */
  constructor(
    private readonly files: TlsFiles,
    private readonly renew: Renew,
    private readonly log: RenewalLog,
    private readonly now: () => number = () => systemClock.now(),
  ) {
    this.current = readCertificate(files);
    this.warn();
  }

  /** When the certificate in use expires, milliseconds since the epoch. */
  get expiresAt(): number {
    return this.current.expiresAt;
  }

  /** Takes what is in the files where it is another certificate. */
  look(): void {
    try {
      const found = readCertificate(this.files);
      if (found.fingerprint !== this.current.fingerprint) {
        this.renew(this.files);
        this.current = found;
        const expires = new Date(found.expiresAt).toISOString();
        this.log.info({ expires }, 'the certificate was renewed');
      }
      this.refusal = '';
    } catch (error) {
      const { message } = error as Error;
      // Once, and not every minute.
      if (message !== this.refusal) {
        this.log.warn(
          { reason: message },
          'a renewed certificate cannot be used; the old one stays',
        );
      }
      this.refusal = message;
    }
    this.warn();
  }

  private warn(): void {
    const now = this.now();
    if (this.expiresAt - now > WARN_MS || now - this.warnedAt < WARN_EVERY_MS) return;
    this.warnedAt = now;
    const expires = new Date(this.expiresAt).toISOString();
    this.log.warn({ expires }, 'the certificate expires soon, or has expired');
  }
}
