/** What a dump of Rocket.Chat's database has, for the import of archives with rooms. */
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { MAX_MESSAGE_LENGTH } from '../../../../schemas/limits.js';
import { quotation } from '../../../organization/messages/message-markup.js';
import { mkdir, realpath } from '../../../platform/files.js';
import { ArchiveError } from '../archive.js';
import type { ImportJob } from '../import-job.js';
import type { JsonRow } from '../json-rows.js';
import { filesBelow, noteFiles } from '../leftovers.js';
import { plainFile } from '../plain-files.js';
import { MessageIndex, type MessagePlace } from '../rooms/message-index.js';
import type {
  ArchivedEmoji,
  ArchivedMessage,
  RoomArchive,
  RoomNames,
} from '../rooms/room-archive.js';
import { RowFiles } from '../rooms/row-files.js';
import { listIn, text, textsIn } from '../rooms/row-values.js';
import { excerptOf, Threads } from '../threads.js';
import { bsonRows, documentIn, idIn, timeIn } from './bson-rows.js';
import { gridName, takeGridFiles } from './grid-files.js';
import { RocketPeople } from './rocketchat-people.js';
import { RocketRooms, TOPIC, type RocketPlace } from './rocketchat-rooms.js';
import { filesIn, reactionsIn, reasonToLeave, saidIn } from './rocketchat-said.js';
import { markdownOf } from './rocketchat-text.js';

/** What of a text is converted, UTF-16 units: what is above the limit of messages is cut and counted in any case. */
const MAX_TEXT = 4 * MAX_MESSAGE_LENGTH;

const MESSAGES = 'rocketchat_message.bson';

/** Collections that are read; those with files come in three parts. */
const READ = new Set([
  ...['users', 'rocketchat_room', 'rocketchat_message', 'rocketchat_subscription'],
  ...['rocketchat_uploads', 'rocketchat_uploads.files', 'rocketchat_uploads.chunks'],
  ...['rocketchat_avatars', 'rocketchat_avatars.files', 'rocketchat_avatars.chunks'],
  ...['rocketchat_custom_emoji', 'custom_emoji.files', 'custom_emoji.chunks'],
]);

export class RocketChatArchive implements RoomArchive {
  readonly service = 'Rocket.Chat';
  readonly groups = [];
  readonly icon = '';
  people: RoomArchive['people'] = [];
  rooms: RoomArchive['rooms'] = [];
  conversations: RoomArchive['conversations'] = [];
  readonly emoji: ArchivedEmoji[] = [];
  private readonly index = new MessageIndex();
  private readonly who = new RocketPeople();
  private readonly where = new RocketRooms();
  private readonly threads = new Threads('topics', TOPIC);
  private readonly rowFiles: RowFiles;
  private uploads: ReadonlySet<string> = new Set();

  private constructor(
    private readonly job: ImportJob,
    private readonly folder: string,
    readonly filesFolder: string,
    readonly digest: string,
  ) {
    this.rowFiles = new RowFiles([join(folder, MESSAGES)]);
  }

  /** @param scratch a folder that files of the dump are put into @throws ArchiveError */
  static async read(job: ImportJob, scratch: string): Promise<RocketChatArchive> {
    const folder = await folderOf(job.folder);
    await mkdir(scratch, { recursive: true, mode: 0o700 });
    const size = (await plainFile(join(folder, MESSAGES)))!.size;
    const digest = `rocketchat:${size}:${await headOf(join(folder, MESSAGES))}`;
    const archive = new RocketChatArchive(job, folder, await realpath(scratch), digest);
    await archive.scan();
    return archive;
  }

  get messageCount(): number {
    return this.index.size;
  }

