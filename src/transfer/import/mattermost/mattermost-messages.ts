/** Messages of a Mattermost export, in the order of their times. */
import type { MessageDocument } from '../../../../schemas/messages/message.js';
import { markdownLink } from '../../../languages/markdown-link.js';
import { attachmentUrl } from '../../../organization/uploads/attachments.js';
import { emojiOfSlack } from '../../../services/text/slack-emoji.js';
import type { Write } from '../../../store/port.js';
import { type ImportJob, set } from '../import-job.js';
import type { ImportTarget } from '../import-target.js';
import { IntervalRuns } from '../interval-runs.js';
import type { JsonRow } from '../json-rows.js';
import { mendedMessage, type ImportedRecipient, starredBy } from '../message-documents.js';
import type { Threads } from '../threads.js';
import { ArchiveUploads } from '../uploads.js';
import { MESSAGE } from './mattermost-fields.js';
import { listIn, MESSAGES, part, text, textsIn, timeIn } from './mattermost-file.js';
import type { Viewer } from './mattermost-memberships.js';
import type { MattermostPeople } from './mattermost-people.js';
import type { MattermostPictures } from './mattermost-pictures.js';
import { type MattermostNames, markdownOf, textsOfAttachments } from './mattermost-text.js';
import { noteUnknown } from '../unknown-fields.js';

/** Notices that say something afterwards, too; the others say who came and went. */
const LASTING = new Set([
  'system_header_change',
  'system_purpose_change',
  'system_channel_deleted',
  'system_channel_restored',
]);

export class MattermostMessages {
  count = 0;
  reactions = 0;
  private readonly unread = new IntervalRuns();
  private readonly uploads: ArchiveUploads;

  constructor(
    private readonly job: ImportJob,
    private readonly target: ImportTarget,
    private readonly people: MattermostPeople,
    private readonly pictures: MattermostPictures,
    private readonly threads: Threads,
    private readonly viewers: ReadonlyMap<number, readonly Viewer[]>,
  ) {
    this.uploads = new ArchiveUploads(job, target);
  }

  /** Files of the archive that messages show. */
  get places(): ReadonlySet<string> {
    return this.pictures.places;
  }

  /** What is to be written of the files that messages link. */
  linked(): readonly Write[] {
    return this.uploads.linked();
  }

  /** @param reply which answer it is; -1 for the message itself */
  async take(
    post: JsonRow,
    reply: number,
    isDirect: boolean,
    writes: Write[] | null,
  ): Promise<void> {
    const { omissions, markdown } = this.job;
    const { org } = this.target;
    const row = reply < 0 ? post : listIn(post, 'replies')[reply]!;
    omissions.settle(MESSAGES);
    const time = timeIn(row, 'create_at');
    const type = text(row, 'type');
    if (type.startsWith('system_') && !LASTING.has(type)) {
      omissions.add('notices that Mattermost wrote itself, such as who joined', String(time));
      return;
    }
    // Without answers it is no thread.
    const isThread = listIn(post, 'replies').length > 0;
    const thread = isThread ? String(timeIn(post, 'create_at') / 1000) : '';
    const threaded = { time: String(time / 1000), thread };
    const recipient = this.recipientOf(post, isDirect, this.threads.topicOf(threaded));
    const sender = org.users.get(this.senderOf(row))!;
    const files: number[] = [];
    const own = recipient ? await this.contentOf(post, row, time, files) : '';
    if (!recipient || own === '') {
      omissions.add('messages without text or place', String(time));
      return;
    }
    const place = isDirect ? textsIn(post, 'channel_members').join() : text(post, 'channel');
    const content = this.threads.quoted(place, threaded, sender, own, isDirect);
    this.count += 1;
    const message = mendedMessage(
      org,
      markdown,
      {
        ...{ id: this.count, sender, recipient, content, client: 'Mattermost' },
        timestamp: Math.floor(time / 1000),
        lastEdited: Math.floor(timeIn(row, 'edit_at') / 1000) || null,
        reactions: this.reactionsOf(row),
        receivers: this.receiversOf(recipient),
      },
      omissions,
    );
    this.reactions += message.reactions.length;
    const viewers = this.viewers.get(message.recipientId) ?? [];
    const unread = viewers.filter((one) => one.seen < time && one.userId !== sender.user_id);
    this.unread.add(
      message.recipientId,
      this.count,
      unread.map((one) => one.userId),
    );
    if (!writes) return;
    writes.push(set('message', String(this.count), message.document()));
    for (const name of textsIn(row, 'flagged_by')) {
      const userId = this.people.users.get(name);
      if (userId !== undefined) writes.push(starredBy(userId, this.count));
    }
    this.uploads.link(this.count, files);
  }

