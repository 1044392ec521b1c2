import { fieldTexts } from '../field-texts.js';
import { GENERAL } from '../example-values.js';

/** Fields of what people set for topics. */
export const topicFields = fieldTexts({
  'UserTopic.stream_id': ['Channel of the topic.', GENERAL],
  topic_name: ['Name of the topic.', 'castle'],
  last_updated: ['When it was set, UNIX seconds.', 1_750_000_000],
  visibility_policy: ['0 as its channel, 1 muted, 2 unmuted, 3 followed.', 3],
  muted_topics: [
    'All muted topics, as `[channel name, topic, UNIX seconds]`.',
    [['general', 'castle', 1_750_000_000]],
  ],
});
