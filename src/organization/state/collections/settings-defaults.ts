import type { DefaultableSetting } from '../../../../schemas/realm/realm.js';
import { DEFAULT_USER_SETTINGS, UserSettings } from '../../../../schemas/users/user-settings.js';
import { Collection, type Recorder } from '../collection.js';

const ID = 'defaults';

/** What the organization wants new accounts to start with, where that is not what we would choose. */
export type SettingsDefaultsDocument = Readonly<Partial<Pick<UserSettings, DefaultableSetting>>>;

/** The single document of the settings that new accounts start with (endpoints-organization.md#change-organization). */
export class SettingsDefaultsCollection extends Collection<typeof ID, SettingsDefaultsDocument> {
  constructor(recorder: Recorder) {
    super('realm_user_settings_defaults', recorder, () => ID);
  }

  /** Every setting as a new account has it, the personal ones included. */
  get effective(): Readonly<UserSettings> {
    return { ...DEFAULT_USER_SETTINGS, ...this.get(ID) };
  }

  /** Sets some of them. */
  change(values: SettingsDefaultsDocument): void {
    this.insert({ ...this.get(ID), ...values });
  }
}
