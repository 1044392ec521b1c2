import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { nullable } from '../endpoint.js';

/** Roles, smaller number = more rights (conventions.md#callers). */
export const ROLE = {
  owner: 100,
  administrator: 200,
  moderator: 300,
  member: 400,
  guest: 600,
} as const;

/** One of the numbers of {@link ROLE}. */
export const Role = Type.Unsafe<100 | 200 | 300 | 400 | 600>(
  Type.Union(Object.values(ROLE).map((role) => Type.Literal(role))),
);
export type Role = Static<typeof Role>;

/** Bot types: 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded. */
export const BOT_TYPE = {
  generic: 1,
  incomingWebhook: 2,
  outgoingWebhook: 3,
  embedded: 4,
} as const;

/** Stored account of a human or bot. Accounts are never deleted; fields of later versions are optional. */
export const UserDocument = Type.Object({
  user_id: Type.Integer(),
  /** The real address (`delivery_email` on the wire), as the user wrote it. */
  email: Type.String(),
  /**
   * Nobody has shown that mails to the address reach the person: they joined by a link at a server without a mail server
   * (endpoints-invitations.md#without-mail). Absent: no.
   */
  is_email_unverified: Type.Optional(Type.Boolean()),
  full_name: Type.String(),
  role: Role,
  is_active: Type.Boolean(),
  is_bot: Type.Boolean(),
  bot_type: nullable(Type.Integer()),
  bot_owner_id: nullable(Type.Integer()),
  /** System bots, such as the notification bot, are in `cross_realm_bots`, never in `realm_users`. */
  is_system_bot: Type.Boolean(),
  /** Milliseconds since 1970, UTC. */
  date_joined: Type.Integer(),
  /** Another user created the account through the API, and nobody has logged in to it yet. */
  awaits_first_login: Type.Optional(Type.Boolean()),
  /**
   * Places in permission values that a deactivated account had: `realm`, `group {id}` or `channel {id}`, and the name
   * of the permission (endpoints-groups.md#deactivated-members).
   */
  vacated: Type.Optional(Type.Array(Type.String())),
  avatar_source: Type.Unsafe<'G' | 'U' | 'J'>(Type.String()),
  avatar_version: Type.Integer(),
  /** Name of the uploaded picture's files; present while `avatar_source` is `U`. */
  avatar_file: Type.Optional(Type.String()),
  is_imported_stub: Type.Boolean(),
  /** Erased (erasure.md#erase); absent: no. */
  is_deleted: Type.Optional(Type.Boolean()),
  /** Argon2 hash, or null for an account that never had a password. */
  password_hash: nullable(Type.String()),
  /** Digests of the addresses from which the person logged in last (`ApiKeys.placeOf`), the newest first. */
  login_places: Type.Optional(Type.Array(Type.String())),
  /** Random; the API key is derived from it and a secret outside the store. */
  key_version: Type.String(),
  /**
   * Whether the user may call `POST /users` (endpoints-users.md#user-administration), set by `parley grant` and
   * `parley revoke`; absent: the role decides.
   */
  creates_users: Type.Optional(Type.Boolean()),
  /** The same right in earlier versions; no longer read. */
  can_create_users: Type.Boolean(),
  /** May give `new_email` to `PATCH /users/{id}` (endpoints-users.md#user-administration); absent means no. */
  can_change_user_emails: Type.Optional(Type.Boolean()),
});
export type UserDocument = Static<typeof UserDocument>;

/** Rights that the operator grants and revokes by command (endpoints-users.md#user-administration). */
export const USER_RIGHTS = ['can_create_users', 'can_change_user_emails'] as const;
export type UserRight = (typeof USER_RIGHTS)[number];

/** Fields of a new person's account, beside identity and key. */
export const ACCOUNT_DEFAULTS = {
  role: ROLE.member,
  is_active: true,
  is_bot: false,
  bot_type: null,
  bot_owner_id: null,
  is_system_bot: false,
  avatar_source: 'G',
  avatar_version: 1,
  is_imported_stub: false,
  password_hash: null,
  can_create_users: false,
} as const satisfies Partial<UserDocument>;

/** The stored documents of `user`. */
export const userCollection = collection('user', UserDocument);

/** Time of a user's last request, written about once a day. */
export const UserActivityDocument = Type.Object({
  user_id: Type.Integer(),
  /** UNIX seconds; later requests within a day do not change it. */
  active_at: Type.Integer(),
});
export type UserActivityDocument = Static<typeof UserActivityDocument>;

/** The stored documents of `user_activity`. */
export const userActivityCollection = collection('user_activity', UserActivityDocument);
