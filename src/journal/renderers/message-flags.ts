import type { Mutable } from '../../../schemas/endpoint.js';
import type { EventBodyOf, EventFields } from '../../../schemas/events.js';
import type { RendererOf } from './event-renderer.js';
import { shownTopic } from './message.js';

type DetailsById = NonNullable<EventFields<'update_message_flags'>['message_details']>;

/** Details of a message that became unread again (events-messages.md#messages, `message_details`). */
export type MessageDetails = DetailsById[string];

function withShownTopics(details: DetailsById): DetailsById {
  const shown: Record<string, MessageDetails> = {};
  for (const [id, one] of Object.entries(details)) {
    shown[id] = one.type === 'stream' ? { ...one, topic: shownTopic(one.topic, false) } : one;
  }
  return shown;
}

function hasEmptyTopic(details: DetailsById): boolean {
  return Object.values(details).some((one) => one.type === 'stream' && one.topic === '');
}

/** `update_message_flags`: only the name of an empty topic differs between queues. */
export const messageFlagsRenderer: RendererOf<'update_message_flags'> = {
  variant(event, receiver) {
    if (!event.data.message_details) return '';
    return receiver.filter.capabilities.empty_topic_name ? 'empty' : '';
  },

  bodies(event, variant) {
    const details = event.data.message_details;
    const body: Mutable<EventBodyOf<'update_message_flags'>> = { type: event.type, ...event.data };
    if (details && variant === '' && hasEmptyTopic(details)) {
      body.message_details = withShownTopics(details);
    }
    return [body];
  },
};
