/** Channels, threads and conversations of Discord, by the heads of the exporter's files. */
import type { ArchivedConversation, ArchivedRoom } from '../rooms/room-archive.js';
import { text } from '../rooms/row-values.js';
import type { DiscordFile } from './discord-files.js';
import type { DiscordPeople } from './discord-people.js';

/** Who may read the channels: an export does not say. */
export type DiscordAccess = 'private' | 'public';

/** Topic of what is in no thread. */
const TOPIC = 'imported from Discord';

const THREADS = new Set(['GuildPublicThread', 'GuildNewsThread']);
const PRIVATE_THREAD = 'GuildPrivateThread';
const CONVERSATION = /^Direct/;
/** Two people, one of whom may have written nothing. */
const PAIR = /^DirectText/;

/** Where the messages of a file go. */
export interface DiscordPlace {
  readonly key: string;
  readonly topic: string;
}

interface Room extends Pick<ArchivedRoom, 'key' | 'name' | 'description' | 'isPrivate' | 'folder'> {
  readonly members: Set<string>;
}

/** What files do not say of a channel. */
const PLAIN = { isArchived: false, isReadOnly: false, created: 0, administrators: [] };

export class DiscordRooms {
  private readonly rooms = new Map<string, Room>();
  private readonly direct = new Map<
    string,
    { name: string; isPair: boolean; members: Set<string> }
  >();

  constructor(
    files: readonly DiscordFile[],
    private readonly access: DiscordAccess,
  ) {
    // A thread may come before its channel, which may have no file of its own, as forums do not.
    for (const file of files) if (!isThread(file)) this.add(file);
    for (const file of files) if (isThread(file)) this.addParent(file);
  }

  placeOf({ channel }: DiscordFile): DiscordPlace {
    const parent = text(channel, 'categoryId');
    if (!THREADS.has(text(channel, 'type'))) return { key: text(channel, 'id'), topic: TOPIC };
    return { key: parent, topic: text(channel, 'name') };
  }

  /** Notes who took part somewhere. */
  addMembers(key: string, ids: readonly string[]): void {
    const members = this.rooms.get(key)?.members ?? this.direct.get(key)?.members;
    for (const id of ids) members?.add(id);
  }

  /** The id of the only channel of a name. */
  named(name: string): string | undefined {
    const [first, ...more] = [...this.rooms.values()].filter((one) => one.name === name);
    return more.length === 0 ? first?.key : undefined;
  }

  list(): ArchivedRoom[] {
    return Array.from(this.rooms.values(), (one) => ({ ...one, ...PLAIN }));
  }

  /** @param people gets whoever took no part in a conversation of two */
  conversations(people: DiscordPeople): ArchivedConversation[] {
    return Array.from(this.direct, ([key, { name, isPair, members }]) => {
      // The exporter names it by the other one.
      if (isPair && members.size < 2 && name !== '') members.add(people.named(name));
      return { key, members };
    });
  }

  private add({ channel }: DiscordFile): void {
    const [key, kind, name] = [text(channel, 'id'), text(channel, 'type'), text(channel, 'name')];
    if (CONVERSATION.test(kind)) {
      if (this.direct.has(key)) return;
      this.direct.set(key, { name, isPair: PAIR.test(kind), members: new Set() });
      return;
    }
    const category = text(channel, 'category');
    const isOwn = kind === PRIVATE_THREAD;
    this.insert({
      ...{ key, name: isOwn ? `${category}: ${name}` : name, description: text(channel, 'topic') },
      isPrivate: isOwn || this.access === 'private',
      folder: isOwn ? '' : category,
    });
  }

  private addParent({ channel }: DiscordFile): void {
    const [key, name] = [text(channel, 'categoryId'), text(channel, 'category')];
    this.insert({ key, name, description: '', isPrivate: this.access === 'private', folder: '' });
  }

  private insert(room: Omit<Room, 'members'>): void {
    if (this.rooms.has(room.key)) return;
    this.rooms.set(room.key, { ...room, members: new Set() });
  }
}

function isThread({ channel }: DiscordFile): boolean {
  return THREADS.has(text(channel, 'type'));
}
