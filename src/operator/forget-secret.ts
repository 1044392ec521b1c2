import { FINGERPRINT } from '../nodes/history/key-secret.js';
import { openStore } from '../store/open.js';
import { assertStoreThere } from '../store/transfer/command.js';
import { withLease } from '../store/transfer/held.js';

/**
 * `parley forget-secret`: removes the fingerprint, so that the next start accepts any secret.
 * @throws Error when the store is served
 */
export async function forgetSecret(
  url: string,
  report: (line: string) => void,
): Promise<{ readonly store: string }> {
  assertStoreThere(url);
  const store = await openStore(url);
  try {
    await withLease(store, ({ lease }) =>
      store.commit(lease, { entries: [], writes: [{ op: 'delete', key: FINGERPRINT }], due: [] }),
    );
    report(`${store.description} accepts the secret of the next start; all API keys change`);
    return { store: store.description };
  } finally {
    await store.close();
  }
}
