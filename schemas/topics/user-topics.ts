import Type from 'typebox';
import { Empty, endpoint, Id, oneOf, optional, required } from '../endpoint.js';
import { exact } from '../exact.js';
import { MessageText, ShortText } from '../text.js';
import { GENERAL } from '../example-values.js';

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
