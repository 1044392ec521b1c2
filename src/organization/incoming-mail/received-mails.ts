import { createHash } from 'node:crypto';
import { MAX_RECEIVED_MAILS } from '../../../schemas/limits.js';
import type { Transaction } from '../state/transaction.js';

/** How many of the oldest are forgotten at once where there is no room for another. */
const FORGOTTEN_AT_ONCE = 100;

/** The digest by which a mail to an address is known that comes again. */
export function digestOf(id: string, address: string): string {
  const hash = createHash('sha256').update(address.toLowerCase()).update('\0');
  return hash.update(id).digest('base64url');
}

/** Remembers a mail; the oldest are forgotten beyond the most that are kept. */
export function remember(tx: Transaction, digest: string): void {
  const { receivedMails } = tx.org;
  if (receivedMails.size >= MAX_RECEIVED_MAILS) {
    const byAge = [...receivedMails.values()].sort((a, b) => a.received_at - b.received_at);
    for (const old of byAge.slice(0, FORGOTTEN_AT_ONCE)) receivedMails.delete(old.digest);
  }
  receivedMails.insert({ digest, received_at: tx.now });
}
