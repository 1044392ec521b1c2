import type { ChannelDocument } from '../../../schemas/channels/channel-document.js';

/** Which messages of the topic follow the one that is moved. */
export type PropagateMode = 'change_one' | 'change_later' | 'change_all';

/** Where a conversation of a channel is. */
export interface TopicPlace {
  readonly channel: ChannelDocument;
  readonly topic: string;
}

/** Whether a move does no more than mark a topic as resolved, or take the mark away. */
export type Resolution = 'resolved' | 'unresolved' | null;

/** A move that may be made. */
export interface MovePlan {
  readonly from: TopicPlace;
  readonly to: TopicPlace;
  readonly mode: PropagateMode;
  readonly resolution: Resolution;
}
