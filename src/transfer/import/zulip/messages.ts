/** Messages of a Zulip export. */
import { basename, join } from 'node:path';
import { readdir } from '../../../platform/files.js';
import type {
  MessageEditDocument,
  SubmessageDocument as Submessage,
} from '../../../../schemas/messages/message.js';
import type { Static } from 'typebox';
import type { UserDocument } from '../../../../schemas/users/user-document.js';
import type { Write } from '../../../store/port.js';
import type { Markdown } from '../../../services/markdown/markdown.js';
import type { ImportTarget } from '../import-target.js';
import { IdSet } from '../id-set.js';
import { IntervalRuns } from '../interval-runs.js';
import type { JsonRow } from '../json-rows.js';
import { mendedMessage, topicOf, type ImportedRecipient } from '../message-documents.js';
import { type Omissions, set } from '../import-job.js';
import { readMessageFile, type MessageFlags, type MessageRow } from './message-file.js';
import { RECIPIENT, systemBots } from './people.js';
import {
  integer,
  integerOrNull,
  parsed,
  rowsIn,
  secondsIn,
  textIn,
  type RealmFile,
} from './realm-file.js';

/** The last number that clients have place for which read ids as integers of 32 bits. */
const MAX_SHORT = 2_147_483_647;
const LONG_IDS =
  'messages with ids that some clients cannot read: they and all later ones are too long';

/** Where files were in addresses of some exports: three parts. Here there are four. */
const SHORT_UPLOAD = /(\/user_uploads\/\d+\/)([A-Za-z0-9_-]{8,}\/[^/\s)\]]+)(?=[\s)\]]|$)/g;

/** The address of a file as it is here, whichever form it has there. */
export function withLongUploads(content: string): string {
  return content.includes('/user_uploads/') ? content.replace(SHORT_UPLOAD, '$100/$2') : content;
}

type SubmessageDocument = Static<typeof Submessage>;

/** Takes messages file by file. */
export class ZulipMessages {
  /** For whom messages are unread, and who got those of channels. */
  readonly unread = new IntervalRuns();
  readonly received = new IntervalRuns();
  /** Messages that somebody never got and marked as unread, by person and conversation. */
  readonly recalled = new Map<string, number[]>();
  newestId = 0;
  newestSubmessage = 0;
  count = 0;
  private readonly senders: ReadonlyMap<number, number>;
  private readonly recipients = new Map<number, JsonRow>();
  private readonly clients: ReadonlyMap<number, string>;
  private readonly channels;

  constructor(
    private readonly target: ImportTarget,
    file: RealmFile,
    private readonly markdown: Markdown,
    private readonly omissions: Omissions,
  ) {
    const { org } = target;
    this.senders = systemBots(target, file);
    for (const row of file.rows('zerver_recipient')) this.recipients.set(integer(row, 'id'), row);
    this.clients = new Map(
      file.rows('zerver_client').map((row) => [integer(row, 'id'), textIn(row, 'name')]),
    );
    this.channels = new Map(Array.from(org.channels.values(), (one) => [one.recipient_id, one]));
  }

  /** @param told called with what is done, of how much */
  async take(folder: string, told: (done: number, of: number) => void): Promise<void> {
    const files = (await readdir(folder)).filter((name) => /^messages-\d+\.json$/.test(name));
    files.sort((a, b) => Number(/\d+/.exec(a)![0]) - Number(/\d+/.exec(b)![0]));
    const { filesDone } = this.target;
    const taken = new IdSet();
    for (const [i, name] of files.entries()) {
      const { users } = this.target.org;
      const isPerson = (id: number): boolean => users.has(this.senders.get(id) ?? id);
      const messages = await readMessageFile(join(folder, name), isPerson, taken, this.omissions);
      const writes: Write[] = [];
      for (const message of messages) this.takeOne(message, i < filesDone ? null : writes);
      if (i >= filesDone) await this.target.write(writes, i + 1);
      told(i + 1, files.length);
    }
    if (files.length === 0) this.omissions.miss('files of messages are missing', basename(folder));
  }

  /** Name of a program. */
  clientOf(id: number | null): string {
    return this.clients.get(id ?? 0) ?? 'Unknown';
  }

  /** Who is at a recipient that is no channel; undefined where that is missing. */
  peopleOf(recipient: number): readonly number[] | undefined {
    const there = this.recipients.get(recipient);
    if (there?.['type'] !== RECIPIENT.person) {
      return this.target.org.conversations.get(recipient)?.user_ids;
    }
    const person = this.userOf(integer(there, 'type_id'));
    return person && [person.user_id];
  }

