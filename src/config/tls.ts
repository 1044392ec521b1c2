import { ConfigError, type Given } from './values.js';
import { portFrom } from './network.js';

/** How this process terminates TLS itself; null in `Config`: a proxy does, or nobody. */
export interface TlsConfig {
  /** File of the certificate chain, in PEM. */
  readonly certificate: string;
  /** File of its private key, in PEM. */
  readonly key: string;
  /** The port at which plain HTTP is redirected to HTTPS; null: none. */
  readonly redirectPort: number | null;
}

/** @throws ConfigError where one of the two files is missing, or plain HTTP is to be redirected to nothing */
export function tlsFrom(certificate: Given, key: Given, redirect: Given): TlsConfig | null {
  if (certificate.value === '' || key.value === '') {
    const alone = [certificate, key, redirect].find(({ value }) => value !== '');
    if (alone === undefined) return null;
    throw new ConfigError(
      `${alone.source}: TLS takes both a certificate (tls-cert) and its key (tls-key)`,
    );
  }
  const redirectPort = redirect.value === '' ? null : portFrom(redirect);
  return { certificate: certificate.value, key: key.value, redirectPort };
}
