import type { RendererOf } from './event-renderer.js';
import { shownTopic } from './message.js';

/** `user_topic` (event-queues.md#client-capabilities): queues differ only in the name of the empty topic. */
export const userTopicRenderer: RendererOf<'user_topic'> = {
  variant: ({ data }, { filter }) =>
    data.topic_name === '' && !filter.capabilities.empty_topic_name ? 'named' : '',
  bodies({ type, data }, variant) {
    const body = { type, ...data };
    return [variant === 'named' ? { ...body, topic_name: shownTopic('', false) } : body];
  },
};

/** `muted_topics`: shows the empty topic like the messages of the same queue. */
export const mutedTopicsRenderer: RendererOf<'muted_topics'> = {
  variant({ data }, { filter }) {
    if (filter.capabilities.empty_topic_name) return '';
    return data.muted_topics.some(([, topic]) => topic === '') ? 'named' : '';
  },
  bodies({ type, data }, variant) {
    const rows = data.muted_topics;
    const muted_topics =
      variant === 'named'
        ? rows.map(([channel, topic, muted]) => [channel, shownTopic(topic, false), muted] as const)
        : rows;
    return [{ type, muted_topics }];
  },
};
