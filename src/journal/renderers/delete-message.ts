import type { EventRenderer, RenderableEvent } from './event-renderer.js';
import { shownTopic } from './message-object.js';

/**
 * Stored form of `delete_message`: messages of one conversation that were deleted together. It takes one
 * slot per message (`slots: message_ids.length`), because queues without `bulk_message_deletion` get one
 * event per message.
 */
export type MessagesDeleted =
  | {
      readonly message_type: 'stream';
      /** Ascending, not empty. */
      readonly message_ids: readonly number[];
      readonly stream_id: number;
      /** Their topic; the empty topic as "". */
      readonly topic: string;
    }
  | {
      readonly message_type: 'private';
      /** Ascending, not empty. */
      readonly message_ids: readonly number[];
    };

const BULK = 'bulk';
const SINGLE = 'single';
/** Suffix of the variants that show the display name of the empty topic. */
const NAMED = ' named';

function dataOf(event: RenderableEvent): MessagesDeleted {
  return event.data as MessagesDeleted;
}

/** The fields that the bodies of all variants share. */
function placeOf(data: MessagesDeleted, emptyTopicName: boolean): Record<string, unknown> {
  if (data.message_type === 'private') return { message_type: 'private' };
  const topic = shownTopic(data.topic, emptyTopicName);
  return { message_type: 'stream', stream_id: data.stream_id, topic };
}

/** `delete_message` (events-messages.md#messages): bulk or one by one × the name of the empty topic. */
export const deleteMessageRenderer: EventRenderer = {
  variant(event, { filter }): string {
    const data = dataOf(event);
    const form = filter.capabilities.bulk_message_deletion === true ? BULK : SINGLE;
    const empty = data.message_type === 'stream' && data.topic === '';
    return empty && filter.capabilities.empty_topic_name !== true ? form + NAMED : form;
  },

  bodies(event, variant) {
    const data = dataOf(event);
    const place = placeOf(data, !variant.endsWith(NAMED));
    const { type } = event;
    if (variant.startsWith(BULK)) return [{ type, ...place, message_ids: data.message_ids }];
    return data.message_ids.map((message_id) => ({ type, ...place, message_id }));
  },
};
