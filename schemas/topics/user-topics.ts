import Type, { type Static } from 'typebox';
import { collection } from '../collection.js';
import { Empty, endpoint, Id, oneOf, optional, required } from '../endpoint.js';
import { events } from '../event.js';
import { exact } from '../exact.js';
import { GENERAL } from '../example-values.js';
import { fieldTexts } from '../field-texts.js';
import { parameterTexts } from '../parameter-texts.js';
import { MessageText, ShortText } from '../text.js';

/** Visibility policies of a topic for one user (events-personal.md#personal-data). */
export const VISIBILITY = { inherit: 0, muted: 1, unmuted: 2, followed: 3 } as const;

/** `inherit` means that nothing was chosen: the topic is as visible as its channel. */
export type VisibilityPolicy = 0 | 1 | 2 | 3;

/** Stored visibility policy of one user for one topic; absent for `inherit`. */
export const UserTopicDocument = Type.Object({
  user_id: Type.Integer(),
  stream_id: Type.Integer(),
  /** Spelling at the time of the choice; topics compare without case. */
  topic: Type.String(),
  visibility_policy: oneOf(1, 2, 3),
  /** UNIX seconds. */
  last_updated: Type.Integer(),
});
export type UserTopicDocument = Static<typeof UserTopicDocument>;

/** The stored documents of `user_topic`. */
export const userTopicCollection = collection('user_topic', UserTopicDocument);

/** A topic setting as clients see it (events-personal.md#personal-data). */
export const UserTopic = Type.Object(
  {
    stream_id: Type.Integer(),
    topic_name: Type.String(),
    last_updated: Type.Integer(),
    visibility_policy: Type.Integer({ minimum: 0, maximum: 3 }),
  },
  { ...exact, title: 'UserTopic' },
);

/** Its legacy form: channel name, topic, UNIX seconds. */
export const MutedTopic = Type.Tuple([Type.String(), Type.String(), Type.Integer()]);

/** endpoints-channels.md#change-channel. */
export const updateUserTopic = endpoint({
  operation: 'update-user-topic',
  method: 'POST',
  path: '/user_topics',
  access: 'user',
  summary: 'Mute, unmute or follow a topic',
  params: {
    stream_id: required(Id),
    // Too long a topic is cut, as when sending.
    topic: required(MessageText),
    visibility_policy: required(oneOf(0, 1, 2, 3), {
      description: '0 as the channel, 1 muted, 2 unmuted, 3 followed',
    }),
  },
  response: Empty,
  errors: [],
  example: { stream_id: GENERAL, topic: 'castle', visibility_policy: 3 },
  events: ['user_topic', 'muted_topics'],
  level: 219,
});

/** endpoints-channels.md#change-channel: the older way, which the Python package uses. */
export const muteTopic = endpoint({
  operation: 'mute-topic',
  method: 'PATCH',
  path: '/users/me/subscriptions/muted_topics',
  access: 'user',
  summary: 'Mute or unmute a topic (legacy)',
  params: {
    stream_id: optional(Id),
    stream: optional(ShortText),
    topic: required(MessageText),
    op: required(oneOf('add', 'remove')),
  },
  response: Empty,
  errors: [],
  example: { stream_id: GENERAL, topic: 'greetings', op: 'add' },
  events: ['user_topic', 'muted_topics'],
  level: 2,
});

/** events-personal.md#personal-data: somebody's setting of a topic. */
export const userTopic = Type.Object(
  { type: Type.Literal('user_topic'), ...UserTopic.properties },
  exact,
);

/** events-personal.md#personal-data: its legacy twin, the complete list. */
export const mutedTopics = Type.Object(
  { type: Type.Literal('muted_topics'), muted_topics: Type.Array(MutedTopic) },
  exact,
);

/** All events of topics. */
export const topicEvents = events(userTopic, mutedTopics);

/** What the parameters mean. */
export const PARAMETER_TEXTS = parameterTexts({
  'mute-topic.topic': 'Name of the topic, in any case of its letters.',
  'update-user-topic.topic': 'Name of the topic, in any case of its letters.',
  'mute-topic.op': '`add` mutes the topic, `remove` ends that.',
  'update-user-topic.stream_id': 'Id of the channel of the topic.',
  'mute-topic.stream_id': 'Id of the channel; or `stream` with its name.',
  stream: 'Name of a channel the caller can see.',
});

/** What the fields of replies and events mean. */
export const FIELD_TEXTS = fieldTexts({
  'UserTopic.stream_id': ['Channel of the topic.', GENERAL],
  topic_name: ['Name of the topic.', 'castle'],
  last_updated: ['When it was set, UNIX seconds.', 1_750_000_000],
  visibility_policy: ['0 as its channel, 1 muted, 2 unmuted, 3 followed.', 3],
  muted_topics: [
    'All muted topics, as `[channel name, topic, UNIX seconds]`.',
    [['general', 'castle', 1_750_000_000]],
  ],
});
