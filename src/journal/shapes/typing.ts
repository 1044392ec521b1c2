import { EMPTY_TOPIC_DISPLAY_NAME } from '../../../schemas/limits.js';
import type { Shape } from '../shapes.js';

/**
 * `typing` events (events.md section 9). Those of channels go only to queues that declared
 * `stream_typing_notifications`, and name the empty topic as the queue can show it.
 */
export const typingShape: Shape = {
  variant(event, { traits }) {
    if (event.data.message_type !== 'stream') return '';
    if (!traits.capabilities.stream_typing_notifications) return null;
    return event.data.topic === '' && !traits.capabilities.empty_topic_name ? 'named' : '';
  },
  bodies(event, variant) {
    const body = { type: event.type, ...event.data };
    return [variant === 'named' ? { ...body, topic: EMPTY_TOPIC_DISPLAY_NAME } : body];
  },
};
