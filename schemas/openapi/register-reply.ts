import { RealmDocument } from '../realm/realm-document.js';
import { updateRealm } from '../realm/realm.js';
import { REALM_PERMISSIONS } from '../groups/permissions.js';
import { DEFAULT_USER_SETTINGS, UserSettings, type SettingName } from '../users/user-settings.js';
import type { EndpointDescriptor, Param } from '../endpoint.js';
import { published, type Json } from './json-schema.js';
import { parameterExample, parameterText } from './parameter-text.js';
import { ofValue } from './saying.js';
import { IDENTITY_FIELDS, SERVER_FIELDS } from './register-fields.js';
import { SECTION_FIELDS } from './register-sections.js';

/** Fields of `realm_{name}` that `PATCH /realm` does not take; the others have the words of its parameters. */
const REALM_ONLY: Readonly<Record<string, string>> = {
  uuid: 'Identity of the organization that never changes, also when it moves to another server.',
  date_created: 'When the organization was made, UNIX seconds.',
  icon_source: 'Where the icon comes from: `G` a default one, `U` uploaded.',
  logo_source: 'Where the logo for light backgrounds comes from: `D` a default one, `U` uploaded.',
  night_logo_source:
    'Where the logo for dark backgrounds comes from: `D` a default one, `U` uploaded.',
  owner_full_content_access: 'Whether owners can read everything; always false here.',
};

const REALM_EXAMPLES: Readonly<Record<string, unknown>> = {
  uuid: '3f2b1c5e-9d0a-4a7e-8c61-5d2f0e9b7a10',
  date_created: 1_750_000_000,
  icon_source: 'G',
  logo_source: 'D',
  night_logo_source: 'D',
  owner_full_content_access: false,
  name: 'Elsinore',
};

/** Properties of the reply of `POST /register` beside those that are always there, with what they mean. */
export function registerProperties(): Record<string, Json> {
  return {
    ...SERVER_FIELDS,
    ...realmFields(),
    ...IDENTITY_FIELDS,
    ...SECTION_FIELDS,
    ...settings(),
  };
}

/** The stored settings of the organization, as they are. */
function realmFields(): Record<string, Json> {
  const { properties } = published(RealmDocument) as { properties: Record<string, Json> };
  const params = (updateRealm as EndpointDescriptor).params as Readonly<Record<string, Param>>;
  const fields: Record<string, Json> = {};
  for (const [name, schema] of Object.entries(properties)) {
    const param = params[name];
    const description =
      REALM_ONLY[name] ?? (param ? parameterText('update-realm', name, param) : undefined);
    // What only demo organizations have is not told.
    if (description === undefined || name === 'string_id') continue;
    // What is sent as a change is shown as the value alone.
    const words = ofValue(description);
    const examples = [REALM_EXAMPLES[name] ?? parameterExample(updateRealm, name, param!, schema)];
    fields[`realm_${name}`] = { ...schema, description: words, examples };
  }
  for (const name of REALM_PERMISSIONS) fields[`realm_${name}`] ??= { description: name };
  return fields;
}

/** Settings of the caller, and those that new accounts begin with. */
function settings(): Record<string, Json> {
  const { properties } = published(UserSettings) as { properties: Record<string, Json> };
  const described = Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      {
        ...schema,
        description: parameterText('update-settings', name, {} as Param),
        examples: [DEFAULT_USER_SETTINGS[name as SettingName]],
      },
    ]),
  );
  const of = (description: string): Json => ({
    type: 'object',
    properties: described,
    description,
  });
  return {
    user_settings: of(
      'Settings of the caller, with `available_notification_sounds` and `emojiset_choices`. Section `user_settings`.',
    ),
    realm_user_settings_defaults: of(
      'Settings that new accounts begin with. Section `realm_user_settings_defaults`.',
    ),
  };
}
