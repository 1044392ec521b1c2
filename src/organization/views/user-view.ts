import type { Mutable } from '../../../schemas/endpoint.js';
import { createHash } from 'node:crypto';
import type { UserObject } from '../../../schemas/users/users.js';
import { ROLE, type Role, type UserDocument } from '../../../schemas/users/user-document.js';
import { lruOfEntries } from '../../platform/lru.js';
import type { UserSettingsDocument } from '../state/collections/users.js';
import type { Organization } from '../state/organization.js';

/** Values of `email_address_visibility`. */
const VISIBILITY = {
  everyone: 1,
  members: 2,
  administrators: 3,
  nobody: 4,
  moderators: 5,
} as const;

/** Address shown where the real one is hidden: `user7@…` (endpoints-users.md#user-object). */
export function placeholderEmail(org: Organization, userId: number): string {
  return `user${userId}@${org.site.botDomain}`;
}

/** Whether the real address is the API address, that is, visible to everyone. */
function isPublic(org: Organization, user: UserDocument): boolean {
  return (
    user.is_bot ||
    org.settings.value(user.user_id, 'email_address_visibility') === VISIBILITY.everyone
  );
}

/** The API e-mail, the same for every viewer: it names the user in Basic authentication. */
export function apiEmail(org: Organization, user: UserDocument): string {
  return isPublic(org, user) ? user.email : placeholderEmail(org, user.user_id);
}

/** Whether `viewer` may see the real address of `user`. */
export function canSeeEmail(org: Organization, viewer: UserDocument, user: UserDocument): boolean {
  return viewer.user_id === user.user_id || roleSeesEmail(org, viewer.role, user);
}

/** Whether others of a role may see the real address of `user`. */
export function roleSeesEmail(org: Organization, role: Role, user: UserDocument): boolean {
  if (user.is_bot) return true;
  switch (org.settings.value(user.user_id, 'email_address_visibility')) {
    case VISIBILITY.everyone:
      return true;
    case VISIBILITY.members:
      return role <= ROLE.member;
    case VISIBILITY.moderators:
      return role <= ROLE.moderator;
    case VISIBILITY.administrators:
      return role <= ROLE.administrator;
    default:
      return false;
  }
}

/** The user with an API or real address, compared without case; placeholders included. */
export function userByEmail(org: Organization, email: string): UserDocument | undefined {
  const direct = org.users.byRealEmail(email);
  if (direct) return direct;
  const match = /^user([1-9]\d{0,14})@(.+)$/i.exec(email);
  if (!match || match[2]!.toLowerCase() !== org.site.botDomain.toLowerCase()) return undefined;
  return org.users.get(Number(match[1]));
}

/** Cached digests of addresses: every snapshot of a large organization needs all of them. */
const digests = lruOfEntries<string, string>(100_000);

function addressDigest(email: string): string {
  let digest = digests.get(email);
  if (digest === undefined) {
    digest = createHash('md5').update(email.toLowerCase()).digest('hex');
    digests.set(email, digest);
  }
  return digest;
}

/** Picture sizes: 100 pixels, or 500 for the medium form. */
export type AvatarSize = 'normal' | 'medium';

/** Path of avatars: uploaded ones, and generated ones below `identicon/`. */
export const AVATAR_PATH = '/user_avatars/';

/**
 * Address of the user's avatar: relative where the server stores or generates it (`avatar_source` U and J);
 * otherwise that of an external provider, derived from the API e-mail as clients derive it, too (G).
 */
export function avatarUrl(
  org: Organization,
  user: UserDocument,
  size: AvatarSize = 'normal',
): string {
  if (user.avatar_source !== 'G') {
    const file = user.avatar_file ?? `identicon/${user.user_id}`;
    const suffix = size === 'medium' ? '-medium' : '';
    return `${AVATAR_PATH}${file}${suffix}.png?version=${user.avatar_version}`;
  }
  const hash = addressDigest(apiEmail(org, user));
  const large = size === 'medium' ? '&s=500' : '';
  return `https://secure.gravatar.com/avatar/${hash}?d=identicon${large}&version=${user.avatar_version}`;
}

/** Whether a client can compute the picture's address itself (`client_gravatar`). */
export function clientCanComputeAvatar(org: Organization, user: UserDocument): boolean {
  return user.avatar_source === 'G' && isPublic(org, user);
}

/** Options of a user object. */
export interface UserViewOptions {
  clientGravatar: boolean;
  /** `profile_data` for humans. */
  withProfile: boolean;
}

/** ISO 8601 with an offset, to the minute (events-people.md#people). */
export function isoMinutes(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16)}+00:00`;
}

/** The user object of events-people.md#people (`realm_user` add) as `viewer` may see it. */
export function userView(
  org: Organization,
  viewer: UserDocument,
  user: UserDocument,
  options: UserViewOptions,
): UserObject {
  const visible = canSeeEmail(org, viewer, user);
  return userFields(org, user, visible, options);
}

/** Like `userView`, given the visibility of the address instead of the viewer. */
export function userFields(
  org: Organization,
  user: UserDocument,
  emailVisible: boolean,
  options: UserViewOptions,
): UserObject {
  const view: Mutable<UserObject> = {
    user_id: user.user_id,
    delivery_email: emailVisible ? user.email : null,
    email: apiEmail(org, user),
    full_name: user.full_name,
    date_joined: isoMinutes(user.date_joined),
    is_active: user.is_active,
    is_owner: user.role === ROLE.owner,
    is_admin: user.role <= ROLE.administrator,
    is_guest: user.role === ROLE.guest,
    is_bot: user.is_bot,
    bot_type: user.bot_type,
    bot_owner_id: user.bot_owner_id,
    role: user.role,
    timezone: org.settings.value(user.user_id, 'timezone'),
    avatar_url:
      options.clientGravatar && clientCanComputeAvatar(org, user) ? null : avatarUrl(org, user),
    avatar_version: user.avatar_version,
    is_imported_stub: user.is_imported_stub,
    presence_enabled: !isAway(org, user),
  };
  if (user.is_system_bot) view.is_system_bot = true;
  if (user.is_deleted === true) view.is_deleted = true;
  if (options.withProfile && !user.is_bot) view.profile_data = org.profiles.shown(user.user_id);
  return view;
}

/** Own views kept as texts, at most: some 10 MB. */
const MAX_OWN_TEXTS = 10_000;

/** A user's own view as JSON fields, and the settings that it was made with. */
interface OwnText {
  readonly settings: UserSettingsDocument | undefined;
  readonly text: string;
}

/** By the document, which a change replaces. */
const ownTexts = lruOfEntries<UserDocument, OwnText>(MAX_OWN_TEXTS);

/** The fields of a user's view of themselves, without `profile_data`, as JSON text without braces. */
export function ownViewText(org: Organization, user: UserDocument): string {
  const settings = org.settings.get(user.user_id);
  let own = ownTexts.get(user);
  if (own === undefined || own.settings !== settings) {
    const view = userFields(org, user, true, { clientGravatar: false, withProfile: false });
    own = { settings, text: JSON.stringify(view).slice(1, -1) };
    ownTexts.set(user, own);
  }
  return own.text;
}

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
