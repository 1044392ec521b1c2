/** What files of DiscordChatExporter have, for the import of archives with rooms. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { MAX_MESSAGE_LENGTH } from '../../../../schemas/limits.js';
import { quotation } from '../../../organization/messages/message-markup.js';
import { decode } from '../../../services/text/decode.js';
import type { ImportJob } from '../import-job.js';
import { rowsOf, type JsonRow } from '../json-rows.js';
import { noteFiles } from '../leftovers.js';
import { MessageIndex, type MessagePlace } from '../rooms/message-index.js';
import type {
  ArchivedFile,
  ArchivedMessage,
  ArchivedReaction,
  RoomArchive,
  RoomNames,
} from '../rooms/room-archive.js';
import { RowFiles } from '../rooms/row-files.js';
import { listIn, part, text, timeOf } from '../rooms/row-values.js';
import { excerptOf } from '../threads.js';
import { addressOf, discordFiles, placeOf, type DiscordFile } from './discord-files.js';
import { DiscordPeople, nameIn } from './discord-people.js';
import { type DiscordAccess, DiscordRooms } from './discord-rooms.js';
import { saidIn, type DiscordShown } from './discord-said.js';
import { markdownOf, type DiscordReferences } from './discord-text.js';

/** What of a text is converted, UTF-16 units: what is above the limit of messages is cut and counted in any case. */
const MAX_TEXT = 4 * MAX_MESSAGE_LENGTH;

/** Fields that name a picture or another file. */
const FILE_FIELDS = new Set(['url', 'imageUrl', 'iconUrl', 'sourceUrl', 'avatarUrl']);

export class DiscordArchive implements RoomArchive {
  readonly service = 'Discord';
  readonly digest: string;
  readonly people: RoomArchive['people'];
  readonly rooms: RoomArchive['rooms'];
  readonly conversations: RoomArchive['conversations'];
  readonly groups: RoomArchive['groups'];
  readonly emoji: RoomArchive['emoji'];
  readonly icon: string;
  readonly filesFolder: string;
  private readonly rowFiles: RowFiles;

  private constructor(
    private readonly job: ImportJob,
    private readonly lists: DiscordLists,
    access: DiscordAccess,
  ) {
    const { files, who, where } = lists;
    const hash = createHash('sha256');
    for (const { place, size } of files) hash.update(`${place}\0${size}\0`);
    this.digest = `discord:${access}:${hash.digest('hex').slice(0, 32)}`;
    // Who got direct messages alone becomes one of the people.
    this.conversations = where.conversations(who);
    this.people = who.people();
    this.rooms = where.list();
    this.groups = who.groups();
    this.emoji = who.emoji();
    const icons = files.map((one) => placeOf(one, text(one.guild, 'iconUrl')));
    this.icon = icons.find((one) => one !== '') ?? '';
    this.filesFolder = job.folder;
    this.rowFiles = new RowFiles(files.map((one) => join(job.folder, one.place)));
  }

  /** Reads everything but the texts. @throws ArchiveError */
  static async read(job: ImportJob, access: DiscordAccess): Promise<DiscordArchive> {
    const files = await discordFiles(job.folder);
    const lists = new DiscordLists(files, new DiscordRooms(files, access));
    for (const number of files.keys()) await lists.scan(job, number);
    lists.index.sort();
    return new DiscordArchive(job, lists, access);
  }

  get messageCount(): number {
    return this.lists.index.size;
  }

  async message(at: number, names: RoomNames): Promise<ArchivedMessage | null> {
    const { index, files, where } = this.lists;
    const place = index.at(at);
    const row = await this.rowAt(place);
    const file = files[place.file]!;
    const id = text(row, 'id');
    const { omissions } = this.job;
    const said = saidIn(row, (what, example) => omissions.add(what, example || id));
    if (!said) {
      omissions.add('notices that Discord wrote itself, such as who joined', id);
      return null;
    }
    if (row['isPinned'] === true)
      omissions.add('messages that were pinned: here is no such mark', id);
    const converted = (words: string): string => this.converted(words, row, names);
    const author = part(row, 'author');
    const sender = text(author, 'id');
    // Those whom a webhook speaks for have its account, and names of their own.
    const isNamed = author['isBot'] === true && nameIn(author) !== this.lists.who.nameOf(sender);
    const words = converted(said.words).trim();
    const again = converted(said.forwarded).trim();
    const content = [
      await this.answered(row, file, names),
      commandIn(row, names),
      isNamed && words !== '' ? `**${nameIn(author)}**: ${words}` : words,
      again === '' ? '' : quotation(again),
      ...said.more.map((one) => converted(one).trim()),
    ];
    const { key, topic } = where.placeOf(file);
    return {
      ...{ id, place: key, topic, sender, time: place.time },
      edited: timeOf(text(row, 'timestampEdited')),
      content: content.filter((one) => one !== '').join('\n'),
      files: said.files.map((one) => shownFile(one, file)),
      reactions: listIn(row, 'reactions').flatMap((one) => this.reactionsIn(one)),
      starredBy: [],
    };
  }

