import Type from 'typebox';
import { collection } from '../collection.js';
import { UserSettings } from './user-settings.js';

/** Stored settings that differ from the defaults. */
const SomeSettings = Type.Partial(UserSettings);

/** Settings of new accounts. */
export const settingsDefaultsCollection = collection('realm_user_settings_defaults', SomeSettings);

/** Settings of a person, and the names of those they changed themselves. */
export const userSettingsCollection = collection(
  'user_settings',
  Type.Intersect([
    SomeSettings,
    Type.Object({ user_id: Type.Integer(), edited: Type.Array(Type.String()) }),
  ]),
);
