import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { Empty, endpoint, Id, optional, required } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { OPHELIA, OWNER } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { MAX_STATUS_TEXT_LENGTH } from '../limits.js';
import { REACTION_TYPES } from '../messages/message.js';
import { parameterTexts } from '../parameter-texts.js';
import { checkedText, ShortText, text } from '../text.js';

/** Stored status of a user who set one; `away` follows from the setting `presence_enabled`. */
export const UserStatusDocument = Type.Object({
  user_id: Type.Integer(),
  status_text: Type.String(),
  /** The three are all empty, or all set. */
  emoji_name: Type.String(),
  emoji_code: Type.String(),
  reaction_type: Type.String(),
});
export type UserStatusDocument = Static<typeof UserStatusDocument>;

/** The stored documents of `user_status`. */
export const userStatusCollection = collection('user_status', UserStatusDocument);

const STATUS = {
  status_text: optional(text(MAX_STATUS_TEXT_LENGTH)),
  emoji_name: optional(ShortText),
  emoji_code: optional(ShortText),
  reaction_type: optional(checkedText({ enum: [...REACTION_TYPES, ''] })),
};

/** What a status shows: only what is set. */
export const UserStatus = Type.Object(
  {
    away: Type.Optional(Type.Boolean()),
    status_text: Type.Optional(Type.String()),
    emoji_name: Type.Optional(Type.String()),
    emoji_code: Type.Optional(Type.String()),
    reaction_type: Type.Optional(Type.String()),
  },
  { title: 'UserStatus' },
);

/** endpoints-users.md#presence-and-status; empty texts clear. */
export const updateOwnStatus = endpoint({
  operation: 'update-own-status',
  method: 'POST',
  path: '/users/me/status',
  access: 'human',
  summary: 'Set your own status',
  params: {
    ...STATUS,
    away: optional(Type.Boolean(), { description: 'Older form of the setting presence_enabled' }),
  },
  response: Empty,
  errors: [],
  example: { status_text: 'on the ramparts' },
  events: ['user_status', 'user_settings', 'presence', 'realm_user'],
});

/** endpoints-users.md#presence-and-status. */
export const updateUserStatus = endpoint({
  operation: 'update-user-status',
  method: 'POST',
  path: '/users/{user_id}/status',
  access: 'administrator',
  summary: "Set somebody's status",
  params: { user_id: required(Id), ...STATUS },
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { user_id: OPHELIA, status_text: 'picking flowers' },
  events: ['user_status'],
});

/** endpoints-users.md#presence-and-status. */
export const getUserStatus = endpoint({
  operation: 'get-user-status',
  method: 'GET',
  path: '/users/{user_id}/status',
  access: 'user',
  summary: "Get somebody's status",
  params: { user_id: required(Id) },
  response: Type.Object({ status: UserStatus }),
  errors: [],
  example: { user_id: OWNER },
  events: [],
});

/** events-personal.md#personal-data, `user_status`: only what changed; the three emoji keys come together. */
export const UserStatusChanged = Type.Object(
  {
    type: Type.Literal('user_status'),
    user_id: Type.Integer(),
    away: Type.Optional(Type.Boolean()),
    status_text: Type.Optional(Type.String()),
    emoji_name: Type.Optional(Type.String()),
    emoji_code: Type.Optional(Type.String()),
    reaction_type: Type.Optional(Type.String()),
  },
  { ...exact, minProperties: 3 },
);

/** The event of a status. */
export const userStatusEvents = events(UserStatusChanged);

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  emoji_code:
    'What identifies the emoji: code points in hexadecimal joined by `-`, the id of a custom emoji, or the name of a special one. Without it the name decides.',
  reaction_type: 'Kind of emoji: `unicode_emoji`, `realm_emoji` (custom) or `zulip_extra_emoji`.',
  status_text: 'Words beside the name, at most 60 characters; empty for none.',
  'update-own-status.emoji_name': 'Name of the emoji beside the name; empty for none.',
  'update-user-status.emoji_name': 'Name of the emoji beside the name; empty for none.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  away: 'True where the user is shown as away, an older form of the setting `presence_enabled`.',
  status_text: ['What the user says about their day; left out where empty.', 'on the ramparts'],
  'UserStatus.emoji_name': ['Name of the emoji beside it; left out without one.', 'castle'],
  'UserStatus.emoji_code': ['Code of the emoji beside it; left out without one.', '1f3f0'],
  'UserStatus.reaction_type': [
    'Kind of the emoji beside it; left out without one.',
    'unicode_emoji',
  ],
  'user_status.emoji_name': [
    'Name of the emoji; empty where it was removed, left out where it stayed.',
    'castle',
  ],
  'user_status.emoji_code': [
    'Code of the emoji; empty where it was removed, left out where it stayed.',
    '1f3f0',
  ],
  'user_status.reaction_type': [
    'Kind of the emoji; empty where it was removed, left out where it stayed.',
    'unicode_emoji',
  ],
  'user_status.status_text': ['New text; left out where it stayed.', 'on the ramparts'],
  'get-user-status.status': 'The status; empty if none is set.',
});
