import { EMPTY_TOPIC_DISPLAY_NAME } from '../../../schemas/limits.js';
import type { RendererOf } from './event-renderer.js';

/**
 * `typing` events (events-messages.md#messages). Events of channels go only to queues that declared
 * `stream_typing_notifications`, with the empty topic as the queue can show it.
 */
export const typingRenderer: RendererOf<'typing'> = {
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

/**
 * `typing_edit_message` (events-messages.md#messages). Unlike `typing`, events of channels also go to
 * queues without `stream_typing_notifications`: the contract promises them to all, and clients that know
 * the type know channels.
 */
export const typingEditMessageRenderer: RendererOf<'typing_edit_message'> = {
  variant(event, { filter }) {
    const { recipient } = event.data;
    if (recipient.type === 'direct') return '';
    return recipient.topic === '' && !filter.capabilities.empty_topic_name ? 'named' : '';
  },

  bodies(event, variant) {
    const { recipient, ...rest } = event.data;
    const shown =
      variant === 'named' ? { ...recipient, topic: EMPTY_TOPIC_DISPLAY_NAME } : recipient;
    return [{ type: event.type, ...rest, recipient: shown }];
  },
};
