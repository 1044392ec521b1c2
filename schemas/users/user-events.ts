import Type, { type TProperties } from 'typebox';
import { nullable } from '../endpoint.js';
import { exact } from '../exact.js';
import { ProfileField } from './profile-fields.js';
import { UserObject } from './users.js';
import { events } from '../event.js';

const Id = Type.Integer();
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
    person: Type.Object({ user_id: Id, full_name: Text }, exact),
  },
  exact,
);

const form = <F extends TProperties>(fields: F) => Type.Object({ user_id: Id, ...fields }, exact);

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
      form({ bot_owner_id: Id }),
      form({ role: Type.Integer() }),
      form({ delivery_email: nullable(Text) }),
      form({
        custom_profile_field: Type.Object(
          { id: Id, value: nullable(Text), rendered_value: Type.Optional(Text) },
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

const BOT_FIELDS = {
  default_all_public_streams: Flag,
  default_events_register_stream: nullable(Text),
  default_sending_stream: nullable(Text),
};

/** Outgoing webhook bots have one. */
const Services = Type.Array(
  Type.Object(
    { base_url: Text, interface: Type.Integer(), token: Text },
    { ...exact, title: 'BotService' },
  ),
  { maxItems: 1 },
);

const realmBot = Type.Literal('realm_bot');

/** events-people.md#people, `realm_bot` add: to the owner and administrators. */
export const RealmBotAdd = Type.Object(
  {
    type: realmBot,
    op: Type.Literal('add'),
    bot: Type.Object({ user_id: Id, ...BOT_FIELDS, services: Services }, exact),
  },
  exact,
);

/** events-people.md#people, `realm_bot` update: only what changed. */
export const RealmBotUpdate = Type.Object(
  {
    type: realmBot,
    op: Type.Literal('update'),
    bot: Type.Object(
      {
        user_id: Id,
        default_all_public_streams: Type.Optional(BOT_FIELDS.default_all_public_streams),
        default_events_register_stream: Type.Optional(BOT_FIELDS.default_events_register_stream),
        default_sending_stream: Type.Optional(BOT_FIELDS.default_sending_stream),
        services: Type.Optional(Services),
      },
      { ...exact, minProperties: 2 },
    ),
  },
  exact,
);

/** events-people.md#people, `realm_bot` delete: to a former owner, and to a former administrator. */
export const RealmBotDelete = Type.Object(
  { type: realmBot, op: Type.Literal('delete'), bot: Type.Object({ user_id: Id }, exact) },
  exact,
);

/** events-personal.md#personal-data, `user_status`: only what changed; the three emoji keys come together. */
export const UserStatusChanged = Type.Object(
  {
    type: Type.Literal('user_status'),
    user_id: Id,
    away: Type.Optional(Flag),
    status_text: Type.Optional(Text),
    emoji_name: Type.Optional(Text),
    emoji_code: Type.Optional(Text),
    reaction_type: Type.Optional(Text),
  },
  { ...exact, minProperties: 3 },
);

/** events-people.md#people, `custom_profile_fields`: the complete list in order. */
export const CustomProfileFields = Type.Object(
  {
    type: Type.Literal('custom_profile_fields'),
    fields: Type.Array(Type.Object({ ...ProfileField.properties }, exact)),
  },
  exact,
);

/** events-personal.md#personal-data, `user_settings`; the name of the language only with `default_language`. */
export const UserSettingsUpdate = Type.Object(
  {
    type: Type.Literal('user_settings'),
    op: Type.Literal('update'),
    property: Text,
    value: Type.Union([Flag, Type.Integer(), Text, Type.Null()]),
    language_name: Type.Optional(Text),
  },
  exact,
);

/** Every event about accounts, bots, statuses, profiles and settings. */
export const userEvents = events(
  RealmUserAdd,
  RealmUserRemove,
  RealmUserUpdate,
  RealmBotAdd,
  RealmBotUpdate,
  RealmBotDelete,
  UserStatusChanged,
  CustomProfileFields,
  UserSettingsUpdate,
);
