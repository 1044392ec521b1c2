/**
 * The secret that API keys are derived from, and the mark of it that the store keeps: a process with
 * another secret would change every key when it takes over, so it never leads.
 */
import type { KeySecretDocument } from '../../schemas/store/key-secret-document.js';
import type { Transaction } from '../organization/state/transaction.js';
import { isShared, loadSecret, readSecret } from '../services/auth/api-keys.js';
import { fingerprintOf, isFingerprintOf } from '../services/auth/secret-fingerprint.js';
import { openStore } from '../store/open.js';
import type { DocumentKey, Store } from '../store/port.js';
import { assertStoreThere } from '../store/transfer/command.js';
import { withLease } from '../store/transfer/held.js';
import { unfinishedImport } from '../store/transfer/unfinished.js';

const MARK: DocumentKey = { collection: 'key_secret', id: 'key_secret' };

/** This process may not serve the store: with its secret everybody's API key would be another. */
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

/** A secret and where it lies. */
export class KeySecret {
  private constructor(
    readonly path: string,
    readonly bytes: Buffer,
  ) {}

  /**
   * Reads the secret; where there is none yet and the store knows of none either, makes it.
   * @throws ForeignSecretError when it is missing, or not the one of the store
   * @throws Error when the file cannot be read or written, or is no secret
   */
  static async load(path: string, store: Store): Promise<KeySecret> {
    const existing = await readSecret(path);
    if (existing === null && (await markIn(store)) !== null) {
      throw new ForeignSecretError(
        `${store.description} has API keys, and the secret they come from is not here`,
        path,
      );
    }
    const secret = new KeySecret(path, existing ?? (await loadSecret(path)));
    await secret.assertFits(store);
    return secret;
  }

  /** @throws ForeignSecretError for a store whose API keys come from another secret */
  async assertFits(store: Store): Promise<void> {
    const mark = await markIn(store);
    if (mark === null || isFingerprintOf(this.bytes, mark)) return;
    throw new ForeignSecretError(
      `The API keys of ${store.description} come from another secret than this process has`,
      this.path,
    );
  }

  /** What the operator should know about the file, or null. */
  async warning(): Promise<string | null> {
    if (!(await isShared(this.path))) return null;
    return `${this.path} is open to other accounts, and all API keys come from it: give it mode 0600`;
  }

  /** Lets the store know the secret from now on, where it knows none. */
  note(tx: Transaction): void {
    const { keySecret } = tx.org;
    if (keySecret.size === 0) keySecret.insert(fingerprintOf(this.bytes));
  }
}

/** What the store knows; null too for one that is just being filled. */
async function markIn(store: Store): Promise<KeySecretDocument | null> {
  if ((await unfinishedImport(store)) !== null) return null;
  const [mark] = await store.getMany([MARK]);
  return (mark as KeySecretDocument | undefined) ?? null;
}

/**
 * `parley forget-secret`: the next start takes its secret for the right one, whatever it is.
 * @throws Error when the store is served
 */
export async function forgetSecret(url: string, report: (line: string) => void): Promise<void> {
  assertStoreThere(url);
  const store = await openStore(url);
  try {
    await withLease(store, ({ lease }) =>
      store.commit(lease, { entries: [], writes: [{ op: 'delete', key: MARK }], due: [] }),
    );
    report(`${store.description} takes the secret of the next start; all API keys change with it`);
  } finally {
    await store.close();
  }
}
