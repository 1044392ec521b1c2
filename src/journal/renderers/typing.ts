import { EMPTY_TOPIC_DISPLAY_NAME } from '../../../schemas/limits.js';
import type { EventRenderer } from './event-renderer.js';

/**
 * `typing` events (events-messages.md#messages). Those of channels go only to queues that declared
 * `stream_typing_notifications`, and name the empty topic as the queue can show it.
 */
export const typingRenderer: EventRenderer = {
  variant(event, { filter }) {
    if (event.data.message_type !== 'stream') return '';
    if (!filter.capabilities.stream_typing_notifications) return null;
    return event.data.topic === '' && !filter.capabilities.empty_topic_name ? 'named' : '';
  },
  bodies(event, variant) {
    const body = { type: event.type, ...event.data };
    return [variant === 'named' ? { ...body, topic: EMPTY_TOPIC_DISPLAY_NAME } : body];
  },
};
