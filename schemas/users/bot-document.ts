import Type, { type Static } from 'typebox';
import { nullable } from '../endpoint.js';
import { collection } from '../collection.js';

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
