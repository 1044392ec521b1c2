import type { EventRenderer } from './event-renderer.js';
import { shownTopic } from './message-object.js';

/** Details of a message that became unread again (events-messages.md#messages, `message_details`). */
export type MessageDetails =
  | { readonly type: 'private'; readonly mentioned?: true; readonly user_ids: readonly number[] }
  | {
      readonly type: 'stream';
      readonly mentioned?: true;
      readonly stream_id: number;
      readonly topic: string;
      readonly unmuted_stream_msg: boolean;
    };

type DetailsById = Readonly<Record<string, MessageDetails>>;

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
export const messageFlagsRenderer: EventRenderer = {
  variant(event, receiver) {
    if (!event.data.message_details) return '';
    return receiver.filter.capabilities.empty_topic_name ? 'empty' : '';
  },

  bodies(event, variant) {
    const details = event.data.message_details as DetailsById | undefined;
    const body: Record<string, unknown> = { type: event.type, ...event.data };
    if (details && variant === '' && hasEmptyTopic(details)) {
      body.message_details = withShownTopics(details);
    }
    return [body];
  },
};
