import Type, { type Static, type TProperties } from 'typebox';
import {
  endpoint,
  type Frozen,
  Id,
  IdList,
  nullable,
  optional,
  required,
  withDefault,
} from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { OPHELIA, OWNER, SENT } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { MAX_PARAMETER_LENGTH, PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { checkedText, FullName, ShortText } from '../text.js';

/** Values of custom profile fields, by field id as text. */
export const ProfileData = Type.Record(
  Type.String(),
  Type.Object({ value: Type.String(), rendered_value: Type.Optional(Type.String()) }),
);

/** A user as others see them (specification-resources.md#user-profile-object, endpoints-users.md#user-object). */
export const UserObject = Type.Object(
  {
    user_id: Type.Integer(),
    delivery_email: nullable(Type.String()),
    email: Type.String(),
    full_name: Type.String(),
    date_joined: Type.String(),
    is_active: Type.Boolean(),
    is_owner: Type.Boolean(),
    is_admin: Type.Boolean(),
    is_guest: Type.Boolean(),
    is_bot: Type.Boolean(),
    bot_type: nullable(Type.Integer()),
    bot_owner_id: nullable(Type.Integer()),
    role: Type.Integer(),
    timezone: Type.String(),
    avatar_url: nullable(Type.String()),
    avatar_version: Type.Integer(),
    is_imported_stub: Type.Boolean(),
    presence_enabled: Type.Boolean(),
    is_deleted: Type.Optional(Type.Boolean()),
    is_system_bot: Type.Optional(Type.Boolean()),
    profile_data: Type.Optional(ProfileData),
  },
  { title: 'User' },
);
export type UserObject = Frozen<Static<typeof UserObject>>;

const VIEW = {
  client_gravatar: withDefault(Type.Boolean(), true),
  include_custom_profile_fields: withDefault(Type.Boolean(), false),
};

/** The caller's own profile, at the top level of the reply (endpoints-users.md#read-users). */
export const getOwnUser = endpoint({
  operation: 'get-own-user',
  method: 'GET',
  path: '/users/me',
  access: 'user',
  summary: 'Get your own profile',
  params: {},
  response: Type.Object({
    ...UserObject.properties,
    max_message_id: Type.Integer(),
  }),
  errors: [],
  events: [],
});

/** Everyone, deactivated accounts and bots included, system bots not (endpoints-users.md#read-users). */
export const getUsers = endpoint({
  operation: 'get-users',
  method: 'GET',
  path: '/users',
  access: 'user',
  summary: 'Get the users of the organization',
  params: { ...VIEW, user_ids: optional(IdList, { nullMeansAbsent: true }) },
  response: Type.Object({ members: Type.Array(UserObject) }),
  errors: [],
  events: [],
});

/** One user by id (endpoints-users.md#read-users). */
export const getUser = endpoint({
  operation: 'get-user',
  method: 'GET',
  path: '/users/{user_id}',
  access: 'user',
  summary: 'Get a user by id',
  params: { user_id: required(Id), ...VIEW },
  response: Type.Object({ user: UserObject }),
  errors: [],
  example: { user_id: OWNER },
  note: 'The e-mail address of a user may stand in place of the id.',
  events: [],
});

/** One user by API e-mail, or by real e-mail where the caller may see it (endpoints-users.md#read-users). */
export const getUserByEmail = endpoint({
  operation: 'get-user-by-email',
  method: 'GET',
  path: '/users/{email}',
  access: 'user',
  summary: 'Get a user by e-mail address',
  params: { email: required(ShortText), ...VIEW },
  response: Type.Object({ user: UserObject }),
  errors: [],
  unpublished: true,
  events: [],
});

/** For owners and administrators, and accounts that `parley grant` names (endpoints-users.md#user-administration). */
export const createUser = endpoint({
  operation: 'create-user',
  method: 'POST',
  path: '/users',
  access: 'user',
  right: 'can_create_users',
  summary: 'Create a user',
  params: {
    email: required(ShortText),
    full_name: required(FullName),
    password: required(
      checkedText(
        { minLength: PASSWORD_MIN_LENGTH, maxLength: PASSWORD_MAX_LENGTH },
        MAX_PARAMETER_LENGTH,
      ),
    ),
  },
  response: Type.Object({ user_id: Type.Integer() }),
  errors: [],
  example: {
    email: 'ophelia@example.com',
    full_name: 'Ophelia',
    password: 'willow-aslant-a-brook',
  },
  events: ['realm_user', 'user_group', 'subscription', 'invites_changed', 'message'],
});

const UserId = Type.Integer();
const Flag = Type.Boolean();
const Text = Type.String();

/** events-people.md#people, `realm_user` add: an account was created or became visible. */
export const RealmUserAdd = Type.Object(
  {
    type: Type.Literal('realm_user'),
    op: Type.Literal('add'),
    person: Type.Object({ ...UserObject.properties }, exact),
  },
  exact,
);

/** events-people.md#people, `realm_user` remove: an account is no longer visible; only for guests. */
export const RealmUserRemove = Type.Object(
  {
    type: Type.Literal('realm_user'),
    op: Type.Literal('remove'),
    person: Type.Object({ user_id: UserId, full_name: Text }, exact),
  },
  exact,
);

const form = <F extends TProperties>(fields: F) =>
  Type.Object({ user_id: UserId, ...fields }, exact);

/** events-people.md#people, `realm_user` update: the user and one of the forms. */
export const RealmUserUpdate = Type.Object(
  {
    type: Type.Literal('realm_user'),
    op: Type.Literal('update'),
    person: Type.Union([
      form({ full_name: Text }),
      form({
        avatar_source: Type.Union([Type.Literal('G'), Type.Literal('U'), Type.Literal('J')]),
        avatar_url: Text,
        avatar_url_medium: Text,
        avatar_version: Type.Integer(),
      }),
      form({ email: Text, timezone: Text }),
      form({ bot_owner_id: UserId }),
      form({ role: Type.Integer() }),
      form({ delivery_email: nullable(Text) }),
      form({
        custom_profile_field: Type.Object(
          { id: UserId, value: nullable(Text), rendered_value: Type.Optional(Text) },
          exact,
        ),
      }),
      form({ new_email: Text }),
      form({ is_active: Flag }),
      form({ date_joined: Text }),
      form({ is_imported_stub: Type.Literal(false) }),
      form({ presence_enabled: Flag }),
    ]),
  },
  exact,
);

/** All events of accounts. */
export const userEvents = events(RealmUserAdd, RealmUserRemove, RealmUserUpdate);

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  'get-user-by-email.email':
    'E-mail address of an account: the real one where the caller may see it, or the API address.',
  'create-user.email':
    'Address of the new account; it must be allowed by the organization’s domains and unused.',
  password: 'Password: 8 to 100 characters, and not easily guessed.',
  include_custom_profile_fields:
    'Whether the values of custom profile fields are included as `profile_data`.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  delivery_email: [
    'Real e-mail address; null where the caller may not see it.',
    'owner@example.com',
  ],
  is_owner: 'Whether the user is an owner of the organization.',
  is_admin: 'Whether the user is an administrator; true for owners.',
  is_guest: 'Whether the user is a guest, who sees only what they are let in.',
  'get-own-user.max_message_id': [
    'Id of the newest message the caller received, -1 without one. Deprecated: the reply of `POST /register` has it.',
    SENT,
  ],
  'get-users.members': 'Accounts the caller may see, deactivated ones and bots included.',
  'create-user.user_id': ['Id of the new account.', OPHELIA],
  person: 'The account: whole where it is new, otherwise its id and what changed.',
  'person.full_name': ['Name of the user.', 'Hamlet'],
  avatar_url_medium: [
    'Address of the picture, 500 pixels wide; may be relative.',
    '/avatar/4/medium?version=1',
  ],
});
