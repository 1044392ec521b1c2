import { hostname } from 'node:os';
import { randomUUID } from '../../platform/randomness.js';
import { setInterval, clearInterval } from '../../platform/timers.js';
import { FencedError, type Lease, type Store } from '../port.js';

const LEASE_MS = 15_000;

/** The writer role, held for as long as a tool works. */
export interface HeldLease {
  readonly lease: Lease;
  /** @throws FencedError when somebody else took the role meanwhile */
  readonly still: () => Promise<void>;
}

/** Somebody else has the writer role. */
export class BusyStoreError extends Error {
  constructor(store: string) {
    super(
      `Another process is writing to ${store}: stop it first. ` +
        `After a crash its lock expires within ${LEASE_MS / 1000} seconds`,
    );
    this.name = 'BusyStoreError';
  }
}

/**
 * Does work while nobody else may write.
 * @throws BusyStoreError when somebody else holds the lease
 */
export async function withLease<T>(
  store: Store,
  work: (held: HeldLease) => Promise<T>,
): Promise<T> {
  const holder = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
  const lease = await store.acquireLease(holder, LEASE_MS);
  if (lease === null) throw new BusyStoreError(store.description);
  let lost: FencedError | null = null;
  const still = async (): Promise<void> => {
    if (lost !== null) throw lost;
    await store.renewLease(lease, LEASE_MS);
  };
  const timer = setInterval(() => {
    still().catch((error: unknown) => {
      // Other failures may pass; the work meets them by itself if they do not.
      if (error instanceof FencedError) lost = error;
    });
  }, LEASE_MS / 3);
  try {
    return await work({ lease, still });
  } finally {
    clearInterval(timer);
    await store.releaseLease(lease).catch(() => undefined);
  }
}
