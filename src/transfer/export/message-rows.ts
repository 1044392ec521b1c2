/** Messages as rows of a Zulip export, with what each is to whom. */
import type { MessageDocument } from '../../../schemas/messages/message.js';
import { receivedBy } from '../../organization/messages/delivery-history.js';
import type { Organization } from '../../organization/state/organization.js';
import { REALM_ID } from '../../organization/uploads/attachments.js';
import { FLAGS } from '../import/zulip/flags.js';
import type { Clients } from './clients.js';
import type { Tables } from './tables.js';

const realm = REALM_ID;

/** Topic of direct messages there. */
const NO_TOPIC = '\u0007';

/** Makes the rows of messages, which come in the order of their numbers. */
export class MessageRows {
  messages = 0;
  reactions = 0;
  /** Rows of who got what, which every table of them numbers on. */
  private received = 0;
  /** Everybody who ever subscribed to a channel, by channel. */
  private readonly subscribers = new Map<number, number[]>();
  /** Who has marked messages of a conversation as unread without having got them. */
  private readonly recallers = new Map<number, number[]>();

  constructor(
    private readonly org: Organization,
    private readonly realmTables: Tables,
    private readonly clients: Clients,
  ) {
    for (const { user_id, stream_id } of org.subscriptions.values()) {
      push(this.subscribers, stream_id, user_id);
    }
    for (const { user_id, recipient_id, recalled } of org.readState.values()) {
      if (recalled) push(this.recallers, recipient_id, user_id);
    }
  }

  /** Adds a message to the tables of a file. @returns how many people have it */
  add(message: MessageDocument, tables: Tables): number {
    const { id, recipient_id, sender_id, stream_id, reactions } = message;
    this.messages += 1;
    tables.add('zerver_message', {
      id,
      sender: sender_id,
      recipient: recipient_id,
      realm,
      is_channel_message: stream_id !== null,
      subject: stream_id === null ? NO_TOPIC : message.topic,
      content: message.content,
      rendered_content: message.rendered_content,
      rendered_content_version: 1,
      date_sent: message.timestamp,
      sending_client: this.clients.idOf(message.client),
      last_edit_time: message.last_edit_timestamp,
      last_moved_time: message.last_moved_timestamp,
      edit_history: message.edit_history ? editsOf(message) : null,
      has_attachment: message.has_attachment,
      has_image: message.has_image,
      has_link: message.has_link,
    });
    for (const { user_id, ...reaction } of reactions) {
      this.reactions += 1;
      this.realmTables.add('zerver_reaction', { message: id, user_profile: user_id, ...reaction });
    }
    for (const { id: own, sender_id: sender, content } of message.submessages ?? []) {
      const row = { id: own, message: id, sender, content, msg_type: 'widget' };
      tables.add('zerver_submessage', row);
    }
    const people = this.flagsOf(message);
    for (const [user_profile, flags_mask] of people) {
      this.received += 1;
      const row = { id: this.received, user_profile, message: id, flags_mask };
      tables.add('zerver_usermessage', row);
    }
    return people.size;
  }

  /** Flags by people: of those who got it, and of those who have it for a flag alone. */
  private flagsOf(message: MessageDocument): Map<number, number> {
    const { org } = this;
    const { id, recipient_id, stream_id } = message;
    const got = receivedBy(org, id);
    const flags = new Map<number, number>();
    const recallers = (this.recallers.get(recipient_id) ?? []).filter((userId) => {
      return org.readState.recalled(userId, recipient_id).includes(id);
    });
    const candidates =
      stream_id === null
        ? (org.conversations.get(recipient_id)?.user_ids ?? [])
        : (this.subscribers.get(stream_id) ?? []);
    for (const userId of candidates) {
      if (recallers.includes(userId) || !got(userId)) continue;
      flags.set(userId, org.readState.isRead(userId, recipient_id, id) ? FLAGS.read : 0);
    }
    for (const userId of recallers) flags.set(userId, FLAGS.historical);
    const add = (userId: number, flag: number): void => {
      flags.set(userId, (flags.get(userId) ?? FLAGS.read | FLAGS.historical) | flag);
    };
    for (const userId of message.mentioned) add(userId, FLAGS.mentioned);
    for (const userId of message.topic_wildcard) add(userId, FLAGS.topicWildcard);
    for (const userId of message.alerted) add(userId, FLAGS.alerted);
    for (const userId of org.messageFlags.usersOf(id)) {
      const own = org.messageFlags.of(userId, id)!;
      if (own.starred) add(userId, FLAGS.starred);
      if (own.collapsed) add(userId, FLAGS.collapsed);
    }
    for (const [userId, mask] of flags) {
      const wildcard = message.channel_wildcard ? FLAGS.channelWildcard : 0;
      const direct = stream_id === null ? FLAGS.direct : 0;
      flags.set(userId, mask | wildcard | direct);
    }
    return flags;
  }
}

/** Zulip wants an editor of every edit: of those that did not record one it is the sender. */
function editsOf({ edit_history = [], sender_id }: MessageDocument): string {
  return JSON.stringify(
    edit_history.map((edit) => ({ ...edit, user_id: edit.user_id ?? sender_id })),
  );
}

function push(lists: Map<number, number[]>, key: number, value: number): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
