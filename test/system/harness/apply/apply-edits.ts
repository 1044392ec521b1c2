import type { ApiClient, Body, WireEvent } from '../client.js';
import { QueueReader } from '../queue-reader.js';

type Message = Record<string, unknown> & { readonly id: number };

interface Edit {
  readonly user_id: number;
  readonly edit_timestamp: number;
  readonly message_id: number;
  readonly message_ids: readonly number[];
  readonly flags: string[];
  readonly orig_content?: string;
  readonly orig_rendered_content?: string;
  readonly content?: string;
  readonly rendered_content?: string;
  readonly is_me_message?: boolean;
  readonly rendering_only: boolean;
  readonly stream_id?: number;
  readonly orig_subject?: string;
  readonly subject?: string;
  readonly topic_links?: unknown;
  readonly new_stream_id?: number;
}

const MARK = '✔ ';
/** Flags of received messages only; who does not subscribe to where a message went has none of them. */
const RECEIVED = /mentioned$|^has_alert_word$/;

function isResolution({ orig_subject, subject, new_stream_id }: Edit): boolean {
  if (new_stream_id !== undefined || subject === undefined) return false;
  return subject === MARK + orig_subject || orig_subject === MARK + subject;
}

/** Messages an account once fetched, kept current from events alone, as clients keep theirs. */
export class FetchedMessages {
  private readonly messages = new Map<number, Message>();
  /** Ids it knows, or knew until it compared last: what is gone must not be seen either. */
  private known = new Set<number>();

  /** Messages that went to channels without the account: of what becomes of them it is not told. */
  private readonly strange = new Set<number>();

  private constructor(
    readonly name: string,
    private readonly client: ApiClient,
    private readonly reader: QueueReader,
  ) {}

  /** Fetches all the account can see in the channels named, and its combined feed. */
  static async open(
    name: string,
    client: ApiClient,
    channels: readonly string[],
  ): Promise<FetchedMessages> {
    const reader = await QueueReader.open(client, {
      apply_markdown: true,
      client_gravatar: false,
      client_capabilities: { empty_topic_name: true, bulk_message_deletion: true },
    });
    const fetched = new FetchedMessages(name, client, reader);
    const narrows = [[], ...channels.map((operand) => [{ operator: 'channel', operand }])];
    for (const narrow of narrows) {
      const { body } = await client.call('GET', '/messages', { ...PAGE, narrow });
      // A channel the account does not see has nothing for it.
      for (const message of (body.messages as Message[] | undefined) ?? []) fetched.learn(message);
    }
    return fetched;
  }

  /** What is believed after the events so far, and what fetching the same ids gives. */
  async compare(): Promise<{ believed: unknown; actual: unknown; events: readonly WireEvent[] }> {
    const events = await this.reader.now();
    for (const event of events) await this.apply(event);
    const message_ids = [...this.known];
    const reply = await this.client.ok('GET', '/messages', { ...FORM, message_ids });
    const actual = (reply.messages as Message[]).map(comparable);
    const believed = [...this.messages.values()].sort((a, b) => a.id - b.id).map(comparable);
    for (const id of this.strange) this.messages.delete(id);
    this.strange.clear();
    // What comes back has to be fetched anew, as no event tells it whole.
    this.known = new Set(this.messages.keys());
    return { believed, actual, events };
  }

  private learn(message: Message): void {
    this.known.add(message.id);
    this.messages.set(message.id, message);
  }

  private async apply(event: WireEvent): Promise<void> {
    if (event.type === 'message') {
      this.learn({ ...(event.message as Message), flags: event.flags });
    } else if (event.type === 'update_message') await this.edited(event as unknown as Edit);
    else if (event.type === 'delete_message') {
      for (const id of event.message_ids as number[]) this.messages.delete(id);
    } else if (event.type === 'reaction') this.react(event);
    else if (event.type === 'submessage') this.act(event);
    else if (event.type === 'update_message_flags') {
      for (const id of event.messages as number[]) this.flag(id, event);
    }
  }

