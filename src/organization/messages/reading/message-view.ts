import type { MessageDocument, MessageObject } from '../../../../schemas/messages/message.js';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import type {
  MessageForm,
  MessageContext,
  Participant,
} from '../../../journal/renderers/message.js';
import type { HistoryPolicy } from '../editing/history-view.js';
import type { Organization } from '../../state/organization.js';
import { canSeeUser } from '../../access/user-access.js';
import { unknownSender } from '../../views/unknown-user.js';
import { apiEmail, avatarUrl, clientCanComputeAvatar } from '../../views/user-view.js';
import type { MessageAccess } from '../message-access.js';
import { messageFlags, messageFlagsText } from '../flags.js';
import type { Highlights } from './search.js';
import { shownObject, shownText, type Reactor, type ShownMessage } from './shown-message.js';

/** A sender as messages show it, to all or to one viewer. @throws Error for an account that never existed */
function senderOf(
  org: Organization,
  userId: number,
  viewer?: UserDocument,
): MessageContext['sender'] {
  const user = accountOf(org, userId);
  if (viewer && !canSeeUser(org, viewer, user)) return unknownSender(org, userId);
  return {
    full_name: user.full_name,
    email: apiEmail(org, user),
    avatar_url: avatarUrl(org, user),
    computable: clientCanComputeAvatar(org, user),
  };
}

function accountOf(org: Organization, userId: number): UserDocument {
  const user = org.users.get(userId);
  if (!user) throw new Error(`user:${userId} does not exist`);
  return user;
}

/** The recipient as messages show it. */
function recipientOf(org: Organization, message: MessageDocument): string | Participant[] {
  if (message.stream_id !== null) return org.channels.get(message.stream_id)?.name ?? '';
  const userIds = org.conversations.get(message.recipient_id)?.user_ids ?? [];
  return userIds.map((id) => {
    const user = accountOf(org, id);
    return {
      id,
      email: apiEmail(org, user),
      full_name: user.full_name,
      is_mirror_dummy: false as const,
    };
  });
}

/**
 * Estimated lengths of a message object without its texts, and of one entry of each of its lists, UTF-16
 * units.
 */
const OBJECT_LENGTH = 700;
const PARTICIPANT_LENGTH = 110;
const REACTION_LENGTH = 230;
const EDIT_LENGTH = 150;
const SUBMESSAGE_LENGTH = 100;

/** Estimated length of a message object as JSON; it bounds a page. */
export function viewLength(org: Organization, message: MessageDocument): number {
  let length = OBJECT_LENGTH + Math.max(message.content.length, message.rendered_content.length);
  length += REACTION_LENGTH * message.reactions.length;
  for (const edit of message.edit_history ?? []) {
    const { prev_content, prev_rendered_content } = edit;
    length += EDIT_LENGTH + (prev_content?.length ?? 0) + (prev_rendered_content?.length ?? 0);
  }
  for (const { content } of message.submessages ?? []) length += SUBMESSAGE_LENGTH + content.length;
  if (message.stream_id !== null) return length;
  const participants = org.conversations.get(message.recipient_id)?.user_ids.length ?? 0;
  return length + PARTICIPANT_LENGTH * participants;
}

/** The people and channel that a message object shows, as they are now, to all or to one viewer. */
export function messageContext(
  org: Organization,
  message: MessageDocument,
  viewer?: UserDocument,
): MessageContext {
  return {
    sender: senderOf(org, message.sender_id, viewer),
    realm: org.realm.current.string_id,
    recipient: recipientOf(org, message),
  };
}

/**
 * MessageViews builds message objects for one viewer. It caches senders and conversations, so that a page
 * looks each of them up once.
 */
export class MessageViews {
  private readonly senders = new Map<number, MessageContext['sender']>();
  private readonly reactors = new Map<number, Reactor>();
  private readonly recipients = new Map<number, MessageContext['recipient']>();
  private readonly realm: string;
  private readonly historyPolicy: HistoryPolicy;

  constructor(
    private readonly access: MessageAccess,
    private readonly form: MessageForm,
  ) {
    const realm = access.org.realm.current;
    this.realm = realm.string_id;
    this.historyPolicy = realm.message_edit_history_visibility_policy;
  }

  /** The message object of endpoints-messages.md#message-object, with the viewer's flags. */
  of(message: MessageDocument): MessageObject {
    const flags = messageFlags(this.access, message);
    return Object.assign(shownObject(this.shown(message)), { flags });
  }

  /** JSON of the same object, with further fields behind the others. What many viewers see alike is encoded once. */
  textOf(message: MessageDocument, further?: Highlights): string {
    const text = shownText(this.access.org, this.shown(message));
    const flags = messageFlagsText(this.access, message);
    const end = further ? `,${JSON.stringify(further).slice(1)}` : '}';
    return `${text},"flags":${flags}${end}`;
  }

  private shown(message: MessageDocument): ShownMessage {
    const { org } = this.access;
    const context = {
      sender: this.sender(message.sender_id),
      realm: this.realm,
      recipient: cached(this.recipients, message.recipient_id, () => recipientOf(org, message)),
    };
    const reactors = message.reactions.map(({ user_id }) => this.reactor(user_id));
    const { historyPolicy, form } = this;
    return { message, context, reactors, historyPolicy, form };
  }

  private reactor(userId: number): Reactor {
    return cached(this.reactors, userId, () => {
      const { email, full_name } = this.sender(userId);
      return { user_id: userId, email, full_name };
    });
  }

  private sender(userId: number): MessageContext['sender'] {
    const { org, user } = this.access;
    return cached(this.senders, userId, () => senderOf(org, userId, user));
  }
}

function cached<T>(known: Map<number, T>, id: number, make: () => T): T {
  let value = known.get(id);
  if (value === undefined) known.set(id, (value = make()));
  return value;
}
