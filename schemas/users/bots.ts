import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { Empty, endpoint, Id, nullable, optional, required, withDefault } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { BOT } from '../example-values.js';
import { MAX_LIST_ITEMS } from '../limits.js';
import { FullName, ShortText, text } from '../text.js';
import { Role } from './user-document.js';

/** Forms of what an outgoing webhook bot's address gets. */
export const HOOK_INTERFACE = { generic: 1, slack: 2 } as const;

/** Where an outgoing webhook bot's messages go (endpoints-bots.md#outgoing-webhooks). */
export const BotService = Type.Object({
  base_url: Type.String(),
  interface: Type.Integer(),
  /** By which the address knows this server. */
  token: Type.String(),
});
export type BotService = Static<typeof BotService>;

/** Stored settings of a bot beside its account (endpoints-bots.md#bots); visible to its owner and administrators. */
export const BotDocument = Type.Object({
  user_id: Type.Integer(),
  /** Channel ids; the wire shows names. */
  default_sending_stream: nullable(Type.Integer()),
  default_events_register_stream: nullable(Type.Integer()),
  default_all_public_streams: Type.Boolean(),
  /** Configuration of an incoming webhook bot: the secret with which a service signs; absent without any. */
  /** Absent but for outgoing webhook bots. */
  service: Type.Optional(BotService),
  config_data: Type.Optional(Type.Record(Type.String(), Type.String())),
  /** Kinds of events of which no message was made, and the owner was told; absent before the first. */
  told_events: Type.Optional(Type.Array(Type.String())),
});
export type BotDocument = Static<typeof BotDocument>;

/** Stored data of a bot (`/bot_storage`). */
export const BotStorageDocument = Type.Object({
  user_id: Type.Integer(),
  storage: Type.Record(Type.String(), Type.String()),
});
export type BotStorageDocument = Static<typeof BotStorageDocument>;

/** The stored documents of `bot`. */
export const botCollection = collection('bot', BotDocument);

/** The stored documents of `bot_storage`. */
export const botStorageCollection = collection('bot_storage', BotStorageDocument);

const ChannelName = nullable(Type.String());

/** What a bot starts with: channels by name. */
const Defaults = {
  default_sending_stream: ChannelName,
  default_events_register_stream: ChannelName,
  default_all_public_streams: Type.Boolean(),
};

const DEFAULT_PARAMS = {
  default_sending_stream: optional(ShortText, { description: 'Name of a channel; empty for none' }),
  default_events_register_stream: optional(ShortText, {
    description: 'Name of a channel; empty for none',
  }),
  default_all_public_streams: optional(Type.Boolean()),
};

/** Where an outgoing webhook posts to, and what other bots are configured with. */
const SERVICE_PARAMS = {
  service_payload_url: optional(ShortText, { wire: 'lenient' }),
  service_interface: optional(Type.Integer()),
  config_data: optional(Type.Unknown(), { wire: 'json' }),
};

/** endpoints-bots.md#bots. */
export const getBots = endpoint({
  operation: 'get-bots',
  method: 'GET',
  path: '/bots',
  access: 'human',
  summary: 'Get your own active bots',
  params: {},
  response: Type.Object({
    bots: Type.Array(
      Type.Object({
        username: Type.String(),
        full_name: Type.String(),
        api_key: Type.String(),
        avatar_url: Type.String(),
        ...Defaults,
      }),
    ),
  }),
  errors: [],
  events: [],
});

/** endpoints-bots.md#bots. */
export const createBot = endpoint({
  operation: 'create-bot',
  method: 'POST',
  path: '/bots',
  access: 'human',
  right: ['can_create_bots_group', 'can_create_write_only_bots_group'],
  summary: 'Create a bot',
  params: {
    full_name: required(FullName),
    short_name: required(ShortText),
    bot_type: withDefault(Type.Integer({ told: { enum: [1, 2, 3] } }), 1),
    payload_url: optional(ShortText, { wire: 'lenient' }),
    interface_type: optional(Type.Integer()),
    service_name: optional(ShortText),
    config_data: optional(Type.Unknown(), { wire: 'json' }),
    ...DEFAULT_PARAMS,
  },
  response: Type.Object({
    user_id: Type.Integer(),
    api_key: Type.String(),
    avatar_url: Type.String(),
    ...Defaults,
  }),
  errors: ['BAD_IMAGE'],
  example: { full_name: 'Yorick', short_name: 'yorick' },
  events: ['realm_user', 'user_group', 'realm_bot'],
});

