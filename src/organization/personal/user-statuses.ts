import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { UserStatusDocument } from '../../../schemas/personal/user-status.js';
import type { Transaction } from '../state/transaction.js';
import { emitStatus } from '../views/user-events.js';
import { EMOJI_KEYS, isAway } from '../views/user-view.js';

/** Text and emoji of a status; empty where not set. */
export type StatusFields = Omit<UserStatusDocument, 'user_id'>;

const EMPTY: StatusFields = { status_text: '', emoji_name: '', emoji_code: '', reaction_type: '' };

/**
 * Changes a status, already checked; the event has only the changed keys, the three emoji keys together
 * (events-personal.md#personal-data, `user_status`). Without a change there is no event.
 */
export function changeStatus(
  tx: Transaction,
  user: UserDocument,
  change: Partial<StatusFields>,
): void {
  const { user_id } = user;
  const before: StatusFields = tx.org.statuses.get(user_id) ?? EMPTY;
  const after: StatusFields = { ...EMPTY, ...before, ...change };
  const changed: Record<string, unknown> = {};
  if (after.status_text !== before.status_text) changed.status_text = after.status_text;
  if (EMOJI_KEYS.some((key) => after[key] !== before[key])) {
    for (const key of EMOJI_KEYS) changed[key] = after[key];
  }
  if (Object.keys(changed).length === 0) return;
  const { status_text, emoji_name, emoji_code, reaction_type } = after;
  if (status_text === '' && emoji_name === '') tx.org.statuses.delete(user_id);
  else tx.org.statuses.insert({ user_id, status_text, emoji_name, emoji_code, reaction_type });
  emitStatus(tx, user, changed);
}

/** Emits a change of `presence_enabled` as older clients know it. Call after the change. */
export function emitAway(tx: Transaction, user: UserDocument): void {
  emitStatus(tx, user, { away: isAway(tx.org, user) });
}