  writeReadState(): Promise<void> {
    return this.target.writeReadState(this.unread);
  }

  private recipientOf(
    post: JsonRow,
    isDirect: boolean,
    topic: string,
  ): ImportedRecipient | undefined {
    const { org } = this.target;
    if (!isDirect) {
      const number = this.people.channels.get(`${text(post, 'team')}/${text(post, 'channel')}`);
      const channel = org.channels.get(number ?? 0);
      return channel && { channel, topic };
    }
    const key = textsIn(post, 'channel_members').sort().join();
    const conversation = this.people.conversations.get(key);
    return conversation !== undefined && org.conversations.has(conversation)
      ? { conversation }
      : undefined;
  }

  private receiversOf(recipient: ImportedRecipient): readonly number[] {
    const { conversations, subscriptions } = this.target.org;
    if ('conversation' in recipient) return conversations.get(recipient.conversation)!.user_ids;
    return [...subscriptions.subscribers(recipient.channel.stream_id)].sort((a, b) => a - b);
  }

  private senderOf(row: JsonRow): number {
    return this.people.users.get(text(row, 'user')) ?? this.people.strangersId;
  }

  private async contentOf(
    post: JsonRow,
    row: JsonRow,
    time: number,
    files: number[],
  ): Promise<string> {
    const { org } = this.target;
    const names: MattermostNames = {
      user: (name) => org.users.get(this.people.users.get(name) ?? 0),
      channel: (name) =>
        org.channels.get(this.people.channels.get(`${text(post, 'team')}/${name}`) ?? 0)?.name,
    };
    const props = part(row, 'props');
    const note = (what: string, example: string): void => {
      this.job.omissions.add(what, example || String(time));
    };
    noteUnknown(row, MESSAGE, note);
    if (row['is_pinned'] === true) note('pins of messages, which do not exist here', '');
    const attached = textsOfAttachments(props, note);
    const said = [text(row, 'message'), ...attached]
      .map((one) => markdownOf(one, names).trim())
      .filter((one) => one !== '')
      .join('\n\n');
    const links: string[] = [];
    for (const { path } of listIn(row, 'attachments') as readonly { path?: unknown }[]) {
      if (typeof path === 'string') links.push(await this.linkOf(row, path, time, files));
    }
    const words = text(row, 'type') === 'me' ? `/me ${said.replace(/^\*|\*$/g, '')}` : said;
    const content = [words, ...links].filter(Boolean).join('\n');
    // A webhook is an account of somebody, and says under which name it speaks.
    const name = text(props, 'override_username');
    return content === '' || name === '' ? content : `**${name}**: ${content}`;
  }

  private async linkOf(row: JsonRow, path: string, time: number, files: number[]): Promise<string> {
    const name = path.split('/').at(-1)!;
    const place = await this.pictures.placeOf(path);
    const timestamp = Math.floor(time / 1000);
    const stored =
      place &&
      (await this.uploads.store({ id: path, place, name, userId: this.senderOf(row), timestamp }));
    if (!stored) {
      this.job.omissions.add('files that are not in the archive', name);
      return `(${name})`;
    }
    files.push(stored.id);
    return markdownLink(name, attachmentUrl(stored));
  }

  private reactionsOf(row: JsonRow): MessageDocument['reactions'] {
    return listIn(row, 'reactions').flatMap((one) => {
      const name = text(one, 'emoji_name');
      const user_id = this.people.users.get(text(one, 'user'));
      const known = emojiOfSlack(name);
      const own = this.pictures.find(name);
      if (user_id === undefined || (!known && !own)) {
        this.job.omissions.add('reactions by custom emoji, or by people, that are missing', name);
        return [];
      }
      return [
        own
          ? {
              ...{ emoji_name: own.name, emoji_code: String(own.id), user_id },
              reaction_type: 'realm_emoji' as const,
            }
          : {
              ...{ emoji_name: known!.name, emoji_code: known!.code, user_id },
              reaction_type: 'unicode_emoji' as const,
            },
      ];
    });
  }
}
