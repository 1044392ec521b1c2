import { createHash } from 'node:crypto';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import type {
  ConfirmationDocument,
  ConfirmationKind,
  ConfirmationOf,
} from '../../../schemas/accounts/confirmation-document.js';
import { CONFIRMATION_LINK_VALIDITY_DAYS } from '../../../schemas/limits.js';
import { badRequest, type ApiError } from '../../errors/index.js';
import { isWellFormedKey } from '../../services/auth/api-keys.js';
import { linkKeyHash, type NewLink } from '../../services/auth/link-keys.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';

const DAY_MS = 86_400_000;

/** `Omit` that distributes over a union. */
type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;
/** A confirmation without its link and expiry. */
type NewConfirmation = Without<ConfirmationDocument, keyof NewLink | 'expires_at'>;

/** Stores a link that is valid for a day, and deletes expired ones. */
export function createConfirmation(
  tx: Transaction,
  link: NewLink,
  confirmation: NewConfirmation,
): ConfirmationDocument {
  removeExpired(tx);
  const expires_at = tx.now + CONFIRMATION_LINK_VALIDITY_DAYS * DAY_MS;
  return tx.org.confirmations.insert({ ...confirmation, ...link, expires_at });
}

/** Deletes expired links: following one gives the same error as an unknown one. */
function removeExpired(tx: Transaction): void {
  const { confirmations } = tx.org;
  const expired = [...confirmations.values()].filter((one) => one.expires_at <= tx.now);
  for (const { key_hash } of expired) confirmations.delete(key_hash);
}

/** The confirmation of a key. @throws ApiError 404 for an unknown or expired key, or one of another kind */
export function openConfirmation<K extends ConfirmationKind>(
  org: Organization,
  key: string,
  kind: K,
  now: number,
): ConfirmationOf<K> {
  const found = org.confirmations.get(hashOf(key));
  if (found?.kind !== kind || found.expires_at <= now) throw linkExpired();
  return found as ConfirmationOf<K>;
}

/** The digest of a well-formed key. @throws ApiError 404 `… malformed.` */
export function hashOf(key: string): string {
  if (!isWellFormedKey(key)) {
    throw badRequest('Whoops. The confirmation link is malformed.', 404);
  }
  return linkKeyHash(key);
}

/**
 * The error of an expired, used, revoked or unknown link; it does not say which
 * (endpoints-invitations.md#refused-links).
 */
export function linkExpired(): ApiError {
  return badRequest('Whoops. The confirmation link has expired or been deactivated.', 404);
}

/**
 * Digest of an account's present credentials. A link that stores it becomes invalid with a new address,
 * password or key.
 */
export function credentialsOf({ email, password_hash, key_version }: UserDocument): string {
  const text = JSON.stringify([email, password_hash, key_version]);
  return createHash('sha256').update(text).digest('base64url');
}