  async message(at: number, names: RoomNames): Promise<ArchivedMessage | null> {
    const place = this.index.at(at);
    const row = await this.rowAt(place);
    const id = idIn(row);
    const room = this.where.placeOf(text(row, 'rid'));
    const reason = room ? reasonToLeave(row) : 'messages of rooms that are left out, or in no list';
    if (!room || reason !== null) {
      this.job.omissions.add(reason!, id);
      return null;
    }
    if (row['pinned'] === true) {
      this.job.omissions.add('messages that were pinned: here is no such mark', id);
    }
    const said = saidIn(row, (what, example) => this.job.omissions.add(what, example || id));
    const words = this.converted(said.words, row, names).trim();
    const more = said.more.map((one) => this.converted(one, row, names).trim());
    const alias = text(row, 'alias');
    const { topic, quote } = await this.threadOf(row, room, place, names);
    const quotes = said.quotes.map(({ handle, words: again }) => {
      return quoteOf(names.user(this.who.idOfAuthor(handle)), this.converted(again, row, names));
    });
    const content = [
      quote,
      ...quotes,
      alias !== '' && words !== '' ? `**${alias}**: ${words}` : words,
      ...more,
    ];
    return {
      ...{ id, place: room.key, topic, sender: idIn(row['u'] as JsonRow), time: place.time },
      edited: timeIn(row, 'editedAt'),
      content: content.filter((one) => one !== '').join('\n'),
      files: filesIn(row).map((one) => ({
        ...one,
        place: this.uploads.has(one.id) ? `uploads/${gridName(one.id)}` : '',
        address: '',
      })),
      reactions: reactionsIn(row).map(({ emoji, handle }) => {
        return { emoji, isName: true, user: this.who.idOf(handle) };
      }),
      starredBy: listIn(row, 'starred').map((one) => idIn(one)),
    };
  }

  async noteLeftovers(used: ReadonlySet<string>): Promise<void> {
    const { omissions } = this.job;
    for (const id of this.uploads) {
      if (used.has(`uploads/${gridName(id)}`)) continue;
      omissions.add('uploaded files that no message shows any more', id);
    }
    const fate = (place: string) => {
      const name = /([^/]+)\.bson$/.exec(place)?.[1];
      if (/\.metadata\.json$|(^|\/)prelude\.json$/.test(place)) return 'taken';
      if (name === undefined) return { missing: 'files that are none of a dump' };
      if (READ.has(name)) return 'taken';
      return { foreign: 'collections about what is not here, such as settings and statistics' };
    };
    await noteFiles(this.job.folder, fate, omissions);
  }

  close(): Promise<void> {
    return this.rowFiles.close();
  }

  /** The topic of a message; of an answer in a conversation, which has none, what it answers. */
  private async threadOf(
    row: JsonRow,
    room: RocketPlace,
    { time }: MessagePlace,
    names: RoomNames,
  ): Promise<{ topic: string; quote: string }> {
    const own = String(time / 1000);
    const thread = text(row, 'tmid');
    const isFirst = Number(row['tcount']) > 0 || textsIn(row, 'replies').length > 0;
    if (room.topic !== '') return { topic: room.topic, quote: '' };
    if (thread === '') {
      return { topic: this.threads.topicOf({ time: own, thread: isFirst ? own : '' }), quote: '' };
    }
    for (const place of this.index.find(thread)) {
      const first = await this.rowAt(place);
      if (idIn(first) !== thread) continue;
      const begin = String(place.time / 1000);
      if (!room.isDirect)
        return { topic: this.threads.topicOf({ time: own, thread: begin }), quote: '' };
      const user = names.user(idIn(first['u'] as JsonRow));
      const words = this.converted(saidIn(first, () => undefined).words, first, names).trim();
      return { topic: '', quote: quoteOf(user, excerptOf(words)) };
    }
    this.job.omissions.add('answers to messages that are not in the archive', idIn(row));
    return { topic: TOPIC, quote: '' };
  }

  private converted(words: string, row: JsonRow, names: RoomNames): string {
    const users = new Map<string, { full_name: string; user_id: number } | null>();
    for (const one of listIn(row, 'mentions')) {
      const id = idIn(one);
      const user = names.user(id);
      if (id === 'all' || id === 'here') users.set(id, null);
      else if (user) users.set(text(one, 'username'), user);
    }
    const rooms = new Map<string, string>();
    for (const one of listIn(row, 'channels')) {
      const place = this.where.placeOf(idIn(one));
      const channel = place && names.channel(place.key);
      const said = place?.topic ? `${channel}>${place.topic}` : channel;
      if (channel && said) rooms.set(text(one, 'name'), said);
    }
    const emoji = (name: string) => names.emoji(name)?.name;
    return markdownOf(words.slice(0, MAX_TEXT), { users, rooms, emoji });
  }

  private async rowAt(place: MessagePlace): Promise<JsonRow> {
    return documentIn(await this.rowFiles.read(place), MESSAGES);
  }

