/** Fills an empty store with what a workspace of Slack exported (a zip of JSON files). */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readFile } from '../../../platform/files.js';
import type { MessageDocument } from '../../../../schemas/messages/message.js';
import type { Write } from '../../../store/port.js';
import { attachmentUrl } from '../../../organization/uploads/attachments.js';
import { linkOrWords } from '../../../services/markdown/links.js';
import { emojiOfSlack } from '../../../services/text/slack-emoji.js';
import { type ImportJob, type Taken, set } from '../import-job.js';
import { ImportTarget } from '../import-target.js';
import { IntervalRuns } from '../interval-runs.js';
import type { JsonRow } from '../json-rows.js';
import { mendedMessage, type ImportedRecipient } from '../message-documents.js';
import { SlackEmoji } from './slack-emoji-files.js';
import {
  daysOf,
  MESSAGES,
  messagesOf,
  part,
  rows,
  type SlackConversation,
  type SlackMessage,
  text,
} from './slack-files.js';
import { noteLeftovers } from './slack-leftovers.js';
import { SlackPeople } from './slack-people.js';
import { nameIn, saidIn, sendersIn, type Said } from './slack-said.js';
import { markdownOf, type SlackNames } from './slack-text.js';
import { Threads, type Threaded, type ThreadForm } from '../threads.js';
import {
  beginning,
  shownName,
  SlackUploads,
  takeAvatars,
  type SharedFile,
} from './slack-uploads.js';

/** Topic of what is in no thread. */
const TOPIC = 'imported from Slack';

/** What the operator decides about an export of a service without topics. */
export interface SlackChoices {
  /** Name of the organization, which the export lacks. */
  readonly name: string;
  readonly threads: ThreadForm;
}

/** @returns what was taken */
export async function importSlack(job: ImportJob, { name, threads }: SlackChoices): Promise<Taken> {
  const { folder, omissions, markdown, report } = job;
  const people = await SlackPeople.read(folder, omissions);
  const target = await ImportTarget.open({
    ...job,
    archive: `slack:${threads}:${await digest(folder)}`,
  });
  if (target.filesDone < 0) {
    await target.found((tx) => people.build(tx, name, markdown, omissions));
  } else report(`Continues after ${target.filesDone} days`);
  const avatars = await takeAvatars(job, target, people);
  const emoji = await SlackEmoji.take(job, target);
  const messages = new SlackMessages(job, target, people, emoji, new Threads(threads, TOPIC));
  await messages.take();
  await messages.writeReadState();
  noteLeftovers(folder, people, (id) => messages.hasFile(id), job.omissions);
  const { count, reactions } = messages;
  return target.finishNumbered({
    people: { accounts: people.count },
    messages: count,
    reactions,
    files: messages.files,
    avatars,
  });
}

class SlackMessages {
  count = 0;
  reactions = 0;
  private readonly seen = new IntervalRuns();
  private readonly byFolder: ReadonlyMap<string, SlackConversation>;
  private readonly names: SlackNames;
  private readonly uploads: SlackUploads;

  constructor(
    private readonly job: ImportJob,
    private readonly target: ImportTarget,
    private readonly people: SlackPeople,
    private readonly emoji: SlackEmoji,
    private readonly threads: Threads,
  ) {
    const { org } = target;
    this.byFolder = new Map(people.conversations.map((one) => [one.folder, one]));
    this.uploads = new SlackUploads(job, target);
    this.names = {
      user: (id) => org.users.get(people.userIds.get(id) ?? 0),
      channel: (id) => org.channels.get(people.numbers.get(id) ?? 0)?.name,
    };
  }

  /** Files that were in the archive. */
  get files(): number {
    return this.uploads.count;
  }

  /** Whether a message has a file, by its id there. */
  hasFile(id: string): boolean {
    return this.uploads.has(id);
  }

  /** Takes messages day by day, so that they get numbers in the order of their times. */
  async take(): Promise<void> {
    const { folder, report } = this.job;
    const days = await daysOf(folder, [...this.byFolder.keys()]);
    const { filesDone } = this.target;
    for (const [i, [day, folders]] of days.entries()) {
      const writes: Write[] | null = i < filesDone ? null : [];
      for (const message of await messagesOf(folder, day, folders, this.job.omissions)) {
        await this.takeOne(message, writes);
      }
      if (writes) {
        writes.push(...this.uploads.linked());
        await this.target.write(writes, i + 1);
      }
      if ((i + 1) % 100 === 0 || i + 1 === days.length) report(`${i + 1} of ${days.length} days`);
    }
  }

  /** All of it is read: the export does not say. */
  writeReadState(): Promise<void> {
    return this.target.writeReadState(this.seen);
  }

