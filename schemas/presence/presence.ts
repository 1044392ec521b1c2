import Type, { type Static } from 'typebox';
import { endpoint, oneOf, optional, required, withDefault, type Frozen } from '../endpoint.js';
import { PRESENCE_HISTORY_LIMIT_DAYS } from '../limits.js';
import { checkedText, ShortText } from '../text.js';
import { OWNER } from '../example-values.js';

/** Presence of one user in the modern form, UNIX seconds (specification-resources.md#presence). */
export const ModernPresence = Type.Object(
  {
    active_timestamp: Type.Optional(Type.Integer()),
    idle_timestamp: Type.Optional(Type.Integer()),
  },
  { title: 'Presence' },
);
export type ModernPresence = Frozen<Static<typeof ModernPresence>>;

/** Presence of one user in the legacy form: `aggregated`, and one entry per client name. */
export const LegacyPresence = Type.Record(
  Type.String(),
  Type.Object({
    client: Type.Optional(Type.String()),
    status: Type.String(),
    timestamp: Type.Integer(),
    pushable: Type.Optional(Type.Boolean()),
  }),
  { title: 'LegacyPresence' },
);
export type LegacyPresence = Frozen<Static<typeof LegacyPresence>>;

/** Modern form by user id, or legacy form by e-mail. */
export const Presences = Type.Record(Type.String(), Type.Union([ModernPresence, LegacyPresence]));

/** specification-endpoints.md#update-presence; register-structures.md#presences. */
export const updatePresence = endpoint({
  operation: 'update-presence',
  method: 'POST',
  path: '/users/me/presence',
  isRepeated: true,
  access: 'human',
  summary: 'Report your presence and get that of others',
  params: {
    // Any text: the handler refuses others than active and idle with `Invalid status: {status}`.
    status: required(checkedText({ enum: ['active', 'idle'] })),
    last_update_id: optional(Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER }), {
      nullMeansAbsent: true,
    }),
    history_limit_days: withDefault(Type.Integer({ minimum: 0 }), PRESENCE_HISTORY_LIMIT_DAYS),
    ping_only: withDefault(Type.Boolean(), false),
    new_user_input: withDefault(Type.Boolean(), false),
    slim_presence: withDefault(Type.Boolean(), false),
  },
  response: Type.Object({
    presence_last_update_id: Type.Integer(),
    server_timestamp: Type.Optional(Type.Number()),
    presences: Type.Optional(Presences),
  }),
  errors: [],
  example: { status: 'active', last_update_id: -1 },
  events: ['presence'],
  level: 288,
});

/** Status of a user in the legacy form of one user's presence. */
const statusAmong = <const S extends readonly string[]>(...statuses: S) =>
  Type.Object({ status: oneOf(...statuses), timestamp: Type.Integer() });

/** Presence of one user, since level 497 in both forms (endpoints-users.md#presence-and-status). */
export const getUserPresence = endpoint({
  operation: 'get-user-presence',
  method: 'GET',
  path: '/users/{user_id_or_email}/presence',
  access: 'user',
  summary: "Get a user's presence",
  params: { user_id_or_email: required(ShortText) },
  response: Type.Object({
    presence: Type.Object({
      active_timestamp: Type.Integer(),
      idle_timestamp: Type.Integer(),
      website: statusAmong('active', 'idle'),
      aggregated: statusAmong('active', 'idle', 'offline'),
    }),
    server_timestamp: Type.Number(),
  }),
  errors: [],
  example: { user_id_or_email: String(OWNER) },
  events: [],
  level: 497,
});

/** Everybody's presence in the legacy form, by e-mail (endpoints-users.md#presence-and-status). */
export const getRealmPresence = endpoint({
  operation: 'get-realm-presence',
  method: 'GET',
  path: '/realm/presence',
  access: 'user',
  summary: 'Get the presence of all users',
  params: {},
  response: Type.Object({
    presences: Type.Record(Type.String(), LegacyPresence),
    server_timestamp: Type.Number(),
  }),
  errors: [],
  events: [],
});
