/**
 * The secret from which API keys are derived, and its fingerprint in the store: a process with another
 * secret would change every key when it takes over, so it never leads.
 */
import { createHmac } from 'node:crypto';
import type { KeySecretDocument } from '../../../schemas/store/key-secret-document.js';
import type { Transaction } from '../../organization/state/transaction.js';
import { isShared, loadSecret, readSecret } from '../../services/auth/api-keys.js';
import { fingerprintOf, isFingerprintOf } from '../../services/auth/secret-fingerprint.js';
import type { DocumentKey, Store } from '../../store/port.js';
import { unfinishedImport } from '../../store/transfer/unfinished.js';

/** Of the document that has the fingerprint. */
export const FINGERPRINT: DocumentKey = { collection: 'key_secret', id: 'key_secret' };

/** This process may not serve the store: its secret would change every API key. */
export class ForeignSecretError extends Error {
  constructor(problem: string, path: string) {
    super(
      `${problem}. Copy the secret of the processes that serve the organization, or of the server ` +
        `it was exported from, to ${path}. Where it is lost for good, parley forget-secret lets ` +
        'the next start take another, and all API keys change',
    );
    this.name = 'ForeignSecretError';
  }
}

/** A secret and its file. */
export class KeySecret {
  private constructor(
    readonly path: string,
    readonly bytes: Buffer,
  ) {}

  /**
   * Reads the secret; creates it where neither the file nor a fingerprint in the store exists.
   * @throws ForeignSecretError when it is missing, or not the store's
   * @throws Error when the file cannot be read or written, or is no secret
   */
  static async load(path: string, store: Store): Promise<KeySecret> {
    const existing = await readSecret(path);
    if (existing === null && (await fingerprintIn(store)) !== null) {
      throw new ForeignSecretError(
        `${store.description} has API keys, but the secret that they are derived from is missing here`,
        path,
      );
    }
    const secret = new KeySecret(path, existing ?? (await loadSecret(path)));
    await secret.assertFits(store);
    return secret;
  }

  /** The key that nodes of one organization show one another. */
  nodeKey(): string {
    return createHmac('sha256', this.bytes).update('parley node key').digest('base64url');
  }

  /** @throws ForeignSecretError for a store whose API keys come from another secret */
  async assertFits(store: Store): Promise<void> {
    const stored = await fingerprintIn(store);
    if (stored === null || isFingerprintOf(this.bytes, stored)) return;
    throw new ForeignSecretError(
      `The API keys of ${store.description} come from another secret than this process has`,
      this.path,
    );
  }

  /** A warning for the operator about the file's permissions, or null. */
  async warning(): Promise<string | null> {
    if (!(await isShared(this.path))) return null;
    return `${this.path} is accessible to other accounts, and all API keys are derived from it: set its mode to 0600`;
  }

  /** Stores the fingerprint, where the store has none. */
  record(tx: Transaction): void {
    const { keySecret } = tx.org;
    if (keySecret.size === 0) keySecret.insert(fingerprintOf(this.bytes));
  }
}

/** The stored fingerprint; null also for a store that is being filled. */
async function fingerprintIn(store: Store): Promise<KeySecretDocument | null> {
  if ((await unfinishedImport(store)) !== null) return null;
  const [stored] = await store.getMany([FINGERPRINT]);
  return (stored as KeySecretDocument | undefined) ?? null;
}
