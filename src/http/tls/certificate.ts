import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { TlsFiles } from './tls-files.js';
import { readFileSync } from '../../platform/files.js';

/** Why a certificate cannot be used: one sentence that names the file. */
export class CertificateError extends Error {
  constructor(file: string, reason: string) {
    super(`${file}: ${reason}`);
    this.name = 'CertificateError';
  }
}

/** What is told of a certificate. */
export interface Certificate {
  /** Identifies it among others. */
  readonly fingerprint: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Enough for a chain of fifty certificates, in case that another file is named by mistake. Bytes. */
const MAX_BYTES = 256 * 1024;

/**
 * Reads the first certificate of a chain, and checks that the key is its own. The native layer says only that it could
 * not use them.
 * @throws CertificateError
 */
export function readCertificate({ certificate, key }: TlsFiles): Certificate {
  const chain = parsed(
    certificate,
    'is no certificate in PEM',
    (text) => new X509Certificate(text),
  );
  const secret = parsed(key, 'is no private key in PEM without a passphrase', createPrivateKey);
  if (!chain.checkPrivateKey(secret)) {
    throw new CertificateError(key, `is not the key of the certificate in ${certificate}`);
  }
  return { fingerprint: chain.fingerprint256, expiresAt: Date.parse(chain.validTo) };
}

function parsed<T>(file: string, wrong: string, parse: (text: string) => T): T {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CertificateError(file, `cannot be read (${(error as { code?: string }).code})`);
  }
  try {
    if (text.length <= MAX_BYTES) return parse(text);
  } catch {
    // What the parser says repeats parts of the file.
  }
  throw new CertificateError(file, wrong);
}
