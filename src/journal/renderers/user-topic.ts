import type { EventRenderer } from './event-renderer.js';
import { shownTopic } from './message-object.js';

/** `user_topic` (event-queues.md#client-capabilities): queues differ only in the name of the empty topic. */
export const userTopicRenderer: EventRenderer = {
  variant: ({ data }, { filter }) =>
    data.topic_name === '' && !filter.capabilities.empty_topic_name ? 'named' : '',
  bodies({ type, data }, variant) {
    const body = { type, ...data };
    return [variant === 'named' ? { ...body, topic_name: shownTopic('', false) } : body];
  },
};

type Row = readonly [channel: string, topic: string, muted: number];

/** `muted_topics`: shows the empty topic like the messages of the same queue. */
export const mutedTopicsRenderer: EventRenderer = {
  variant({ data }, { filter }) {
    if (filter.capabilities.empty_topic_name) return '';
    return rowsOf(data.muted_topics).some(([, topic]) => topic === '') ? 'named' : '';
  },
  bodies({ type, data }, variant) {
    const rows = rowsOf(data.muted_topics);
    const muted_topics =
      variant === 'named'
        ? rows.map(([channel, topic, muted]) => [channel, shownTopic(topic, false), muted])
        : rows;
    return [{ type, muted_topics }];
  },
};

function rowsOf(list: unknown): readonly Row[] {
  return list as readonly Row[];
}
