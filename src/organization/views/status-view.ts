import type { UserDocument } from '../../../schemas/users/user-document.js';
import type { Organization } from '../state/organization.js';

/** Keys of a status that are always set together. */
export const EMOJI_KEYS = ['emoji_name', 'emoji_code', 'reaction_type'] as const;

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
export function isAway(org: Organization, user: UserDocument): boolean {
  return !user.is_bot && !org.settings.value(user.user_id, 'presence_enabled');
}
