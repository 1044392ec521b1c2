import Type, { type TOptional, type TSchema } from 'typebox';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { fieldTexts } from '../field-texts.js';
import { GroupSettingValue } from '../groups/user-group.js';
import { REALM_PERMISSIONS } from '../groups/permissions.js';
import { USER_SETTINGS } from '../users/user-settings.js';
import { RealmDocument, TwoFactorDemand } from './realm-document.js';
import { DEFAULTABLE_SETTINGS, PLAIN_REALM_SETTINGS, REALM_CHANNELS } from './realm.js';

/** Settings that are told one by one: those of `PATCH /realm` that no `update_dict` holds. */
const ALONE = [
  ...PLAIN_REALM_SETTINGS.filter(
    (name) => name !== 'allow_message_editing' && name !== 'topics_policy',
  ),
  ...REALM_CHANNELS,
  'name',
  'default_language',
  'waiting_period_threshold',
  'message_content_delete_limit_seconds',
  'move_messages_within_stream_limit_seconds',
  'move_messages_between_streams_limit_seconds',
  'message_retention_days',
  'default_code_block_language',
  'media_preview_size',
  'video_chat_provider',
  'jitsi_server_url',
] as const;

/** events-organization.md#organization, `realm` update: a form for each plain setting. */
export const realmUpdates = [
  ...ALONE.map((name) => alone(name, RealmDocument.properties[name])),
  alone('require_two_factor', TwoFactorDemand),
];

function alone<N extends string, V extends TSchema>(name: N, value: V) {
  return Type.Object(
    {
      type: Type.Literal('realm'),
      op: Type.Literal('update'),
      property: Type.Literal(name),
      value,
    },
    exact,
  );
}

function together<D extends TSchema>(data: D) {
  return Type.Object(
    {
      type: Type.Literal('realm'),
      op: Type.Literal('update_dict'),
      property: Type.Literal('default'),
      data,
    },
    exact,
  );
}

const fields = RealmDocument.properties;

/** events-organization.md#organization: the rules of editing, both also where one changed. */
export const RealmEditingUpdate = together(
  Type.Object(
    {
      allow_message_editing: fields.allow_message_editing,
      message_content_edit_limit_seconds: fields.message_content_edit_limit_seconds,
    },
    exact,
  ),
);

/** events-organization.md#organization. */
export const RealmDescriptionUpdate = together(
  Type.Object(
    { description: fields.description, rendered_description: fields.rendered_description },
    exact,
  ),
);

/** events-organization.md#organization. */
export const RealmTopicsPolicyUpdate = together(
  Type.Object({ topics_policy: fields.topics_policy, mandatory_topics: Type.Boolean() }, exact),
);

/** events-organization.md#organization; the same shape as in the snapshot. */
export const RealmLoginMethodsUpdate = together(
  Type.Object(
    {
      authentication_methods: Type.Record(
        Type.String(),
        Type.Object({ enabled: Type.Boolean(), available: Type.Boolean() }, exact),
      ),
    },
    exact,
  ),
);

/** events-organization.md#organization: one key for each changed permission. */
export const RealmPermissionsUpdate = together(
  Type.Object(
    Object.fromEntries(
      REALM_PERMISSIONS.map((name) => [name, Type.Optional(GroupSettingValue)]),
    ) as Record<(typeof REALM_PERMISSIONS)[number], TOptional<typeof GroupSettingValue>>,
    { ...exact, minProperties: 1 },
  ),
);

/** events-organization.md#organization: the organization ended; its queues end behind it. */
export const RealmDeactivated = Type.Object(
  { type: Type.Literal('realm'), op: Type.Literal('deactivated'), realm_id: Type.Integer() },
  exact,
);

/** events-organization.md#organization, `realm_user_settings_defaults` update: a form for each setting. */
export const settingsDefaultsUpdates = DEFAULTABLE_SETTINGS.map((name) =>
  Type.Object(
    {
      type: Type.Literal('realm_user_settings_defaults'),
      op: Type.Literal('update'),
      property: Type.Literal(name),
      value: USER_SETTINGS[name].schema,
    },
    exact,
  ),
);

/** Every form that `PATCH /realm`, `POST /realm/deactivate` and `PATCH /realm/user_settings_defaults` cause. */
export const realmEvents = events(
  ...realmUpdates,
  RealmEditingUpdate,
  RealmDescriptionUpdate,
  RealmTopicsPolicyUpdate,
  RealmLoginMethodsUpdate,
  RealmPermissionsUpdate,
  RealmDeactivated,
  ...settingsDefaultsUpdates,
);

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'realm_user_settings_defaults.property': [
    'Which setting new accounts begin with in another way.',
    'enter_sends',
  ],
});
