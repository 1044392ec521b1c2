import type {
  ProfileDocument,
  ProfileField,
  ProfileFieldDocument,
  ProfileValue,
} from '../../../../schemas/users/profile-fields.js';
import { Collection, type Recorder } from '../collection.js';
import { PersonalCollection } from '../user-collections.js';

const NO_VALUES: Readonly<Record<string, ProfileValue>> = {};

/** The custom profile fields of the organization. */
export class ProfileFieldCollection extends Collection<number, ProfileFieldDocument> {
  constructor(recorder: Recorder) {
    super('custom_profile_field', recorder, (field) => field.id);
  }

  /** All fields in the order of profiles. */
  ordered(): ProfileFieldDocument[] {
    return [...this.values()].sort((a, b) => a.order - b.order || a.id - b.id);
  }
}

/** The profile values of users. */
export class ProfileCollection extends PersonalCollection<ProfileDocument> {
  constructor(
    recorder: Recorder,
    private readonly fields: ProfileFieldCollection,
  ) {
    super('profile', recorder);
  }

  /** The value of an existing field. */
  of(userId: number, fieldId: number): ProfileValue | undefined {
    return this.fields.has(fieldId) ? this.get(userId)?.values[String(fieldId)] : undefined;
  }

  /** `profile_data` of a user object: the values of the fields that exist. */
  shown(userId: number): Readonly<Record<string, ProfileValue>> {
    const values = this.get(userId)?.values;
    if (!values) return NO_VALUES;
    return Object.fromEntries(Object.entries(values).filter(([id]) => this.fields.has(Number(id))));
  }
}

/** A field as clients see it (events-people.md#people): the optional keys only when true. */
export function profileFieldView(field: ProfileFieldDocument): ProfileField {
  const { display_in_profile_summary, use_for_user_matching, ...shown } = field;
  return {
    ...shown,
    ...(display_in_profile_summary ? { display_in_profile_summary } : {}),
    ...(use_for_user_matching ? { use_for_user_matching } : {}),
  };
}