  /** @param writes null for one that was written before */
  private async takeOne({ folder, ts, row }: SlackMessage, writes: Write[] | null): Promise<void> {
    const { org } = this.target;
    const { omissions, markdown } = this.job;
    const conversation = this.byFolder.get(folder)!;
    omissions.settle(MESSAGES);
    const said = saidIn(row, (what, example) => omissions.add(what, example || `${folder} ${ts}`));
    if (!said) {
      omissions.add(NOTICES, `${folder} ${ts}`);
      return;
    }
    const recipient = this.recipientOf(conversation, row);
    const timestamp = Math.floor(Number(ts));
    const files: number[] = [];
    const sender = org.users.get(this.senderOf(row))!;
    const own = recipient ? await this.contentOf(row, said, timestamp, files) : '';
    if (!recipient || own === '') {
      omissions.add('messages without text or place', `${folder} ${ts}`);
      return;
    }
    const isDirect = 'conversation' in recipient;
    const content = this.threads.quoted(folder, threadedIn(row), sender, own, isDirect);
    this.count += 1;
    const message = mendedMessage(
      org,
      markdown,
      {
        ...{ id: this.count, sender, recipient, content },
        timestamp,
        client: 'Slack',
        reactions: this.reactionsOf(row),
        lastEdited: editedAt(row),
        receivers: this.people.members(conversation),
      },
      omissions,
    );
    this.reactions += message.reactions.length;
    this.seen.add(message.recipientId, this.count, []);
    if (!writes) return;
    writes.push(set('message', String(this.count), message.document()));
    this.uploads.link(this.count, files);
  }

  private recipientOf(
    conversation: SlackConversation,
    row: JsonRow,
  ): ImportedRecipient | undefined {
    const { org } = this.target;
    if (conversation.kind !== 'direct') {
      const channel = org.channels.get(this.people.numbers.get(conversation.id)!)!;
      return { channel, topic: this.threads.topicOf(threadedIn(row)) };
    }
    const known = org.conversations.between(this.people.members(conversation));
    return known && { conversation: known.recipient_id };
  }

  private senderOf(row: JsonRow): number {
    for (const id of sendersIn(row)) {
      const known = this.people.userIds.get(id);
      if (known !== undefined) return known;
    }
    return this.people.integrationsId;
  }

  /** @param files gets those that it links */
  private async contentOf(
    row: JsonRow,
    said: Said,
    timestamp: number,
    files: number[],
  ): Promise<string> {
    const words = markdownOf(said.text, this.names).trim();
    const links: string[] = [];
    for (const file of said.files) {
      const shared = { row: file, userId: this.senderOf(row), timestamp };
      const link = await this.linkOf(shared, files);
      const isComment = text(row, 'subtype') === 'file_comment';
      links.push(link === '' || isComment ? link : link + beginning(file));
    }
    const content = [words, ...links].filter(Boolean).join('\n');
    const isNamed = this.senderOf(row) === this.people.integrationsId;
    const sender = nameIn(row);
    return content !== '' && isNamed && sender !== '' ? `**${sender}**: ${content}` : content;
  }

  /** A link to a file, here where the archive has it, else at Slack. */
  private async linkOf(shared: SharedFile, files: number[]): Promise<string> {
    const name = shownName(shared.row);
    if (GONE.has(text(shared.row, 'mode')) || GONE.has(text(shared.row, 'file_access'))) {
      this.job.omissions.add('files that Slack had deleted or hidden already', name);
      return name === 'file' ? '' : `(${name})`;
    }
    const here = await this.uploads.take(shared);
    if (here) files.push(here.id);
    else {
      this.job.omissions.add('files, which Slack keeps: messages have their addresses there', name);
    }
    // What follows a question mark may let anybody in.
    const there = text(shared.row, 'url_private').replace(/\?.*$/s, '');
    const address = here ? attachmentUrl(here) : there;
    return linkOrWords(name, address);
  }

  private reactionsOf(row: JsonRow): MessageDocument['reactions'] {
    // Formerly those to a file that somebody shared were the file's.
    const own = rows(row['reactions']);
    const isShare = text(row, 'subtype') === 'file_share' && own.length === 0;
    const given = isShare ? rows(part(row, 'file')['reactions']) : own;
    return given.flatMap((one) => {
      // The colour of a skin is left out, as here.
      const name = text(one, 'name').replace(/::.*$/, '');
      const emoji = this.reactionNamed(name);
      const users = Array.isArray(one['users']) ? (one['users'] as unknown[]) : [];
      return users.flatMap((id) => {
        const user_id = this.people.userIds.get(String(id));
        if (emoji === null || user_id === undefined) {
          this.job.omissions.add('reactions by custom emoji, or by people, that are missing', name);
          return [];
        }
        return [{ ...emoji, user_id }];
      });
    });
  }

  private reactionNamed(
    name: string,
  ): Omit<MessageDocument['reactions'][number], 'user_id'> | null {
    // No name of Slack's own is given to another emoji there.
    const own = this.emoji.find(name);
    if (own) {
      return { emoji_name: own.name, emoji_code: String(own.id), reaction_type: 'realm_emoji' };
    }
    const known = emojiOfSlack(name);
    if (!known) return null;
    const { name: emoji_name, code: emoji_code } = known;
    return { emoji_name, emoji_code, reaction_type: 'unicode_emoji' };
  }
}

/** Modes and accesses of files that nobody can have any more. */
const GONE = new Set(['tombstone', 'hidden_by_limit', 'access_denied', 'file_not_found']);

const NOTICES = 'notices that Slack wrote itself, such as who joined';

function threadedIn(row: JsonRow): Threaded {
  return { time: text(row, 'ts'), thread: text(row, 'thread_ts') };
}

function editedAt(row: JsonRow): number | null {
  const edited = row['edited'] as JsonRow | undefined;
  return Math.floor(Number(edited?.['ts'] ?? 0)) || null;
}

async function digest(folder: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of ['users.json', 'channels.json']) {
    hash.update(await readFile(join(folder, name)).catch(() => ''));
  }
  return hash.digest('hex').slice(0, 32);
}
