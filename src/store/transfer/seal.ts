/**
 * The seal of a store whose organization was moved elsewhere: it goes on there, and must not go on here
 * as well, because both would give the same numbers.
 */
import type { DocumentKey, StoreReads, Write } from '../port.js';

/** No collection of an organization; left out of exports. */
export const SEAL_COLLECTION = 'seal';
const SEAL: DocumentKey = { collection: SEAL_COLLECTION, id: '0' };

/** What is noted of a move. */
export type Seal = {
  /** Id of the export file. */
  readonly file: string;
  /** ISO 8601. */
  readonly at: string;
  /** Whether the file was finished. */
  readonly complete: boolean;
};

/** The store was moved, or its move was interrupted; nobody serves or exports it. */
export class SealedStoreError extends Error {
  constructor(store: string, { at, complete }: Seal) {
    const how = complete
      ? `Its organization was moved elsewhere at ${at}, and continues there`
      : `Moving its organization began at ${at} and did not end: run parley export --move again`;
    super(
      `${store} is sealed. ${how}. To continue here instead, run parley new-history --store …: ` +
        'all clients register again',
    );
    this.name = 'SealedStoreError';
  }
}

/** The seal of a store, or null. */
export async function sealOf(store: StoreReads): Promise<Seal | null> {
  const [seal] = await store.getMany([SEAL]);
  if (seal === undefined) return null;
  const { file, at, complete } = seal as Seal;
  return { file, at, complete };
}

/** @throws SealedStoreError when the organization was moved elsewhere */
export async function refuseSealed(store: StoreReads): Promise<void> {
  const seal = await sealOf(store);
  if (seal !== null) throw new SealedStoreError(store.description, seal);
}

/** Seals a store. */
export function sealed({ file, at, complete }: Seal): Write {
  return { op: 'set', key: SEAL, document: { file, at, complete } };
}

/** Takes the seal away. */
export const UNSEALED: Write = { op: 'delete', key: SEAL };
