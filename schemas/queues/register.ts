import Type, { type Static } from 'typebox';
import { snapshot } from '../actor-snapshot.js';
import { collectionApart } from '../collection.js';
import { endpoint, nullable, oneOf, optional, withDefault } from '../endpoint.js';
import { fieldTexts } from '../field-texts.js';
import { PRESENCE_HISTORY_LIMIT_DAYS } from '../limits.js';
import { QueueNarrow } from '../messages/narrow.js';
import { parameterTexts } from '../parameter-texts.js';
import { text } from '../text.js';

/**
 * Stored event queue: the snapshot of its actor. Written when the queue is registered and deleted when it ends; polls
 * write nothing, because the client keeps its cursor and the journal keeps the events. It has no deadline: the idle time
 * starts anew with each process. A document in a final state is of a queue that ended, and is removed by the next start.
 */
export const QueueDocument = snapshot(
  'event-queue',
  4,
  ['live', 'expired', 'deleted', 'overflowed', 'revoked'],
  Type.Object({
    queue_id: Type.String(),
    user_id: Type.Integer(),
    /** The queue has the events after this journal position: that of its registration, or a later one. */
    since: Type.Integer(),
    /** How long the queue lives without a consumer. */
    idle_timeout_ms: Type.Integer(),
    traits: Type.Object({
      event_types: nullable(Type.Array(Type.String())),
      apply_markdown: Type.Boolean(),
      client_gravatar: Type.Boolean(),
      slim_presence: Type.Boolean(),
      include_subscribers: Type.Union([Type.Boolean(), Type.Literal('partial')]),
      all_public_streams: Type.Boolean(),
      narrow: Type.Array(Type.Tuple([Type.String(), Type.String()])),
      capabilities: Type.Record(Type.String(), Type.Boolean()),
    }),
  }),
);
export type QueueDocument = Static<typeof QueueDocument>;

/** The stored documents of `queue`. */
export const queueCollection = collectionApart('queue', QueueDocument);

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
  'plain_setting_values',
  'message_notices',
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
  plain_setting_values: Capability,
  message_notices: Capability,
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

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  'register-queue.narrow':
    'Pairs `[operator, operand]` that filter the `message` events of the queue: `channel`, `topic`, `sender` or `is`.',
  fetch_event_types:
    'Sections of the snapshot that come back; without it those of `event_types`, or all. An empty list gives none.',
  all_public_streams:
    'Whether messages of all public channels come, not only of those one is subscribed to; for bots their stored default, else false.',
  client_capabilities:
    'What the client understands, as an object of booleans: each one replaces an older form of replies and events.',
  presence_history_limit_days:
    'Days without activity after which users are left out of `presences`; 0: no users.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  notification_settings_null:
    'Understands null for notification settings of a channel; otherwise the user’s own value stands there.',
  bulk_message_deletion:
    'Understands `delete_message` with `message_ids`; otherwise each message has an event of its own.',
  user_avatar_url_field_optional: 'Does without `avatar_url` of people who have not come for long.',
  stream_typing_notifications:
    'Wants to know who types in channels; otherwise only in direct conversations.',
  user_settings_object:
    'Understands `user_settings`. No effect since level 439: older forms are gone.',
  linkifier_url_template: 'Understands linkifiers with URL templates; otherwise gets none.',
  user_list_incomplete:
    'The client accepts that users whom the caller may not see are missing; otherwise placeholders represent them.',
  include_deactivated_groups: 'Understands deactivated groups; otherwise they seem to be removed.',
  archived_channels: 'Understands archived channels; otherwise they seem to be deleted.',
  empty_topic_name:
    'Understands the empty topic; otherwise the organization’s name for it stands there. Since level 334.',
  simplified_presence_events:
    'Understands presences in the modern form; otherwise gets the older one.',
  individual_emoji_changes:
    'Understands changes of single custom emoji; otherwise gets all of them each time. Since level 491.',
  plain_setting_values:
    'Is told of settings only values that every client takes: a boolean for `twenty_four_hour_time`, emoji sets by names of pictures. An addition of this server.',
  message_notices:
    'Is told with each message whether to show a notice of it, and why. An addition of this server.',
});
