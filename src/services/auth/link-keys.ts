import { createHash } from 'node:crypto';
import { derivedKey } from './api-keys.js';
import { newToken } from './random-token.js';

/** The digest by which a key is found; the key itself is stored nowhere. */
export function linkKeyHash(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

/** A link to be: what is stored of it. */
export interface NewLink {
  readonly nonce: string;
  readonly key_hash: string;
}

/**
 * Keys of the links in mails and of reusable links: HMAC-SHA256 of a random nonce under the secret
 * that API keys are derived from. A link can be shown and mailed again, and still whoever reads the
 * store alone can follow none.
 */
export class LinkKeys {
  constructor(private readonly secret: Buffer) {}

  /** A new random link. */
  create(): NewLink {
    const nonce = newToken();
    return { nonce, key_hash: linkKeyHash(this.key(nonce)) };
  }

  /** The key of a link. */
  key(nonce: string): string {
    return derivedKey(this.secret, `link:${nonce}`);
  }
}
