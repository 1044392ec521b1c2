import type { ChannelDocument } from '../../../schemas/documents/channel.js';
import type { MessageDocument } from '../../../schemas/documents/message.js';
import type { UserDocument } from '../../../schemas/documents/user.js';
import type { Rendered } from '../../services/markdown/markdown.js';

/** Which messages of the topic follow the one that is moved. */
export type PropagateMode = 'change_one' | 'change_later' | 'change_all';

/** What a client asks to be changed of a message (endpoints.md section B.4), before any check. */
export interface EditRequest {
  readonly user: UserDocument;
  readonly content?: string;
  readonly topic?: string;
  readonly streamId?: number;
  readonly propagateMode: PropagateMode;
  readonly contentSha256?: string;
}

/** Where a conversation of a channel is. */
export interface Place {
  readonly channel: ChannelDocument;
  readonly topic: string;
}

/** Whether a move does no more than mark a topic as resolved, or take the mark away. */
export type Resolution = 'resolved' | 'unresolved' | null;

/** A move that may be made. */
export interface MovePlan {
  readonly from: Place;
  readonly to: Place;
  readonly mode: PropagateMode;
  readonly resolution: Resolution;
}

/** A change that may be made, in stored form; at least one of content and move is there. */
export interface EditPlan {
  readonly user: UserDocument;
  /** As it is before. */
  readonly message: MessageDocument;
  readonly content: { readonly text: string; readonly rendered: Rendered } | null;
  readonly move: MovePlan | null;
}
