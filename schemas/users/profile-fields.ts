import Type, { type Static } from 'typebox';
import {
  Empty,
  endpoint,
  Id,
  oneOf,
  optional,
  required,
  withDefault,
  type Frozen,
} from '../endpoint.js';
import {
  MAX_PROFILE_FIELD_HINT_LENGTH,
  MAX_PROFILE_FIELD_NAME_LENGTH,
  MAX_PROFILE_FIELDS,
} from '../limits.js';
import { text } from '../text.js';
import { ProfileEntries } from './user-administration.js';

/** A custom profile field as the wire shows it (events-people.md#people); the optional keys only when true. */
export const ProfileField = Type.Object(
  {
    id: Type.Integer(),
    type: Type.Integer(),
    order: Type.Integer(),
    name: Type.String(),
    hint: Type.String(),
    field_data: Type.String(),
    required: Type.Boolean(),
    editable_by_user: Type.Boolean(),
    display_in_profile_summary: Type.Optional(Type.Literal(true)),
    use_for_user_matching: Type.Optional(Type.Literal(true)),
  },
  { title: 'ProfileField' },
);
export type ProfileField = Frozen<Static<typeof ProfileField>>;

const Flag = Type.Boolean();
const Name = text(MAX_PROFILE_FIELD_NAME_LENGTH);
const Hint = text(MAX_PROFILE_FIELD_HINT_LENGTH);
const FieldIds = Type.Array(Id, { maxItems: MAX_PROFILE_FIELDS });

const ADMIN = {
  access: 'administrator',
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  events: ['custom_profile_fields'],
} as const;

/** endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields. */
export const getProfileFields = endpoint({
  operation: 'get-custom-profile-fields',
  method: 'GET',
  path: '/realm/profile_fields',
  access: 'user',
  summary: 'Get the custom profile fields',
  params: {},
  response: Type.Object({ custom_fields: Type.Array(ProfileField) }),
  errors: [],
  events: [],
});

/** The choices of a list of options, by key, or the site of an external account; the handler checks them by type. */
const FieldData = Type.Unknown({
  told: Type.Union([
    Type.Record(Type.String(), Type.Object({ text: Type.String(), order: Type.String() })),
    Type.Object({ subtype: Type.String(), url_pattern: Type.Optional(Type.String()) }),
  ]),
});

/** endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields. */
export const createProfileField = endpoint({
  ...ADMIN,
  operation: 'create-custom-profile-field',
  method: 'POST',
  path: '/realm/profile_fields',
  summary: 'Add a custom profile field',
  params: {
    field_type: required(oneOf(1, 2, 3, 4, 5, 6, 7, 8)),
    name: withDefault(Name, ''),
    hint: withDefault(Hint, ''),
    field_data: optional(FieldData, { wire: 'json' }),
    display_in_profile_summary: withDefault(Flag, false),
    required: withDefault(Flag, false),
    editable_by_user: withDefault(Flag, true),
    use_for_user_matching: withDefault(Flag, false),
  },
  response: Type.Object({ id: Type.Integer() }),
  example: { field_type: 1, name: 'Castle' },
});

/** endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields. */
export const updateProfileField = endpoint({
  ...ADMIN,
  operation: 'update-custom-profile-field',
  method: 'PATCH',
  path: '/realm/profile_fields/{field_id}',
  summary: 'Change a custom profile field',
  params: {
    field_id: required(Id),
    name: optional(Name),
    hint: optional(Hint),
    field_data: optional(FieldData, { wire: 'json' }),
    display_in_profile_summary: optional(Flag),
    required: optional(Flag),
    editable_by_user: optional(Flag),
    use_for_user_matching: optional(Flag),
  },
  response: Empty,
  events: ['custom_profile_fields', 'realm_user'],
  example: { field_id: 1, hint: 'Where you live' },
});

/** endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields. */
export const deleteProfileField = endpoint({
  ...ADMIN,
  operation: 'delete-custom-profile-field',
  method: 'DELETE',
  path: '/realm/profile_fields/{field_id}',
  summary: 'Delete a custom profile field and what people filled in',
  params: { field_id: required(Id) },
  response: Empty,
  example: { field_id: 1 },
});

/** endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields. */
export const reorderProfileFields = endpoint({
  ...ADMIN,
  operation: 'reorder-custom-profile-fields',
  method: 'PATCH',
  path: '/realm/profile_fields',
  summary: 'Put the custom profile fields in order',
  params: { order: required(FieldIds) },
  response: Empty,
  example: { order: [1] },
});

/** endpoints-users.md#user-administration. */
export const updateOwnProfileData = endpoint({
  operation: 'update-own-profile-data',
  method: 'PATCH',
  path: '/users/me/profile_data',
  access: 'human',
  summary: 'Fill in custom profile fields',
  params: { data: required(ProfileEntries) },
  response: Empty,
  errors: [],
  example: { data: [{ id: 1, value: 'Elsinore' }] },
  events: ['realm_user'],
});

/** endpoints-users.md#user-administration. */
export const removeOwnProfileData = endpoint({
  operation: 'remove-own-profile-data',
  method: 'DELETE',
  path: '/users/me/profile_data',
  access: 'human',
  summary: 'Clear custom profile fields',
  params: { data: required(FieldIds) },
  response: Empty,
  errors: [],
  example: { data: [1] },
  events: ['realm_user'],
});
