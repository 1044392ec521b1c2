import type { RendererOf } from './event-renderer.js';
import { shownTopic } from './message.js';

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

/** The fields that the bodies of all variants share. */
function placeOf(data: MessagesDeleted, emptyTopicName: boolean) {
  if (data.message_type === 'private') return { message_type: data.message_type };
  const { message_type, stream_id } = data;
  return { message_type, stream_id, topic: shownTopic(data.topic, emptyTopicName) };
}

/** `delete_message` (events-messages.md#messages): bulk or one by one × the name of the empty topic. */
export const deleteMessageRenderer: RendererOf<'delete_message', MessagesDeleted> = {
  variant(event, { filter }): string {
    const data = event.data;
    const form = filter.capabilities.bulk_message_deletion === true ? BULK : SINGLE;
    const empty = data.message_type === 'stream' && data.topic === '';
    return empty && filter.capabilities.empty_topic_name !== true ? form + NAMED : form;
  },

  bodies(event, variant) {
    const data = event.data;
    const place = placeOf(data, !variant.endsWith(NAMED));
    const { type } = event;
    if (variant.startsWith(BULK)) return [{ type, ...place, message_ids: data.message_ids }];
    return data.message_ids.map((message_id) => ({ type, ...place, message_id }));
  },
};
