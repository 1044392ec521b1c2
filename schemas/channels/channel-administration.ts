import Type from 'typebox';
import {
  Empty,
  endpoint,
  Id,
  IdList,
  nullable,
  oneOf,
  optional,
  type Param,
  required,
  withDefault,
} from '../endpoint.js';
import { exact } from '../exact.js';
import { GENERAL, OWNER, SENT, VERONA } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { GroupSettingChange } from '../groups/permissions.js';
import { MAX_STREAM_DESCRIPTION_LENGTH, MAX_STREAM_NAME_LENGTH } from '../limits.js';
import { parameterTexts } from '../parameter-texts.js';
import { checkedText, ShortText, text } from '../text.js';
import {
  CHANNEL_PERMISSIONS,
  ChannelObject,
  type ChannelPermission,
  TOPICS_POLICIES,
} from './channel.js';
import { NEW_CHANNEL_PARAMS } from './channels.js';

const Flag = Type.Boolean();
const Ids = Type.Array(Type.Integer());
const stream_id = required(Id);

/** endpoints-channels.md#read-channels. */
export const getChannel = endpoint({
  operation: 'get-channel',
  method: 'GET',
  path: '/streams/{stream_id}',
  access: 'user',
  summary: 'Get a channel',
  params: { stream_id },
  response: Type.Object({ stream: ChannelObject }),
  errors: [],
  example: { stream_id: GENERAL },
  events: [],
});

/** endpoints-channels.md#read-channels. */
export const getChannelId = endpoint({
  operation: 'get-channel-id',
  method: 'GET',
  path: '/get_stream_id',
  access: 'user',
  summary: 'Get the id of a channel',
  params: { stream: required(ShortText, { description: 'The name; case does not matter' }) },
  response: Type.Object({ stream_id: Type.Integer() }),
  errors: [],
  example: { stream: 'general' },
  events: [],
});

/** endpoints-channels.md#read-channels. */
export const getSubscribers = endpoint({
  operation: 'get-subscribers',
  method: 'GET',
  path: '/streams/{stream_id}/members',
  access: 'user',
  summary: 'Get the subscribers of a channel',
  params: { stream_id },
  response: Type.Object({ subscribers: Ids }),
  errors: [],
  example: { stream_id: GENERAL },
  events: [],
});

/** endpoints-channels.md#read-channels. */
export const getChannelTopics = endpoint({
  operation: 'get-channel-topics',
  method: 'GET',
  path: '/users/me/{stream_id}/topics',
  access: 'user',
  summary: 'Get the topics of a channel, newest first',
  params: { stream_id, allow_empty_topic_name: withDefault(Flag, false) },
  response: Type.Object({
    topics: Type.Array(Type.Object({ name: Type.String(), max_id: Type.Integer() }, exact)),
  }),
  errors: [],
  example: { stream_id: GENERAL },
  events: [],
  level: 334,
});

/** endpoints-channels.md#channel-mail. */
export const getChannelEmailAddress = endpoint({
  operation: 'get-channel-email-address',
  method: 'GET',
  path: '/streams/{stream_id}/email_address',
  access: 'user',
  summary: 'Get an address whose mails become messages in a channel',
  params: { stream_id, sender_id: optional(Id) },
  response: Type.Object({ email: Type.String() }),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { stream_id: GENERAL },
  events: [],
  level: 448,
});

type PermissionChanges = {
  readonly [K in ChannelPermission]: Param<typeof GroupSettingChange, 'optional'>;
};

const PERMISSION_CHANGES = Object.fromEntries(
  CHANNEL_PERMISSIONS.map((name) => [name, optional(GroupSettingChange)]),
) as PermissionChanges;

