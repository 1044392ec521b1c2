import Type from 'typebox';
import {
  endpoint,
  Id,
  nullable,
  oneOf,
  optional,
  type Param,
  required,
  withDefault,
} from '../endpoint.js';
import { fieldTexts } from '../field-texts.js';
import { GroupSettingInput } from '../groups/permissions.js';
import { LenientList } from '../lenient-list.js';
import {
  MAX_LIST_ITEMS,
  MAX_STREAM_DESCRIPTION_LENGTH,
  MAX_STREAM_NAME_LENGTH,
  MAX_SUBSCRIPTION_PAIRS,
} from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { IncludeSubscribers } from '../queues/register.js';
import { checkedText, ShortText, text } from '../text.js';
import {
  CHANNEL_PERMISSIONS,
  type ChannelPermission,
  ListedChannel,
  SubscriptionObject,
  TOPICS_POLICIES,
} from './channel.js';

const Flag = Type.Boolean();
const Names = Type.Array(Type.String());

/** endpoints-channels.md#read-channels. */
export const getChannels = endpoint({
  operation: 'get-channels',
  method: 'GET',
  path: '/streams',
  access: 'user',
  summary: 'Get the channels you can see',
  params: {
    include_public: withDefault(Flag, true),
    include_web_public: withDefault(Flag, false),
    include_subscribed: withDefault(Flag, true),
    exclude_archived: withDefault(Flag, true),
    include_all: withDefault(Flag, false, { aliases: ['include_all_active'] }),
    include_default: withDefault(Flag, false),
    include_owner_subscribed: withDefault(Flag, false),
    include_can_access_content: withDefault(Flag, false),
  },
  response: Type.Object({ streams: Type.Array(ListedChannel) }),
  errors: [],
  events: [],
});

/** endpoints-channels.md#read-channels. */
export const getSubscriptions = endpoint({
  operation: 'get-subscriptions',
  method: 'GET',
  path: '/users/me/subscriptions',
  access: 'user',
  summary: 'Get your subscriptions',
  params: {
    include_subscribers: withDefault(IncludeSubscribers, false, { wire: 'lenient' }),
  },
  response: Type.Object({ subscriptions: Type.Array(SubscriptionObject) }),
  errors: [],
  events: [],
});

type PermissionParams = {
  readonly [K in ChannelPermission]: Param<typeof GroupSettingInput, 'optional'>;
};

const PERMISSION_PARAMS = Object.fromEntries(
  CHANNEL_PERMISSIONS.map((name) => [name, optional(GroupSettingInput)]),
) as PermissionParams;

/** How a channel is made, where the call makes one (endpoints-channels.md#subscribe). */
export const NEW_CHANNEL_PARAMS = {
  invite_only: withDefault(Flag, false),
  is_web_public: withDefault(Flag, false),
  is_default_stream: withDefault(Flag, false),
  history_public_to_subscribers: optional(Flag, {
    description: 'Default: true for public channels, false for private ones',
  }),
  message_retention_days: withDefault(
    Type.Union([Type.Integer({ minimum: -1 }), oneOf('realm_default', 'unlimited')]),
    'realm_default',
    { wire: 'lenient' },
  ),
  topics_policy: withDefault(oneOf(...TOPICS_POLICIES), 'inherit'),
  folder_id: optional(nullable(Id)),
  ...PERMISSION_PARAMS,
};

/** Names of channels by user id. */
const SUBSCRIBED = {
  subscribed: Type.Record(Type.String(), Names),
  already_subscribed: Type.Record(Type.String(), Names),
};

/** Channels by name, with what they are to be where they are new. */
const WantedChannels = Type.Array(
  Type.Object({
    // Its length and characters are the handler's to check, in its own words.
    name: checkedText({ minLength: 1, maxLength: MAX_STREAM_NAME_LENGTH }),
    // Some libraries write null for what they leave out.
    description: Type.Optional(nullable(text(MAX_STREAM_DESCRIPTION_LENGTH))),
    color: Type.Optional(nullable(ShortText)),
  }),
  { maxItems: MAX_LIST_ITEMS },
);

/** Subscribes people, creating channels that do not exist yet (endpoints-channels.md#subscribe). */
export const subscribe = endpoint({
  operation: 'subscribe',
  method: 'POST',
  path: '/users/me/subscriptions',
  access: 'member',
  summary: 'Subscribe yourself or others to channels',
  params: {
    subscriptions: required(WantedChannels),
    principals: optional(LenientList, { wire: 'lenient', nullMeansAbsent: true }),
    authorization_errors_fatal: withDefault(Flag, true),
    announce: withDefault(Flag, false),
    send_new_subscription_messages: withDefault(Flag, true),
    ...NEW_CHANNEL_PARAMS,
  },
  pairs: [{ of: ['subscriptions', 'principals'], max: MAX_SUBSCRIPTION_PAIRS }],
  response: Type.Object({
    ...SUBSCRIBED,
    unauthorized: Type.Optional(Names),
    new_subscription_messages_sent: Type.Optional(Flag),
  }),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { subscriptions: [{ name: 'denmark', description: 'A rotten state' }] },
  events: ['stream', 'subscription', 'default_streams', 'message', 'muted_topics'],
});

