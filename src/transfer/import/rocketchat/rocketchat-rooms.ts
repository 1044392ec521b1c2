/** Rooms of Rocket.Chat: channels, discussions, which are topics where everybody reads both, and conversations. */
import type { JsonRow } from '../json-rows.js';
import { joinedDescription } from '../people.js';
import type { NoteLeft } from '../unknown-fields.js';
import type { ArchivedConversation, ArchivedRoom } from '../rooms/room-archive.js';
import { text, textsIn } from '../rooms/row-values.js';
import { idIn, timeIn } from './bson-rows.js';

/** Topic of what is in no thread and no discussion. */
export const TOPIC = 'imported from Rocket.Chat';

/** Whose messages are not of people of the server: visitors of web pages, and telephone calls. */
const OUTSIDE = new Set(['l', 'v']);

/** Fields that say what a room is about. */
const DESCRIBED = ['description', 'topic', 'announcement'];

/** Where the messages of a room go. */
export interface RocketPlace {
  readonly key: string;
  /** Empty where threads have their own. */
  readonly topic: string;
  readonly isDirect: boolean;
}

/** Who is in a room, and who administers it. */
interface Members {
  readonly members: Set<string>;
  readonly administrators: Set<string>;
}

export class RocketRooms {
  private readonly rows = new Map<string, JsonRow>();
  private readonly members = new Map<string, Members>();
  /** Who wrote in rooms whose members are in no list, where a dump has no lists. */
  private readonly writers = new Map<string, Set<string>>();
  /** Names of teams by their ids. */
  private readonly teams = new Map<string, string>();

  /** @param note counts rooms that are left out */
  add(row: JsonRow, note: NoteLeft): void {
    const id = idIn(row);
    if (OUTSIDE.has(text(row, 't'))) note('rooms of live chats and calls with people outside', id);
    this.rows.set(id, row);
    if (row['teamMain'] === true) this.teams.set(text(row, 'teamId'), nameIn(row));
  }

  addMember(room: string, user: string, isAdministrator = false): void {
    const known = this.members.get(room) ?? { members: new Set(), administrators: new Set() };
    known.members.add(user);
    if (isAdministrator) known.administrators.add(user);
    this.members.set(room, known);
  }

  /** @param key of a place, see {@link placeOf} */
  addWriter(key: string, user: string): void {
    if (this.members.has(key)) return;
    const known = this.writers.get(key) ?? new Set();
    this.writers.set(key, known.add(user));
  }

  /** Private rooms that nobody could read if those who wrote there could not. */
  withWritersAlone(): string[] {
    return [...this.writers.keys()].filter((key) => text(this.rows.get(key)!, 't') === 'p');
  }

  /** Null for rooms with people outside, and those that are in no list. */
  placeOf(id: string): RocketPlace | null {
    const row = this.rows.get(id);
    if (!row || OUTSIDE.has(text(row, 't'))) return null;
    if (text(row, 't') === 'd') return { key: id, topic: '', isDirect: true };
    const parent = this.parentOf(row);
    if (!parent) return { key: id, topic: '', isDirect: false };
    return { key: parent, topic: nameIn(row), isDirect: false };
  }

  list(): ArchivedRoom[] {
    const rows = [...this.rows].filter(([id, row]) => {
      return this.placeOf(id)?.key === id && text(row, 't') !== 'd';
    });
    return rows.map(([key, row]) => ({
      ...{ key, name: nameIn(row), created: Math.floor(timeIn(row, 'ts') / 1000) },
      description: joinedDescription(...DESCRIBED.map((field) => text(row, field))),
      isPrivate: text(row, 't') !== 'c',
      isArchived: row['archived'] === true,
      isReadOnly: row['ro'] === true,
      folder: this.teams.get(text(row, 'teamId')) ?? '',
      members: this.members.get(key)?.members ?? this.writers.get(key) ?? [],
      administrators: [...(this.members.get(key)?.administrators ?? [])],
    }));
  }

  conversations(): ArchivedConversation[] {
    const direct = [...this.rows].filter(([, row]) => text(row, 't') === 'd');
    return direct.map(([key, row]) => ({ key, members: textsIn(row, 'uids') }));
  }

  /** The channel of a discussion, where whoever reads the one reads the other. */
  private parentOf(row: JsonRow): string | undefined {
    const parent = this.rows.get(text(row, 'prid'));
    if (!parent || text(row, 't') !== 'c' || text(parent, 't') !== 'c') return undefined;
    // A discussion of a discussion is of the same channel.
    return this.parentOf(parent) ?? idIn(parent);
  }
}

/** What people see; the other name is made for addresses. */
function nameIn(row: JsonRow): string {
  return text(row, 'fname') || text(row, 'name');
}
