import type { Transaction } from '../state/transaction.js';

/** Name of a place in permission values. @param of `realm`, `group {id}` or `channel {id}` */
export function placeOf(of: string, permission: string): string {
  return `${of} ${permission}`;
}

/**
 * Forgets who stood in permission values before they were deactivated, because somebody sets these values now
 * (endpoints-groups.md#deactivated-members).
 */
export function forgetPlaces(tx: Transaction, of: string, permissions: readonly string[]): void {
  if (permissions.length === 0) return;
  const { users } = tx.org;
  const gone = new Set(permissions.map((permission) => placeOf(of, permission)));
  for (const { user_id, vacated = [] } of [...users.values()]) {
    const kept = vacated.filter((place) => !gone.has(place));
    if (kept.length < vacated.length) users.update(user_id, { vacated: kept });
  }
}