/** endpoints-channels.md#subscribe; zulip-js sends the list in the query, comma-joined (clients.md#zulip-js). */
export const unsubscribe = endpoint({
  operation: 'unsubscribe',
  method: 'DELETE',
  path: '/users/me/subscriptions',
  access: 'user',
  summary: 'Unsubscribe yourself or others from channels',
  params: {
    subscriptions: required(LenientList, { wire: 'lenient' }),
    principals: optional(LenientList, { wire: 'lenient', nullMeansAbsent: true }),
  },
  pairs: [{ of: ['subscriptions', 'principals'], max: MAX_SUBSCRIPTION_PAIRS }],
  response: Type.Object({ removed: Names, not_removed: Names }),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { subscriptions: ['denmark'] },
  events: ['stream', 'subscription', 'muted_topics', 'update_message_flags'],
});

/** Subscribes the caller to channels and unsubscribes them from others (endpoints-channels.md#subscribe). */
export const updateSubscriptions = endpoint({
  operation: 'update-subscriptions',
  method: 'PATCH',
  path: '/users/me/subscriptions',
  access: 'user',
  summary: 'Subscribe to channels and unsubscribe from others at once',
  params: {
    add: withDefault(WantedChannels, []),
    delete: withDefault(LenientList, [], { wire: 'lenient' }),
  },
  response: Type.Object({ ...SUBSCRIBED, removed: Names, not_removed: Names }),
  errors: [],
  example: { add: [{ name: 'general' }] },
  events: ['stream', 'subscription', 'muted_topics', 'message', 'update_message_flags'],
});

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  invite_only: 'Whether a channel that is made by this request is private.',
  subscriptions:
    'Channels by name, as objects `{"name", "color", "description"}`; those that do not exist are made, where the caller may.',
  'unsubscribe.subscriptions':
    'Names of the channels to leave, as a JSON list or joined by commas.',
  principals: ['Users to subscribe instead of the caller: user ids, or API e-mail addresses.', [4]],
  'unsubscribe.principals': [
    'Users to unsubscribe instead of the caller: user ids, or API e-mail addresses.',
    [4],
  ],
  authorization_errors_fatal:
    'Whether one channel the caller may not subscribe to refuses the whole request; otherwise it is named in `unauthorized`.',
  'update-subscriptions.add': 'Channels to subscribe to, as objects with `name`.',
  'update-subscriptions.delete': 'Names of channels to unsubscribe from.',
  include_subscribers:
    'Whether the reply lists the subscribers of each channel; `partial` lists only some in large ones: bots, and people active within 14 days.',
  include_public: 'Whether public channels are listed.',
  include_web_public: 'Whether web-public channels are listed (there are none).',
  include_subscribed: 'Whether the channels one is subscribed to are listed.',
  exclude_archived: 'Whether archived channels are left out.',
  include_all: 'Whether all channels are listed that one can see; guests are refused.',
  include_default:
    'Whether each channel says with `is_default` if new accounts are subscribed to it.',
  include_owner_subscribed: 'For bots: whether the channels of the bot’s owner are listed.',
  include_can_access_content: 'Whether all channels whose messages one may read are listed.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'get-channels.streams': 'Channels the caller can see, by name.',
  'get-subscriptions.subscriptions':
    'Channels the caller is subscribed to, with how they show them.',
  subscribed: ['Who was subscribed now: names of channels by user id.', { 4: ['denmark'] }],
  already_subscribed: [
    'Who was subscribed before: names of channels by user id.',
    { 4: ['general'] },
  ],
  unauthorized: [
    'Names of channels the caller may not subscribe to; only with `authorization_errors_fatal` false.',
    [],
  ],
  new_subscription_messages_sent:
    'Whether users whom somebody else subscribed were notified by a direct message; left out if nobody was to be notified.',
  removed: ['Names of channels that were left.', ['denmark']],
  not_removed: ['Names of channels to which none of the users was subscribed.', []],
  'subscribe.name': ['Name of the channel; one that does not exist is made.', 'denmark'],
  'subscribe.description': [
    'What a new channel is for, in Markdown; left alone where the channel exists.',
    'A rotten state',
  ],
  'subscribe.color': [
    'Color of the channel for the new subscribers; without it the server chooses one.',
    '#76ce90',
  ],
  'update-subscriptions.name': ['Name of the channel; one that does not exist is made.', 'general'],
  'update-subscriptions.description': [
    'What a new channel is for, in Markdown; left alone where the channel exists.',
    'A rotten state',
  ],
  'update-subscriptions.color': [
    'Color of the channel for the caller; else one is chosen.',
    '#76ce90',
  ],
});
