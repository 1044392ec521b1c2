/** Files of a certificate chain and of its private key, in PEM. */
export interface TlsFiles {
  readonly certificate: string;
  readonly key: string;
}
