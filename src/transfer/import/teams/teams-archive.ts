/** What an export of Microsoft Teams has, for the import of archives with rooms. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { MAX_MESSAGE_LENGTH } from '../../../../schemas/limits.js';
import { mention, quotation } from '../../../organization/messages/message-markup.js';
import { decode } from '../../../services/text/decode.js';
import type { ImportJob } from '../import-job.js';
import { rowsOf, type JsonRow } from '../json-rows.js';
import { noteFiles } from '../leftovers.js';
import { plainFile } from '../plain-files.js';
import { MessageIndex, type MessagePlace } from '../rooms/message-index.js';
import type { ArchivedMessage, RoomArchive, RoomNames } from '../rooms/room-archive.js';
import { RowFiles } from '../rooms/row-files.js';
import { listIn, part, text, timeOf } from '../rooms/row-values.js';
import { excerptOf } from '../threads.js';
import { ArchiveError } from '../tar.js';
import { fateOf, teamsFiles, teamsFolder, type TeamsFile } from './teams-files.js';
import { TeamsPeople } from './teams-people.js';
import { TeamsPlaces } from './teams-places.js';
import {
  idIn,
  mentionsIn,
  reactionsIn,
  reasonToLeave,
  saidIn,
  type TeamsQuote,
} from './teams-said.js';
import { markdownOf } from './teams-text.js';

/** Pictures that are in a text; the service gives them to programs with a token alone. */
const HOSTED = /https:\/\/graph\.microsoft\.com\/[^"'\s]*\/hostedContents\//;
const PICTURES =
  'messages with pictures that Microsoft Teams keeps: they have their addresses there';

export class TeamsArchive implements RoomArchive {
  readonly service = 'Microsoft Teams';
  readonly groups = [];
  readonly emoji = [];
  readonly icon = '';
  people: RoomArchive['people'] = [];
  rooms: RoomArchive['rooms'] = [];
  conversations: RoomArchive['conversations'] = [];
  digest = '';
  private readonly index = new MessageIndex();
  private readonly who = new TeamsPeople();
  private readonly where: TeamsPlaces;
  private readonly rowFiles: RowFiles;
  /** The thread of the newest message of each topic, by channel and topic. */
  private readonly threads = new Map<string, string>();

  private constructor(
    private readonly job: ImportJob,
    readonly filesFolder: string,
    private readonly files: readonly TeamsFile[],
  ) {
    this.where = new TeamsPlaces((what, example) => job.omissions.add(what, example));
    this.rowFiles = new RowFiles(files.map((one) => join(filesFolder, one.place)));
  }

  /** Reads everything but the texts. @throws ArchiveError */
  static async read(job: ImportJob): Promise<TeamsArchive> {
    const folder = await teamsFolder(job.folder);
    const archive = new TeamsArchive(job, folder, await teamsFiles(folder));
    await archive.scan();
    return archive;
  }

  get messageCount(): number {
    return this.index.size;
  }

  async message(at: number, names: RoomNames): Promise<ArchivedMessage | null> {
    const { omissions } = this.job;
    const place = this.index.at(at);
    const row = await this.rowAt(place);
    const id = text(row, 'Id');
    if (await this.isAgain(row, place)) return null;
    const { person } = this.files[place.file]!;
    const reason = reasonToLeave(row);
    const to = this.where.placeOf(row, person);
    if (reason !== null || !to) {
      omissions.add(reason ?? 'messages of channels that are in no list', id);
      return null;
    }
    if (HOSTED.test(text(part(row, 'Body'), 'Content'))) {
      omissions.add(PICTURES, id);
    }
    const said = saidIn(row, (what, example) => omissions.add(what, example || id));
    const content = [
      await this.answered(row, person, names),
      said.title,
      ...said.quotes.map((one) => this.quoted(one, row, names)),
      this.converted(row, names),
      ...said.more,
    ];
    return {
      ...{ id, place: to.key, topic: to.topic, sender: idIn(part(row, 'From')), time: place.time },
      edited: timeOf(text(row, 'LastEditedDateTime')),
      content: content.filter((one) => one !== '').join('\n'),
      files: said.files,
      reactions: reactionsIn(row),
      starredBy: [],
    };
  }

  async noteLeftovers(): Promise<void> {
    await noteFiles(this.filesFolder, fateOf, this.job.omissions);
  }

  close(): Promise<void> {
    return this.rowFiles.close();
  }

  /** Whether a message stands in an earlier file: each participant of a chat has it in their own. */
  private async isAgain(row: JsonRow, { file, from }: MessagePlace): Promise<boolean> {
    const key = keyOf(row, this.files[file]!.person);
    for (const other of this.index.find(key)) {
      if (other.file === file && other.from === from) return false;
      const earlier = await this.rowAt(other);
      if (keyOf(earlier, this.files[other.file]!.person) === key) return true;
    }
    return false;
  }

  /** What begins the thread, quoted, where another one stands before the answer; empty for nothing. */
  private async answered(row: JsonRow, person: string, names: RoomNames): Promise<string> {
    const { key, topic, isDirect } = this.where.placeOf(row, person)!;
    if (isDirect) return '';
    const thread = text(row, 'ReplyToId') || text(row, 'Id');
    const last = this.threads.get(`${key} ${topic}`);
    this.threads.set(`${key} ${topic}`, thread);
    if (thread === text(row, 'Id') || thread === last) return '';
    const first = { ...row, Id: thread };
    for (const place of this.index.find(keyOf(first, person))) {
      const one = await this.rowAt(place);
      if (keyOf(one, person) !== keyOf(first, person)) continue;
      const words = this.converted(one, names) || text(one, 'Subject');
      return this.quote(idIn(part(one, 'From')), excerptOf(words), names);
    }
    this.job.omissions.add('answers to messages that are not in the archive', text(row, 'Id'));
    return '';
  }

  private quoted({ by, words, isHtml }: TeamsQuote, row: JsonRow, names: RoomNames): string {
    return this.quote(idIn(by), isHtml ? this.markdown(words, row, names) : words, names);
  }

  private quote(author: string, words: string, names: RoomNames): string {
    if (words.trim() === '') return '';
    const user = names.user(author);
    return `${user ? `${mention(user)} said:\n` : ''}${quotation(words.trim())}`;
  }

  private converted(row: JsonRow, names: RoomNames): string {
    const body = part(row, 'Body');
    const content = text(body, 'Content');
    if (text(body, 'ContentType') !== 'html') return content.slice(0, 4 * MAX_MESSAGE_LENGTH);
    return this.markdown(content, row, names);
  }

  private markdown(html: string, row: JsonRow, names: RoomNames): string {
    const mentions = mentionsIn(row);
    const said = markdownOf(html, {
      mention: (id) => {
        const whom = mentions.get(id) ?? {};
        const user = names.user(idIn(whom));
        if (user) return `@**${user.full_name}|${user.user_id}**`;
        const group = part(whom, 'Conversation');
        if (text(group, 'Id') === '') return undefined;
        return text(group, 'ConversationIdentityType') === 'channel' ? '@**topic**' : '@**all**';
      },
    });
    return said;
  }

  private async rowAt(place: MessagePlace): Promise<JsonRow> {
    return JSON.parse(decode(await this.rowFiles.read(place))) as JsonRow;
  }

  private async scan(): Promise<void> {
    const { files, who, where, filesFolder } = this;
    const { omissions } = this.job;
    const note = (what: string, example: string): void => omissions.add(what, example);
    for await (const row of this.rows('users/usersList.json')) who.add(row, note);
    for (const list of ['teamsList', 'teamsSettings']) {
      for await (const row of this.rows(`teams/${list}.json`)) where.addTeam(row);
    }
    for (const { place, kind, team } of files) {
      if (kind === 'messages') continue;
      for await (const row of this.rows(place)) {
        if (kind === 'channels') where.addChannel(team, row);
        else where.addMember(team, who.addMember(row), row);
      }
    }
    const hash = createHash('sha256');
    for (const [number, { place, kind }] of files.entries()) {
      const { size } = (await plainFile(join(filesFolder, place)))!;
      hash.update(`${place}\0${size}\0`);
      if (kind === 'messages') await this.scanMessages(number);
    }
    this.digest = `teams:${hash.digest('hex').slice(0, 32)}`;
    this.index.sort();
    this.rooms = where.rooms();
    this.conversations = where.conversations();
    this.people = who.list();
    if (this.people.length === 0)
      throw new ArchiveError('The export has no people (usersList.json)');
  }

  private async scanMessages(number: number): Promise<void> {
    const { omissions } = this.job;
    const { place, person } = this.files[number]!;
    let at = { from: 0, length: 0 };
    const reading = { onPlace: (from: number, length: number) => void (at = { from, length }) };
    for await (const { row } of rowsOf(join(this.filesFolder, place), reading)) {
      const time = timeOf(text(row, 'CreatedDateTime'));
      if (time === 0) {
        omissions.miss('messages without a time', text(row, 'Id'));
        continue;
      }
      this.index.add(keyOf(row, person), { time, file: number, ...at });
      const isSaid = reasonToLeave(row) === null;
      const reacted = listIn(row, 'Reactions').map((one) => part(one, 'User'));
      const named = [...mentionsIn(row).values()];
      const ids = [part(row, 'From'), ...reacted].map((one) => this.who.addNamed(one));
      for (const one of named) this.who.addNamed(one);
      if (isSaid) this.where.noteMessage(row, ids.filter(Boolean), person);
    }
  }

  private async *rows(place: string): AsyncGenerator<JsonRow> {
    const path = join(this.filesFolder, place);
    if (!(await plainFile(path))) {
      this.job.omissions.miss('lists of the export that are not there', place);
      return;
    }
    const onStrange = (): void => this.job.omissions.missStrange(place);
    for await (const { row } of rowsOf(path, { isList: true, onStrange })) yield row;
  }
}

/** What tells a message from all others: ids are times. */
function keyOf(row: JsonRow, person: string): string {
  const chat = text(row, 'ChatId');
  const place = chat === '' ? text(part(row, 'ChannelIdentity'), 'ChannelId') : chat;
  return `${text(row, 'Id')} ${place} ${chat.startsWith('48:') ? person : ''}`;
}
