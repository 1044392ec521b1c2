import Type from 'typebox';
import { endpoint, oneOf, optional, withDefault } from '../endpoint.js';
import { PRESENCE_HISTORY_LIMIT_DAYS } from '../limits.js';
import { QueueNarrow } from '../messages/narrow.js';
import { text } from '../text.js';

const Flag = Type.Boolean();

/** Names of event types or snapshot sections; unknown ones are accepted and ignored. */
const TypeNames = Type.Array(text(100), { maxItems: 1000 });

/** Capabilities a client may declare; unknown keys are ignored (event-queues.md#client-capabilities). */
export const CLIENT_CAPABILITIES = [
  'notification_settings_null',
  'bulk_message_deletion',
  'user_avatar_url_field_optional',
  'stream_typing_notifications',
  'user_settings_object',
  'linkifier_url_template',
  'user_list_incomplete',
  'include_deactivated_groups',
  'archived_channels',
  'empty_topic_name',
  'simplified_presence_events',
  'individual_emoji_changes',
] as const;
/** One of {@link CLIENT_CAPABILITIES}. */
export type ClientCapability = (typeof CLIENT_CAPABILITIES)[number];

const Capability = Type.Optional(Flag);

const ClientCapabilities = Type.Object({
  notification_settings_null: Capability,
  bulk_message_deletion: Capability,
  user_avatar_url_field_optional: Capability,
  stream_typing_notifications: Capability,
  user_settings_object: Capability,
  linkifier_url_template: Capability,
  user_list_incomplete: Capability,
  include_deactivated_groups: Capability,
  archived_channels: Capability,
  empty_topic_name: Capability,
  simplified_presence_events: Capability,
  individual_emoji_changes: Capability,
} satisfies Record<ClientCapability, typeof Capability>);

/** `true`, `false`, or `partial` with or without quotes. */
export const IncludeSubscribers = Type.Union([Flag, Type.Literal('partial')]);

/** Parameters of `POST /register` (register.md#request); `GET /events` takes them too. */
export const REGISTER_PARAMS = {
  apply_markdown: withDefault(Flag, false),
  client_gravatar: withDefault(Flag, true),
  include_subscribers: withDefault(IncludeSubscribers, false, { wire: 'lenient' }),
  slim_presence: withDefault(Flag, false),
  presence_history_limit_days: withDefault(
    Type.Integer({ minimum: 0 }),
    PRESENCE_HISTORY_LIMIT_DAYS,
  ),
  event_types: optional(TypeNames, { nullMeansAbsent: true }),
  fetch_event_types: optional(TypeNames, { nullMeansAbsent: true }),
  all_public_streams: optional(Flag, { nullMeansAbsent: true }),
  narrow: withDefault(QueueNarrow, [], { nullMeansAbsent: true }),
  client_capabilities: withDefault(ClientCapabilities, {}, { nullMeansAbsent: true }),
  idle_queue_timeout: optional(Type.Union([Type.Integer({ minimum: 1 }), oneOf('mobile')]), {
    wire: 'lenient',
    nullMeansAbsent: true,
    description: 'Seconds, or `mobile`; lowered to the cap',
  }),
  queue_lifespan_secs: withDefault(Type.Integer({ minimum: 0 }), 0, {
    description: 'Older form of idle_queue_timeout, which overrides it; 0: the default lifetime',
  }),
};

/** Opens an event queue and answers with the matching snapshot (register.md). */
export const registerQueue = endpoint({
  operation: 'register-queue',
  method: 'POST',
  path: '/register',
  access: 'user',
  summary: 'Register an event queue and fetch the initial state',
  params: REGISTER_PARAMS,
  response: Type.Object({
    queue_id: Type.String(),
    last_event_id: Type.Integer(),
    zulip_version: Type.String(),
    zulip_feature_level: Type.Integer(),
    zulip_merge_base: Type.String(),
    idle_queue_timeout_secs: Type.Integer(),
  }),
  errors: [],
  example: { event_types: ['message'], fetch_event_types: ['realm'] },
  events: [],
  level: 439,
});
