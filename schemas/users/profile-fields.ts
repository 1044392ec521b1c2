import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import {
  Empty,
  endpoint,
  type Frozen,
  Id,
  oneOf,
  optional,
  required,
  withDefault,
} from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { fieldTexts } from '../field-texts.js';
import {
  MAX_PROFILE_FIELD_HINT_LENGTH,
  MAX_PROFILE_FIELD_NAME_LENGTH,
  MAX_PROFILE_FIELDS,
} from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { text } from '../text.js';
import { ProfileEntries } from './user-administration.js';

/** Kinds of custom profile fields (endpoints-organization.md#linkifiers-playgrounds-domains-profile-fields). */
export const PROFILE_FIELD_TYPE = {
  shortText: 1,
  longText: 2,
  select: 3,
  date: 4,
  url: 5,
  users: 6,
  externalAccount: 7,
  pronouns: 8,
} as const;

/** Stored custom profile field; the wire form is the same object without fields that are false. */
export const ProfileFieldDocument = Type.Object({
  id: Type.Integer(),
  type: Type.Integer(),
  /** Place in the list, from 1. */
  order: Type.Integer(),
  name: Type.String(),
  hint: Type.String(),
  /** JSON text, or empty. */
  field_data: Type.String(),
  required: Type.Boolean(),
  editable_by_user: Type.Boolean(),
  display_in_profile_summary: Type.Boolean(),
  use_for_user_matching: Type.Boolean(),
});
export type ProfileFieldDocument = Static<typeof ProfileFieldDocument>;

/** A value in stored and wire form; with HTML only for types that support Markdown. */
export const ProfileValue = Type.Object({
  value: Type.String(),
  rendered_value: Type.Optional(Type.String()),
});
export type ProfileValue = Static<typeof ProfileValue>;

/** A user's values, by field id as text. Values of deleted fields stay, but are not shown. */
export const ProfileDocument = Type.Object({
  user_id: Type.Integer(),
  values: Type.Record(Type.String(), ProfileValue),
});
export type ProfileDocument = Static<typeof ProfileDocument>;

/** The stored documents of `custom_profile_field`. */
export const customProfileFieldCollection = collection(
  'custom_profile_field',
  ProfileFieldDocument,
);

/** The stored documents of `profile`. */
export const profileCollection = collection('profile', ProfileDocument);

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

/** events-people.md#people, `custom_profile_fields`: the complete list in order. */
export const CustomProfileFields = Type.Object(
  {
    type: Type.Literal('custom_profile_fields'),
    fields: Type.Array(Type.Object({ ...ProfileField.properties }, exact)),
  },
  exact,
);

/** The event of profile fields. */
export const profileFieldEvents = events(CustomProfileFields);

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  data: 'Values of own profile fields, as objects `{"id", "value"}`.',
  'remove-own-profile-data.data': 'Ids of the profile fields whose own values are removed.',
  field_id: 'Id of a custom profile field.',
  'create-custom-profile-field.name':
    'Name of the field, at most 40 characters; for external accounts the service has it.',
  'update-custom-profile-field.name': 'Name of the field, at most 40 characters.',
  hint: 'Help text for those who fill the field in, at most 80 characters.',
  field_type:
    'Kind of the field: 1 short text, 2 long text, 3 list of options, 4 date, 5 link, 6 people, 7 external account, 8 pronouns. It never changes.',
  field_data: [
    'Options by key as `{"text", "order"}` for a list; `{"subtype"}` for an external account, with `url_pattern` where that is `custom`.',
    { castle: { text: 'Elsinore', order: '1' } },
  ],
  'reorder-custom-profile-fields.order':
    'Ids of all profile fields, in the order in which they are shown.',
  display_in_profile_summary:
    'Whether the short form of a profile shows the field; at most two do.',
  editable_by_user: 'Whether people change their own value; otherwise administrators do.',
  use_for_user_matching:
    'Whether the value finds people when somebody types it in a mention; for short texts, lists and external accounts.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'data.id': ['Id of the custom profile field.', 1],
  'data.value': ['Value of the field; null or an empty text removes it.', 'Elsinore'],
  'ProfileField.id': ['Id of the field.', 1],
  'create-custom-profile-field.id': ['Id of the new field.', 1],
  'ProfileField.type': [
    'Kind: 1 short text, 2 long text, 3 list of options, 4 date, 5 link, 6 people, 7 external account, 8 pronouns.',
    1,
  ],
  'ProfileField.order': ['Place among all fields, from 1.', 1],
  'ProfileField.name': ['Name of the field.', 'Castle'],
  'ProfileField.hint': ['Help for those who fill it in; may be empty.', 'Where you live'],
  'ProfileField.field_data': [
    'More about fields of the kinds 3 and 7, as JSON text; empty for others.',
    '',
  ],
  'field_data.text': ['Text of the choice.', 'Elsinore'],
  'field_data.order': ['Place of the choice among the others, as text.', '1'],
  'field_data.subtype': ['Which site: a key of the server’s list, or `custom`.', 'github'],
  'field_data.url_pattern': [
    'Address of a person’s page at a `custom` site, with `%(username)s`.',
    'https://example.com/%(username)s',
  ],
  'ProfileField.required': 'Whether clients ask everybody to fill it in.',
  'ProfileField.editable_by_user':
    'Whether people change their own value; otherwise administrators do.',
  'ProfileField.display_in_profile_summary':
    'True where the short form of a profile shows it; else left out.',
  'ProfileField.use_for_user_matching':
    'True where the value finds people in mentions; else left out.',
  custom_fields: 'The fields in their order.',
  'custom_profile_fields.fields': 'All fields in their order.',
});