  /** @param writes null where the message was written before, and only its readers are counted */
  private takeOne({ row, flags, submessages }: MessageRow, writes: Write[] | null): void {
    const { org } = this.target;
    this.omissions.settle(rowsIn('zerver_message'));
    const id = integer(row, 'id');
    const sender = this.userOf(integer(row, 'sender'));
    const recipient = sender && this.recipientOf(row, sender, writes);
    if (!sender || !recipient) {
      this.omissions.add('messages whose sender or recipient is missing', String(id));
      return;
    }
    if (id > MAX_SHORT) this.omissions.add(LONG_IDS, String(id));
    this.count += 1;
    this.newestId = Math.max(this.newestId, id);
    this.noteReaders(recipient, id, flags);
    const widget = this.widgetIn(submessages);
    const message = mendedMessage(
      org,
      this.markdown,
      {
        ...{ id, sender, recipient },
        content: withLongUploads(textIn(row, 'content')),
        timestamp: secondsIn(row, 'date_sent') || secondsIn(row, 'pub_date'),
        client: this.clientOf(integerOrNull(row, 'sending_client')),
        edits: this.editsOf(row),
        lastEdited: secondsIn(row, 'last_edit_time') || null,
        lastMoved: secondsIn(row, 'last_moved_time') || null,
        submessages: widget,
        notified: {
          mentioned: this.people(flags.mentioned),
          topic_wildcard: this.people(flags.topic_wildcard),
          alerted: this.people(flags.alerted),
        },
      },
      this.omissions,
    );
    if (!writes) return;
    writes.push(set('message', String(id), message.document()));
    this.addMarks(id, flags, writes);
  }

  private editsOf(row: JsonRow): MessageEditDocument[] {
    const edits = editsIn(row);
    if (edits !== null) return edits;
    this.omissions.add('histories of messages that are not as expected', String(row['id']));
    return [];
  }

  private widgetIn(rows: readonly JsonRow[]): SubmessageDocument[] {
    const known = rows.map((row) => ({
      id: integer(row, 'id'),
      sender_id: this.userOf(integer(row, 'sender'))!.user_id,
      content: textIn(row, 'content'),
    }));
    this.newestSubmessage = known.reduce(
      (most, { id }) => Math.max(most, id),
      this.newestSubmessage,
    );
    return known.sort((a, b) => a.id - b.id);
  }

  private userOf(id: number): UserDocument | undefined {
    const { users } = this.target.org;
    return users.get(this.senders.get(id) ?? id);
  }

  private recipientOf(
    row: JsonRow,
    sender: UserDocument,
    writes: Write[] | null,
  ): ImportedRecipient | undefined {
    const { org } = this.target;
    const recipient = integer(row, 'recipient');
    const channel = this.channels.get(recipient);
    if (channel) return { channel, topic: textIn(row, 'subject') };
    const there = this.recipients.get(recipient);
    if (there?.['type'] === RECIPIENT.group) {
      return org.conversations.has(recipient) ? { conversation: recipient } : undefined;
    }
    if (there?.['type'] !== RECIPIENT.person) return undefined;
    const other = this.userOf(integer(there, 'type_id'));
    if (!other) return undefined;
    const users = [...new Set([sender.user_id, other.user_id])].sort((a, b) => a - b);
    return { conversation: this.conversationOf(users, writes) };
  }

  private conversationOf(user_ids: number[], writes: Write[] | null): number {
    const { conversations } = this.target.org;
    const known = conversations.between(user_ids);
    if (known) return known.recipient_id;
    let recipient_id = 0;
    const made = this.target.transact(({ org }) => {
      recipient_id = org.counters.next('recipient');
      conversations.insert({ recipient_id, user_ids });
    });
    writes?.push(...made);
    return recipient_id;
  }

  private noteReaders(recipient: ImportedRecipient, id: number, flags: MessageFlags): void {
    const inChannel = 'channel' in recipient;
    const conversation = inChannel ? recipient.channel.recipient_id : recipient.conversation;
    this.unread.add(conversation, id, flags.unread);
    if (!inChannel) return;
    this.received.add(conversation, id, flags.received);
    for (const userId of flags.recalled) {
      const key = `${userId}:${conversation}`;
      const list = this.recalled.get(key);
      if (list) list.push(id);
      else this.recalled.set(key, [id]);
    }
  }

  private people(ids: readonly number[]): number[] {
    const known = ids.filter((id) => this.target.org.users.has(id));
    return [...new Set(known)].sort((a, b) => a - b);
  }

  private addMarks(
    message_id: number,
    { starred, collapsed }: MessageFlags,
    writes: Write[],
  ): void {
    for (const user_id of this.people([...starred, ...collapsed])) {
      const flags = { starred: starred.includes(user_id), collapsed: collapsed.includes(user_id) };
      writes.push(set('mark', `${user_id}:${message_id}`, { user_id, message_id, ...flags }));
    }
  }
}

/** Former versions, newest first; null where they are not as expected. */
function editsIn(row: JsonRow): MessageEditDocument[] | null {
  const { edit_history: given } = row;
  if (given === undefined || given === null || given === '') return [];
  const list = typeof given === 'string' ? parsed(given) : given;
  if (!Array.isArray(list) || !list.every(isRow)) return null;
  return list.map((edit) => {
    const topic = edit['prev_topic'] ?? edit['prev_subject'];
    const { prev_content: content, prev_stream: from, stream: to } = edit;
    return {
      user_id: integerOrNull(edit, 'user_id'),
      timestamp: secondsIn(edit, 'timestamp'),
      ...(typeof content === 'string' ? { prev_content: withLongUploads(content) } : {}),
      ...(typeof topic === 'string'
        ? { prev_topic: topicOf(topic), topic: topicOf(textIn(edit, 'topic')) }
        : {}),
      ...(Number.isSafeInteger(from) && Number.isSafeInteger(to)
        ? { prev_stream: from as number, stream: to as number }
        : {}),
    };
  });
}

function isRow(value: unknown): value is JsonRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