/** endpoints-channels.md#change-channel. */
export const updateChannel = endpoint({
  operation: 'update-channel',
  method: 'PATCH',
  path: '/streams/{stream_id}',
  access: 'member',
  summary: 'Change a channel, or unarchive it',
  params: {
    stream_id,
    description: optional(text(MAX_STREAM_DESCRIPTION_LENGTH)),
    // Its length and characters are the handler's to check, in its own words.
    new_name: optional(checkedText({ minLength: 1, maxLength: MAX_STREAM_NAME_LENGTH })),
    is_private: optional(Flag),
    is_web_public: optional(Flag),
    history_public_to_subscribers: optional(Flag),
    is_default_stream: optional(Flag),
    message_retention_days: optional(
      Type.Union([Type.Integer({ minimum: -1 }), oneOf('realm_default', 'unlimited')]),
      { wire: 'lenient' },
    ),
    is_archived: optional(Flag, { description: 'Only false, which unarchives the channel' }),
    folder_id: optional(nullable(Id)),
    topics_policy: optional(oneOf(...TOPICS_POLICIES)),
    ...PERMISSION_CHANGES,
  },
  response: Empty,
  errors: [
    'CANNOT_ADMINISTER_CHANNEL',
    'CANNOT_SET_TOPICS_POLICY',
    'EXPECTATION_MISMATCH',
    'SYSTEM_GROUP_REQUIRED',
    'UNAUTHORIZED_PRINCIPAL',
  ],
  example: { stream_id: GENERAL, description: 'For **everything** else' },
  events: [
    'stream',
    'subscription',
    'muted_topics',
    'default_streams',
    'message',
    'update_message_flags',
  ],
  level: 441,
});

/** endpoints-channels.md#change-channel. */
export const archiveChannel = endpoint({
  operation: 'archive-channel',
  method: 'DELETE',
  path: '/streams/{stream_id}',
  access: 'member',
  summary: 'Archive a channel; its messages stay readable',
  params: { stream_id },
  response: Empty,
  errors: ['CANNOT_ADMINISTER_CHANNEL'],
  example: { stream_id: VERONA },
  events: ['stream', 'default_streams', 'update_message_flags'],
});

/** endpoints-channels.md#subscribe. */
export const createChannel = endpoint({
  operation: 'create-channel',
  method: 'POST',
  path: '/channels/create',
  access: 'member',
  right: ['can_create_public_channel_group', 'can_create_private_channel_group'],
  summary: 'Create a channel',
  params: {
    name: required(checkedText({ minLength: 1, maxLength: MAX_STREAM_NAME_LENGTH })),
    description: withDefault(text(MAX_STREAM_DESCRIPTION_LENGTH), ''),
    subscribers: required(IdList),
    announce: withDefault(Flag, false),
    send_new_subscription_messages: withDefault(Flag, true),
    ...NEW_CHANNEL_PARAMS,
  },
  response: Type.Object({ id: Type.Integer() }),
  errors: ['CHANNEL_ALREADY_EXISTS', 'SYSTEM_GROUP_REQUIRED', 'UNAUTHORIZED_PRINCIPAL'],
  example: { name: 'verona', subscribers: [OWNER] },
  events: ['stream', 'subscription', 'default_streams', 'message'],
  level: 417,
});

/** endpoints-channels.md#change-channel. */
export const addDefaultChannel = endpoint({
  operation: 'add-default-channel',
  method: 'POST',
  path: '/default_streams',
  access: 'administrator',
  summary: 'Subscribe new accounts to a channel',
  params: { stream_id },
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { stream_id: GENERAL },
  events: ['default_streams'],
});

/** endpoints-channels.md#change-channel. */
export const removeDefaultChannel = endpoint({
  operation: 'remove-default-channel',
  method: 'DELETE',
  path: '/default_streams',
  access: 'administrator',
  summary: 'Stop subscribing new accounts to a channel',
  params: { stream_id },
  response: Empty,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  example: { stream_id: GENERAL },
  events: ['default_streams'],
});

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  'get-channel-email-address.sender_id':
    'Who the messages sent there seem to come from: the caller, a bot of theirs, or the mail gateway bot (default).',
  'create-channel.name': 'Name of the new channel, at most `max_stream_name_length` characters.',
  new_name: [
    'New name of the channel, at most `max_stream_name_length` characters; a notice tells of it.',
    'elsinore',
  ],
  'create-channel.description':
    'What the channel is for, in Markdown, at most `max_stream_description_length` characters.',
  'update-channel.description':
    'What the channel is for, in Markdown, at most `max_stream_description_length` characters; a notice tells of it.',
  is_private: 'Whether only subscribers see the channel and its messages.',
  subscribers: 'Ids of those who are subscribed from the beginning.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'get-channel.stream': 'The channel.',
  'create-channel.id': ['Id of the new channel.', VERONA],
  'get-channel-topics.topics':
    'Topics of the channel with a message the caller can read, that with the newest message first.',
  'topics.name': ['Name of the topic.', 'castle'],
  max_id: ['Id of the newest message of the topic.', SENT],
  'get-channel-email-address.email': [
    'Address whose mails become messages of the channel.',
    'general.ch1-7-3-6b1f0c2d9a8e4f5761b2c3d4.show-sender@mail.example.com',
  ],
});