  private react({ id: _id, type: _type, op, message_id, ...reaction }: WireEvent): void {
    const message = this.messages.get(Number(message_id));
    if (!message) return;
    const key = (one: Body) => `${String(one.user_id)} ${String(one.emoji_code)}`;
    const others = (message.reactions as Body[]).filter((one) => key(one) !== key(reaction));
    const reactions = op === 'add' ? [...others, reaction] : others;
    this.messages.set(message.id, { ...message, reactions });
  }

  private act({ id: _id, type: _type, submessage_id, message_id, ...rest }: WireEvent): void {
    const message = this.messages.get(Number(message_id));
    if (!message) return;
    const added = { id: submessage_id, message_id, ...rest };
    const submessages = [...(message.submessages as Body[]), added];
    this.messages.set(message.id, { ...message, submessages });
  }

  private flag(id: number, { op, flag }: Body): void {
    const message = this.messages.get(id);
    if (!message) return;
    const others = (message.flags as string[]).filter((one) => one !== flag);
    this.messages.set(id, { ...message, flags: op === 'add' ? [...others, flag] : others });
  }

  private async edited(event: Edit): Promise<void> {
    if (event.rendering_only) {
      const { message_id: id, rendered_content: content, flags } = event;
      const message = this.messages.get(id);
      // No edit: neither a time of one nor history.
      if (message) this.messages.set(id, { ...message, content, flags });
      return;
    }
    const target = event.new_stream_id;
    const stays = target === undefined || (await this.subscribes(target));
    for (const id of event.message_ids) {
      const message = this.messages.get(id);
      if (!message) continue;
      const next = { ...message };
      const entry: Body = { user_id: event.user_id, timestamp: event.edit_timestamp };
      if (event.subject !== undefined && event.subject !== message.subject) {
        Object.assign(entry, { prev_topic: message.subject, topic: event.subject });
        Object.assign(next, { subject: event.subject, topic_links: event.topic_links });
      }
      if (target !== undefined) {
        Object.assign(entry, { prev_stream: message.stream_id, stream: target });
        next.stream_id = target;
        if (!stays) {
          next.flags = (next.flags as string[]).filter((flag) => !RECEIVED.test(flag));
          this.strange.add(id);
        }
      }
      if (event.orig_subject !== undefined && !isResolution(event)) {
        next.last_moved_timestamp = event.edit_timestamp;
      }
      if (id === event.message_id) this.editedContent(event, next, entry);
      next.edit_history = [entry, ...((message.edit_history as Body[] | undefined) ?? [])];
      this.messages.set(id, next);
    }
  }

  private editedContent(event: Edit, next: Message, entry: Body): void {
    Object.assign(next, { flags: event.flags });
    if (event.content === undefined) return;
    Object.assign(next, {
      content: event.rendered_content,
      is_me_message: event.is_me_message,
      last_edit_timestamp: event.edit_timestamp,
    });
    Object.assign(entry, {
      prev_content: event.orig_content,
      prev_rendered_content: event.orig_rendered_content,
    });
  }

  private async subscribes(streamId: number): Promise<boolean> {
    const path = `/users/${this.client.userId}/subscriptions/${streamId}`;
    return (await this.client.ok('GET', path)).is_subscribed === true;
  }
}

const FORM = {
  apply_markdown: true,
  client_gravatar: false,
  allow_empty_topic_name: true,
} as const;
const PAGE = { ...FORM, anchor: 'newest', num_before: 1000, num_after: 0 } as const;

/** Without what follows from other fields, and the flag that says how the reader came to the message. */
function comparable(message: Message): Body {
  const { recipient_id: _recipient, display_recipient: _name, flags, ...rest } = message;
  const shown = (flags as string[]).filter((flag) => flag !== 'historical').sort();
  return { ...rest, flags: shown };
}
