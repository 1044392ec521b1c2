import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { UserStatusDocument } from '../../../schemas/personal/user-status-document.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';

/** Text and emoji of a status; empty where not set. */
export type StatusFields = Omit<UserStatusDocument, 'user_id'>;

const EMPTY: StatusFields = { status_text: '', emoji_name: '', emoji_code: '', reaction_type: '' };

/** Keys of a status that are always set together. */
const EMOJI_KEYS = ['emoji_name', 'emoji_code', 'reaction_type'] as const;

/** A status as the wire shows it: only the keys that are set; `{}` if none. */
export function statusObject(org: Organization, user: UserDocument): Record<string, unknown> {
  const stored = org.statuses.get(user.user_id);
  const shown: Record<string, unknown> = {};
  if (isAway(org, user)) shown.away = true;
  if (!stored) return shown;
  if (stored.status_text !== '') shown.status_text = stored.status_text;
  if (stored.emoji_name !== '') for (const key of EMOJI_KEYS) shown[key] = stored[key];
  return shown;
}

/** `away` of older clients: the user does not share their presence. */
function isAway(org: Organization, user: UserDocument): boolean {
  return !user.is_bot && !org.settings.value(user.user_id, 'presence_enabled');
}

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
  tx.emit('user_status', { to: 'all' }, { user_id, ...changed });
}

/** Emits a change of `presence_enabled` as older clients know it. Call after the change. */
export function emitAway(tx: Transaction, user: UserDocument): void {
  const { user_id } = user;
  tx.emit('user_status', { to: 'all' }, { user_id, away: isAway(tx.org, user) });
}
