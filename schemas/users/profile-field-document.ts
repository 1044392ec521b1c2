import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';

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
