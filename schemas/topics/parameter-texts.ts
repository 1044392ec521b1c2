import { parameterTexts } from '../parameter-texts.js';

/** Parameters about what people set for topics. */
export const topicTexts = parameterTexts({
  'mute-topic.topic': 'Name of the topic, in any case of its letters.',
  'update-user-topic.topic': 'Name of the topic, in any case of its letters.',
  'mute-topic.op': '`add` mutes the topic, `remove` ends that.',
  'update-user-topic.stream_id': 'Id of the channel of the topic.',
  'mute-topic.stream_id': 'Id of the channel; or `stream` with its name.',
  stream: 'Name of a channel the caller can see.',
});