  /** Reads everything but the texts. */
  private async scan(): Promise<void> {
    const { folder, filesFolder, index, who, where } = this;
    const { omissions } = this.job;
    const into = (name: string): string => join(filesFolder, name);
    this.uploads = await takeGridFiles(folder, 'rocketchat_uploads', into('uploads'));
    const pictures = new Map<string, string>();
    const avatars = await takeGridFiles(folder, 'rocketchat_avatars', into('avatars'));
    for await (const row of this.rows('rocketchat_avatars')) {
      const place = `avatars/${gridName(idIn(row))}`;
      if (!avatars.has(idIn(row))) continue;
      for (const key of [text(row, 'userId'), text(row, 'name')]) pictures.set(key, place);
    }
    pictures.delete('');
    const emoji = await takeGridFiles(folder, 'custom_emoji', into('emoji'));
    for await (const row of this.rows('rocketchat_custom_emoji')) {
      const file = `${text(row, 'name')}.${text(row, 'extension')}`;
      if (!emoji.has(file)) omissions.add('custom emoji without a picture', text(row, 'name'));
      else {
        const place = `emoji/${gridName(file)}`;
        const emojiNames = [text(row, 'name'), ...textsIn(row, 'aliases')];
        this.emoji.push(...emojiNames.map((name) => ({ name, place })));
      }
    }
    for await (const row of this.rows('users')) {
      who.add(row, pictures);
      for (const room of textsIn(row, '__rooms')) where.addMember(room, idIn(row));
    }
    let isWithoutLists = true;
    for await (const row of this.rows('rocketchat_subscription')) {
      isWithoutLists = false;
      const roles = textsIn(row, 'roles');
      const isAdministrator = roles.includes('owner') || roles.includes('moderator');
      where.addMember(text(row, 'rid'), idIn(row['u'] as JsonRow), isAdministrator);
    }
    const note = (what: string, example: string): void => omissions.add(what, example);
    for await (const row of this.rows('rocketchat_room')) where.add(row, note);
    for await (const { row, from, length } of bsonRows(join(folder, MESSAGES))) {
      const time = timeIn(row, 'ts');
      if (time === 0) omissions.miss('messages without a time', idIn(row));
      else index.add(idIn(row), { time, file: 0, from, length });
      // Visitors of live chats are no people of the server.
      const place = where.placeOf(text(row, 'rid'));
      if (!place) continue;
      who.addAuthor(row);
      if (isWithoutLists && !place.isDirect && reasonToLeave(row) === null)
        where.addWriter(place.key, idIn(row['u'] as JsonRow));
    }
    for (const room of where.withWritersAlone()) note(WRITERS_ALONE, room);
    index.sort();
    this.people = who.list();
    this.rooms = where.list();
    this.conversations = where.conversations();
    if (this.people.length === 0) throw new ArchiveError('The dump has no people (users.bson)');
  }

  private async *rows(collection: string): AsyncGenerator<JsonRow> {
    const path = join(this.folder, `${collection}.bson`);
    if (!(await plainFile(path))) return;
    for await (const { row } of bsonRows(path)) yield row;
  }
}

const WRITERS_ALONE =
  'private rooms whose members the dump does not list: those who wrote there read them';

/** What somebody said, quoted; empty for nothing. @param user unknown where the dump has nobody of the name */
function quoteOf(user: ReturnType<RoomNames['user']>, words: string): string {
  if (words.trim() === '') return '';
  const by = user ? `@_**${user.full_name}|${user.user_id}** said:\n` : '';
  return by + quotation(words.trim());
}

/** Where the collections are: mongodump makes a folder for each database. @throws ArchiveError */
async function folderOf(folder: string): Promise<string> {
  let isPacked = false;
  for await (const place of filesBelow(folder)) {
    const name = place.split('/').at(-1);
    if (name === MESSAGES) return join(folder, dirname(place));
    isPacked ||= name === `${MESSAGES}.gz`;
  }
  if (isPacked) {
    throw new ArchiveError(
      'The collections are packed one by one: unpack them (gunzip *.gz), and give the folder',
    );
  }
  throw new ArchiveError(
    `There is no ${MESSAGES}: give the folder that mongodump --out made, or a zip of it`,
  );
}

/** What tells a dump from others of its size. */
async function headOf(path: string): Promise<string> {
  for await (const { row } of bsonRows(path)) {
    return createHash('sha256').update(JSON.stringify(row)).digest('hex').slice(0, 32);
  }
  return 'empty';
}
