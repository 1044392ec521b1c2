import type { MessageDocument } from '../../../../schemas/messages/message-document.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import type { Rendered } from '../../../services/markdown/markdown.js';
import type { MovePlan, PropagateMode } from '../../topics/moved-topic.js';

/** What a client asks to be changed of a message (endpoints-messages.md#one-message), before any check. */
export interface EditRequest {
  readonly user: UserDocument;
  readonly content?: string;
  readonly topic?: string;
  readonly streamId?: number;
  readonly propagateMode: PropagateMode;
  readonly contentSha256?: string;
}

/** A change that may be made, in stored form; at least one of content and move is there. */
export interface EditPlan {
  readonly user: UserDocument;
  /** As it is before. */
  readonly message: MessageDocument;
  readonly content: { readonly text: string; readonly rendered: Rendered } | null;
  readonly move: MovePlan | null;
}
