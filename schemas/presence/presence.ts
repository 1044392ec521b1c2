import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import {
  endpoint,
  type Frozen,
  nullable,
  oneOf,
  optional,
  required,
  withDefault,
} from '../endpoint.js';
import { OWNER } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { PRESENCE_HISTORY_LIMIT_DAYS } from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { checkedText, ShortText } from '../text.js';

/** Stored presence of one user (register-structures.md#presences). Times in UNIX seconds. */
export const PresenceDocument = Type.Object({
  user_id: Type.Integer(),
  active_timestamp: nullable(Type.Integer()),
  idle_timestamp: nullable(Type.Integer()),
  /** Position in the organization-wide sequence of presence changes. */
  update_id: Type.Integer(),
});
export type PresenceDocument = Static<typeof PresenceDocument>;

/** The stored documents of `presence`. */
export const presenceCollection = collection('presence', PresenceDocument);

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

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  'get-user-presence.user_id_or_email':
    'Whose presence: the id of an account, or its API e-mail address.',
  status: 'What the client sees of its person: `active` or `idle`.',
  last_update_id:
    'The `presence_last_update_id` of the reply before, or -1: only what changed since comes back, in the modern form. Since level 263.',
  history_limit_days:
    'Days without activity after which users are left out of the reply; 0: no users. Since level 288.',
  ping_only: 'Whether the reply leaves out the presence of others.',
  new_user_input:
    'Whether the person used the client since the last call; presence itself goes by `status`.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  active_timestamp: ['When the user last did something in a client, UNIX seconds.', 1_750_000_000],
  idle_timestamp: [
    'When a client of the user was last there, with or without somebody at it, UNIX seconds.',
    1_750_000_000,
  ],
  'LegacyPresence.client': ['Name of the client.', 'website'],
  'LegacyPresence.status': ['`active` or `idle`.', 'active'],
  'LegacyPresence.timestamp': ['When that client was there, UNIX seconds.', 1_750_000_000],
  pushable: 'Whether the client can be reached by push notifications.',
  presence_last_update_id: [
    'Cursor of presences: the next request sends it as `last_update_id` and gets what changed since.',
    17,
  ],
  server_timestamp: ['Time of the server, UNIX seconds with a fraction.', 1_750_000_000.25],
  presences: [
    'Presences by user id, or in the legacy form by e-mail address.',
    { 4: { active_timestamp: 1_750_000_000, idle_timestamp: 1_750_000_000 } },
  ],
  'get-realm-presence.presences': [
    'Presences by e-mail address: `aggregated`, and one for each kind of client.',
    {
      'owner@example.com': {
        aggregated: { client: 'website', status: 'active', timestamp: 1_750_000_000 },
      },
    },
  ],
  'get-user-presence.presence':
    'Presence of the user in the modern form, and in the legacy form (`website`, `aggregated`). Since level 497.',
  website: 'What the user’s clients last reported.',
  aggregated: 'The same, but `offline` where the last report is older than the offline threshold.',
  'website.status': ['`active` or `idle`.', 'active'],
  'aggregated.status': ['`active`, `idle` or `offline`.', 'active'],
  'website.timestamp': ['When the clients reported it, UNIX seconds.', 1_750_000_000],
  'aggregated.timestamp': ['When the clients reported it, UNIX seconds.', 1_750_000_000],
  'presence.presence': [
    'Presence of the user by client, in the slim form.',
    { website: { client: 'website', status: 'active', timestamp: 1_750_000_000, pushable: false } },
  ],
  'presence.status': 'Whether somebody was at the client.',
});
