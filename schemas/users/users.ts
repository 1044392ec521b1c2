import Type, { type Static } from 'typebox';
import {
  endpoint,
  Id,
  IdList,
  nullable,
  optional,
  required,
  withDefault,
  type Frozen,
} from '../endpoint.js';
import { MAX_PARAMETER_LENGTH, PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '../limits.js';
import { checkedText, ShortText, FullName } from '../text.js';
import { OWNER } from '../example-values.js';

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
