/** Messages of an archive with rooms, in the order of their times. */
import type { MessageDocument } from '../../../../schemas/messages/message.js';
import { markdownLink } from '../../../languages/markdown-link.js';
import { attachmentUrl } from '../../../organization/uploads/attachments.js';
import { codeOfCharacters, emojiNames } from '../../../services/text/emoji.js';
import { emojiOfSlack } from '../../../services/text/slack-emoji.js';
import type { Write } from '../../../store/port.js';
import { type ImportJob, set } from '../import-job.js';
import type { ImportTarget } from '../import-target.js';
import { IntervalRuns } from '../interval-runs.js';
import { mendedMessage, type ImportedRecipient, starredBy } from '../message-documents.js';
import { ArchiveUploads } from '../uploads.js';
import type {
  ArchivedFile,
  ArchivedMessage,
  ArchivedReaction,
  RoomArchive,
  RoomNames,
} from './room-archive.js';
import type { RoomEmoji } from './room-emoji.js';
import type { RoomPeople } from './room-people.js';

/** What messages are called in reports. */
export const MESSAGES = 'messages';

export class RoomMessages {
  count = 0;
  reactions = 0;
  private readonly seen = new IntervalRuns();
  private readonly uploads: ArchiveUploads;
  private readonly names: RoomNames;

  /** @param used gets the places of files */
  constructor(
    private readonly job: ImportJob,
    private readonly target: ImportTarget,
    private readonly archive: RoomArchive,
    private readonly people: RoomPeople,
    private readonly emoji: RoomEmoji,
    private readonly used: Set<string>,
  ) {
    const { org } = target;
    this.uploads = new ArchiveUploads(job, target);
    this.names = {
      user: (key) => org.users.get(people.users.get(key) ?? 0),
      channel: (key) => org.channels.get(people.channels.get(key) ?? 0)?.name,
      emoji: (name) => emoji.find(name),
      hasGroup: (name) => org.groups.byName(name) !== undefined,
    };
    job.omissions.found(MESSAGES, archive.messageCount);
  }

  /** What is to be written of the files that messages link. */
  linked(): readonly Write[] {
    return this.uploads.linked();
  }

  /** @param at its place in the order of time. @param writes null for one that was written before */
  async take(at: number, writes: Write[] | null): Promise<void> {
    const { omissions, markdown } = this.job;
    const { org } = this.target;
    const message = await this.archive.message(at, this.names);
    omissions.settle(MESSAGES);
    if (message === null) return;
    const recipient = this.recipientOf(message);
    const sender = org.users.get(this.people.users.get(message.sender) ?? 0);
    const files: number[] = [];
    const content = recipient && sender ? await this.contentOf(message, files) : '';
    if (!recipient || !sender || content === '') {
      omissions.add('messages without text, sender or place', message.id);
      return;
    }
    this.count += 1;
    const mended = mendedMessage(
      org,
      markdown,
      {
        ...{ id: this.count, sender, recipient, content, client: this.archive.service },
        timestamp: Math.floor(message.time / 1000),
        lastEdited: Math.floor(message.edited / 1000) || null,
        reactions: message.reactions.flatMap((one) => this.reactionOf(one)),
        receivers: this.receiversOf(recipient),
      },
      omissions,
    );
    this.reactions += mended.reactions.length;
    this.seen.add(mended.recipientId, this.count, []);
    if (!writes) return;
    writes.push(set('message', String(this.count), mended.document()));
    for (const key of message.starredBy) {
      const userId = this.people.users.get(key);
      if (userId !== undefined) writes.push(starredBy(userId, this.count));
    }
    this.uploads.link(this.count, files);
  }

  /** All of it is read: archives do not say. */
  writeReadState(): Promise<void> {
    return this.target.writeReadState(this.seen);
  }

  private recipientOf({ place, topic }: ArchivedMessage): ImportedRecipient | undefined {
    const { channels, conversations } = this.people;
    const channel = this.target.org.channels.get(channels.get(place) ?? 0);
    if (channel) return { channel, topic };
    const conversation = conversations.get(place);
    return conversation === undefined ? undefined : { conversation };
  }

  private receiversOf(recipient: ImportedRecipient): readonly number[] {
    const { conversations, subscriptions } = this.target.org;
    if ('conversation' in recipient) return conversations.get(recipient.conversation)!.user_ids;
    return [...subscriptions.subscribers(recipient.channel.stream_id)].sort((a, b) => a - b);
  }

  private async contentOf(message: ArchivedMessage, files: number[]): Promise<string> {
    const links: string[] = [];
    for (const file of message.files) links.push(await this.linkOf(file, message, files));
    return [message.content.trim(), ...links].filter(Boolean).join('\n');
  }

  /** A link to a file, here where the archive has it, else at the service. */
  private async linkOf(
    file: ArchivedFile,
    { sender, time }: ArchivedMessage,
    files: number[],
  ): Promise<string> {
    const { id, place, address } = file;
    const name = file.name || 'file';
    const { service } = this.archive;
    if (place !== '') {
      this.used.add(place);
      const [userId, timestamp] = [this.people.users.get(sender)!, Math.floor(time / 1000)];
      const stored = await this.uploads.store({ id, place, name, userId, timestamp });
      if (!stored) return `(${name})`;
      files.push(stored.id);
      return markdownLink(name, attachmentUrl(stored));
    }
    if (address === '') {
      this.job.omissions.add('files that are not in the archive', name);
      return `(${name})`;
    }
    const what = `files, which ${service} keeps: messages have their addresses there`;
    this.job.omissions.add(what, name);
    return markdownLink(name, address);
  }

  private reactionOf({ emoji, isName, user }: ArchivedReaction): MessageDocument['reactions'] {
    const user_id = this.people.users.get(user);
    const own = isName ? this.emoji.find(emoji) : undefined;
    const known = own ? undefined : isName ? emojiOfSlack(emoji) : emojiOf(emoji);
    if (user_id === undefined || (!own && !known)) {
      this.job.omissions.add('reactions by custom emoji, or by people, that are missing', emoji);
      return [];
    }
    if (own) {
      const code = { emoji_name: own.name, emoji_code: String(own.id) };
      return [{ ...code, reaction_type: 'realm_emoji', user_id }];
    }
    const code = { emoji_name: known!.name, emoji_code: known!.code };
    return [{ ...code, reaction_type: 'unicode_emoji', user_id }];
  }
}

/** A Unicode emoji by its characters. */
function emojiOf(characters: string): { name: string; code: string } | undefined {
  const code = codeOfCharacters(characters);
  const [name] = emojiNames(code);
  return name === undefined ? undefined : { name, code };
}