/** endpoints-bots.md#bots. */
export const updateBot = endpoint({
  operation: 'update-bot',
  method: 'PATCH',
  path: '/bots/{bot_id}',
  access: 'human',
  summary: 'Change a bot',
  params: {
    bot_id: required(Id),
    full_name: optional(FullName),
    short_name: optional(ShortText),
    role: optional(Role),
    bot_owner_id: optional(Id),
    ...DEFAULT_PARAMS,
    ...SERVICE_PARAMS,
  },
  response: Type.Object({
    full_name: Type.String(),
    avatar_url: Type.String(),
    service_interface: nullable(Type.Integer()),
    service_payload_url: nullable(Type.String()),
    config_data: nullable(Type.Record(Type.String(), Type.String())),
    ...Defaults,
    bot_owner: Type.Optional(Type.String()),
  }),
  errors: ['UNAUTHORIZED_PRINCIPAL', 'BAD_IMAGE'],
  example: { bot_id: BOT, full_name: 'Alas Yorick' },
  events: ['realm_user', 'realm_bot', 'user_group', 'stream', 'subscription'],
});

/** endpoints-bots.md#bots. */
export const deactivateBot = endpoint({
  operation: 'deactivate-bot',
  method: 'DELETE',
  path: '/bots/{bot_id}',
  access: 'human',
  summary: 'Deactivate a bot',
  params: { bot_id: required(Id) },
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { bot_id: BOT },
  events: ['realm_user', 'user_group', 'subscription', 'realm', 'stream'],
});

/** endpoints-bots.md#bots. */
export const getBotApiKey = endpoint({
  operation: 'get-bot-api-key',
  method: 'GET',
  writes: true,
  path: '/bots/{bot_id}/api_key',
  access: 'human',
  summary: "Get a bot's API key",
  params: { bot_id: required(Id) },
  response: Type.Object({ api_key: Type.String() }),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { bot_id: BOT },
  events: [],
});

/** endpoints-bots.md#bots. */
export const regenerateBotApiKey = endpoint({
  operation: 'regenerate-bot-api-key',
  method: 'POST',
  path: '/bots/{bot_id}/api_key/regenerate',
  access: 'human',
  summary: "Replace a bot's API key",
  params: { bot_id: required(Id) },
  response: Type.Object({ api_key: Type.String() }),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { bot_id: BOT },
  events: ['device'],
});

const Key = text(10_000);
const Keys = Type.Array(Key, { maxItems: MAX_LIST_ITEMS });

/** endpoints-bots.md#bots. */
export const getBotStorage = endpoint({
  operation: 'get-bot-storage',
  method: 'GET',
  path: '/bot_storage',
  access: 'user',
  summary: 'Read what a bot stored',
  params: { keys: optional(Keys) },
  response: Type.Object({ storage: Type.Record(Type.String(), Type.String()) }),
  errors: [],
  events: [],
});

/** endpoints-bots.md#bots. */
export const updateBotStorage = endpoint({
  operation: 'update-bot-storage',
  method: 'PUT',
  path: '/bot_storage',
  access: 'user',
  summary: 'Store values of a bot',
  params: { storage: required(Type.Record(Type.String(), text(1_000_000))) },
  response: Empty,
  errors: [],
  example: { storage: { act: 'five' } },
  events: [],
});

/** endpoints-bots.md#bots. */
export const removeBotStorage = endpoint({
  operation: 'remove-bot-storage',
  method: 'DELETE',
  path: '/bot_storage',
  access: 'user',
  summary: 'Remove values of a bot',
  params: { keys: optional(Keys, { description: 'All, where absent' }) },
  response: Empty,
  errors: [],
  events: [],
});

const BOT_FIELDS = {
  default_all_public_streams: Type.Boolean(),
  default_events_register_stream: nullable(Type.String()),
  default_sending_stream: nullable(Type.String()),
};

/** Outgoing webhook bots have one. */
const Services = Type.Array(
  Type.Object(
    { base_url: Type.String(), interface: Type.Integer(), token: Type.String() },
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
    bot: Type.Object({ user_id: Type.Integer(), ...BOT_FIELDS, services: Services }, exact),
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
        user_id: Type.Integer(),
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
  {
    type: realmBot,
    op: Type.Literal('delete'),
    bot: Type.Object({ user_id: Type.Integer() }, exact),
  },
  exact,
);

/** All events of bots. */
export const botEvents = events(RealmBotAdd, RealmBotUpdate, RealmBotDelete);
