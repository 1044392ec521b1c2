import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { UserStatusDocument } from '../../../schemas/personal/user-status-document.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';

/** What somebody says about themselves; empty texts say nothing. */
export type StatusFields = Omit<UserStatusDocument, 'user_id'>;

const EMPTY: StatusFields = { status_text: '', emoji_name: '', emoji_code: '', reaction_type: '' };

/** The keys of a status that come together. */
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

/** Older clients call it away when somebody does not share their presence. */
function isAway(org: Organization, user: UserDocument): boolean {
  return !user.is_bot && !org.settings.value(user.user_id, 'presence_enabled');
}

/**
 * Changes a status, already checked; the event has only what changed, the three emoji keys together
 * (events-personal.md#personal-data, `user_status`). Nothing changed, nothing is told.
 */
export function changeStatus(
  tx: Transaction,
  user: UserDocument,
  change: Partial<StatusFields>,
): void {
  const { user_id } = user;
  const before: StatusFields = tx.org.statuses.get(user_id) ?? EMPTY;
  const after: StatusFields = { ...EMPTY, ...before, ...change };
  const told: Record<string, unknown> = {};
  if (after.status_text !== before.status_text) told.status_text = after.status_text;
  if (EMOJI_KEYS.some((key) => after[key] !== before[key])) {
    for (const key of EMOJI_KEYS) told[key] = after[key];
  }
  if (Object.keys(told).length === 0) return;
  const { status_text, emoji_name, emoji_code, reaction_type } = after;
  if (status_text === '' && emoji_name === '') tx.org.statuses.delete(user_id);
  else tx.org.statuses.insert({ user_id, status_text, emoji_name, emoji_code, reaction_type });
  tx.emit('user_status', { to: 'all' }, { user_id, ...told });
}

/** Tells older clients what a change of `presence_enabled` means. Call after the change. */
export function emitAway(tx: Transaction, user: UserDocument): void {
  const { user_id } = user;
  tx.emit('user_status', { to: 'all' }, { user_id, away: isAway(tx.org, user) });
}