  async noteLeftovers(used: ReadonlySet<string>): Promise<void> {
    const { files, shown } = this.lists;
    const messages = new Set(files.map((one) => one.place));
    await noteFiles(
      this.job.folder,
      (place) => {
        if (used.has(place) || messages.has(place)) return 'taken';
        if (!shown.has(place)) return { missing: 'files that no message names' };
        return {
          foreign: 'pictures of previews, of emoji that are here, and of who changed theirs',
        };
      },
      this.job.omissions,
    );
  }

  close(): Promise<void> {
    return this.rowFiles.close();
  }

  /** What a message answers, quoted; empty for nothing. */
  private async answered(row: JsonRow, file: DiscordFile, names: RoomNames): Promise<string> {
    if (!isAnswer(row, file)) return '';
    const id = text(part(row, 'reference'), 'messageId');
    if (id === '') return '';
    for (const place of this.lists.index.find(id)) {
      const one = await this.rowAt(place);
      if (text(one, 'id') !== id) continue;
      const user = names.user(text(part(one, 'author'), 'id'));
      const said = saidIn(one, () => undefined);
      const words = said && this.converted(said.words || said.forwarded, one, names).trim();
      if (!user || !words) return '';
      return `@_**${user.full_name}|${user.user_id}** said:\n${quotation(excerptOf(words))}`;
    }
    this.job.omissions.add('answers to messages that are not in the archive', text(row, 'id'));
    return '';
  }

  /** Earlier exporters counted them, and wrote no names; of very many, names of some may be missing. */
  private reactionsIn(row: JsonRow): ArchivedReaction[] {
    const emoji = part(row, 'emoji');
    const [name, users] = [text(emoji, 'name'), listIn(row, 'users')];
    const missing = Number(row['count']) - users.length;
    if (missing > 0) {
      this.job.omissions.add(
        'reactions of which the export does not say whose they are',
        name,
        missing,
      );
    }
    const isName = text(emoji, 'id') !== '';
    return users.map((one) => ({ emoji: name, isName, user: text(one, 'id') }));
  }

  private converted(words: string, row: JsonRow, names: RoomNames): string {
    const { where, roles } = this.lists;
    const mentioned = listIn(row, 'mentions').map((one) => [nameIn(one), text(one, 'id')] as const);
    const references: DiscordReferences = {
      ...names,
      mentioned: new Map(mentioned.filter(([name]) => name !== '')),
      channelNamed: (name) => where.named(name),
      role: (id) => roles.get(id),
    };
    return markdownOf(words.slice(0, MAX_TEXT), references);
  }

  private async rowAt(place: MessagePlace): Promise<JsonRow> {
    return JSON.parse(decode(await this.rowFiles.read(place))) as JsonRow;
  }
}

/** What is read of the files at first: who and what they show, and where the messages are. */
class DiscordLists {
  readonly index = new MessageIndex();
  readonly who = new DiscordPeople();
  /** Names of roles by id. */
  readonly roles = new Map<string, string>();
  /** Places of all files that rows name. */
  readonly shown = new Set<string>();

  constructor(
    readonly files: readonly DiscordFile[],
    readonly where: DiscordRooms,
  ) {}

  async scan({ folder, omissions }: ImportJob, number: number): Promise<void> {
    const file = this.files[number]!;
    const { key } = this.where.placeOf(file);
    let at = { from: 0, length: 0 };
    const reading = { onPlace: (from: number, length: number) => void (at = { from, length }) };
    this.noteFiles({ ...file.guild, channel: file.channel }, file);
    for await (const { table, row } of rowsOf(join(folder, file.place), reading)) {
      if (table !== 'messages') continue;
      const time = timeOf(text(row, 'timestamp'));
      if (time === 0) {
        omissions.miss('messages without a time', text(row, 'id'));
        continue;
      }
      this.index.add(text(row, 'id'), { time, file: number, ...at });
      this.where.addMembers(key, this.who.note(row, file));
      for (const role of listIn(part(row, 'author'), 'roles')) {
        this.roles.set(text(role, 'id'), text(role, 'name'));
      }
      this.noteFiles(row, file);
    }
  }

  private noteFiles(value: JsonRow, file: DiscordFile): void {
    for (const [name, one] of Object.entries(value)) {
      if (typeof one === 'object' && one !== null) this.noteFiles(one as JsonRow, file);
      else if (typeof one === 'string' && FILE_FIELDS.has(name)) this.shown.add(placeOf(file, one));
    }
  }
}

/** Whether a message answers what it refers to: what pins, forwards, or comes from a channel that is followed refers, too. */
function isAnswer(row: JsonRow, { channel }: DiscordFile): boolean {
  const [kind, reference] = [text(row, 'type'), part(row, 'reference')];
  if (kind === 'Reply') return true;
  // Earlier exporters have no name for answers.
  const isHere = text(reference, 'channelId') === text(channel, 'id');
  return kind === 'Default' && isHere && text(reference, 'type') !== 'Forward';
}

/** The command of a program that somebody used, of which a message is the answer. */
function commandIn(row: JsonRow, names: RoomNames): string {
  const interaction = part(row, 'interaction');
  const user = names.user(text(part(interaction, 'user'), 'id'));
  const name = text(interaction, 'name');
  return user && name !== '' ? `@_**${user.full_name}|${user.user_id}** used /${name}:` : '';
}

function shownFile({ id, name, url }: DiscordShown, file: DiscordFile): ArchivedFile {
  return { id, name, place: placeOf(file, url), address: addressOf(url) };
}
