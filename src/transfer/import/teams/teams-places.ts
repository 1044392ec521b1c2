/**
 * Teams are channels, as the converter of existing servers makes them; a channel of a team is a topic, or, where only some
 * of the team may read it, a private channel of its own. Chats are conversations.
 */
import type { JsonRow } from '../json-rows.js';
import type { ArchivedConversation, ArchivedRoom } from '../rooms/room-archive.js';
import { part, text, timeOf } from '../rooms/row-values.js';
import { noteUnknown, type NoteLeft, rowKind } from '../unknown-fields.js';

/** Topic of what is in a channel of which no list says the name. */
const TOPIC = 'imported from Microsoft Teams';

/** Who may do what is as in any channel here; how a team looks, and numbers of its lists, say nothing. */
const SETTINGS = rowKind('teams', [
  ...['Id', 'GroupsId', 'Name', 'DisplayName', 'Description', 'Privacy', 'Visibility'],
  ...['InternalId', 'IsArchived', 'IsMembershipLimitedToOwners', 'MemberSettings'],
  ...['GuestSettings', 'MessagingSettings', 'FunSettings', 'DiscoverySettings', 'Summary'],
  ...['ExpirationDate', 'TeamMembers', 'Owners', 'Guests', 'Status', 'StandardChannels'],
  ...['PrivateChannels', 'SharedChannels', 'WebUrl', 'CreatedDateTime'],
]);

const CHANNEL = rowKind('channels', [
  ...['Id', 'CreatedDateTime', 'DisplayName', 'Description', 'IsFavoriteByDefault', 'Email'],
  ...['TenantId', 'WebUrl', 'MembershipType', 'IsArchived'],
]);

const MEMBER = rowKind('members of teams', [
  ...['Name', 'UserId', 'UserName', 'Title', 'Location', 'Role'],
]);

/** A chat of two has the ids of both. */
const PAIR = /^19:([^_@]+)_([^_@]+)@unq\.gbl\.spaces$/;

/** Where a message goes. */
export interface TeamsPlace {
  readonly key: string;
  readonly topic: string;
  readonly isDirect: boolean;
}

interface Channel {
  readonly team: string;
  readonly name: string;
  /** Whether all of the team read it. */
  readonly isOpen: boolean;
  readonly row: JsonRow;
  /** Who wrote or reacted in it. */
  readonly seen: Set<string>;
}

export class TeamsPlaces {
  private readonly teams = new Map<string, JsonRow>();
  private readonly members = new Map<string, Set<string>>();
  private readonly owners = new Map<string, Set<string>>();
  private readonly channels = new Map<string, Channel>();
  private readonly chats = new Map<string, Set<string>>();

  constructor(private readonly note: NoteLeft) {}

  /** A row of either list of teams. */
  addTeam(row: JsonRow): void {
    const id = text(row, 'GroupsId') || text(row, 'Id');
    noteUnknown(row, SETTINGS, (what, example) => this.note(what, example || id));
    this.teams.set(id, { ...this.teams.get(id), ...row });
  }

  addChannel(team: string, row: JsonRow): void {
    const id = text(row, 'Id');
    noteUnknown(row, CHANNEL, (what, example) => this.note(what, example || id));
    const isOpen = ['', 'standard'].includes(text(row, 'MembershipType'));
    const name = text(row, 'DisplayName');
    this.channels.set(id, { team, name, isOpen, row, seen: new Set() });
    if (isOpen && row['IsArchived'] === true) {
      this.note('archived channels of teams: here they are topics, which go on', name);
    }
    const isTold = text(row, 'Description') === text(this.teams.get(team) ?? {}, 'Description');
    if (isOpen && text(row, 'Description') !== '' && !isTold) {
      this.note('descriptions of channels of teams: topics have none', name);
    }
  }

  addMember(team: string, id: string, row: JsonRow): void {
    noteUnknown(row, MEMBER, (what, example) => this.note(what, example || id));
    addTo(this.members, team, id);
    if (/^owner$/i.test(text(row, 'Role'))) addTo(this.owners, team, id);
  }

  /**
   * Notes a message: who takes part in what.
   * @param people who wrote it or reacted. @param owner of the file; empty for a team's
   */
  noteMessage(row: JsonRow, people: readonly string[], owner: string): void {
    const chat = chatOf(row, owner);
    if (chat === '') {
      const channel = this.channels.get(text(part(row, 'ChannelIdentity'), 'ChannelId'));
      for (const id of people) channel?.seen.add(id);
      return;
    }
    const [, one, other] = PAIR.exec(chat) ?? [];
    for (const id of one === undefined ? [owner, ...people] : [one, other!]) {
      addTo(this.chats, chat, id);
    }
  }

  /** Null for a channel of no team of the lists. @param owner of the file; empty for a team's */
  placeOf(row: JsonRow, owner: string): TeamsPlace | null {
    const chat = chatOf(row, owner);
    if (chat !== '') return { key: chat, topic: '', isDirect: true };
    const identity = part(row, 'ChannelIdentity');
    const channel = this.channels.get(text(identity, 'ChannelId'));
    if (channel && !channel.isOpen) {
      return { key: text(identity, 'ChannelId'), topic: TOPIC, isDirect: false };
    }
    const team = channel?.team ?? text(identity, 'TeamId');
    if (!this.isTeam(team)) return null;
    return { key: team, topic: channel?.name || TOPIC, isDirect: false };
  }

  rooms(): ArchivedRoom[] {
    const teams = Array.from(this.teams, ([key, row]) => ({ key, row }));
    for (const { key, row } of teams) {
      if (!this.isTeam(key)) this.note('groups that are no teams', nameOf(row));
    }
    const own = [...this.channels].filter(([, one]) => !one.isOpen && this.isTeam(one.team));
    return [
      ...teams.filter(({ key }) => this.isTeam(key)).map(({ key, row }) => this.teamRoom(key, row)),
      ...own.map(([key, one]) => this.ownRoom(key, one)),
    ];
  }

  conversations(): ArchivedConversation[] {
    return Array.from(this.chats, ([key, members]) => ({ key, members }));
  }

  /** Groups of the list without channels are none of this service. */
  private isTeam(id: string): boolean {
    const row = this.teams.get(id);
    if (!row) return false;
    if (text(row, 'Id') !== '' || this.members.has(id)) return true;
    return [...this.channels.values()].some((one) => one.team === id);
  }

  private teamRoom(key: string, row: JsonRow): ArchivedRoom {
    const access = text(row, 'Visibility') || text(row, 'Privacy');
    return {
      ...{ key, name: nameOf(row), description: text(row, 'Description') },
      isPrivate: access.toLowerCase() !== 'public',
      isArchived: row['IsArchived'] === true,
      ...{ isReadOnly: false, created: this.createdOf(key), folder: '' },
      members: this.members.get(key) ?? [],
      administrators: [...(this.owners.get(key) ?? [])],
    };
  }

  private ownRoom(key: string, { team, name, row, seen }: Channel): ArchivedRoom {
    this.note('channels for a part of a team, of which the export lists no members', name);
    return {
      ...{ key, name: `${nameOf(this.teams.get(team)!)}: ${name}` },
      ...{ description: text(row, 'Description'), isPrivate: true },
      isArchived: row['IsArchived'] === true,
      ...{ isReadOnly: false, created: secondsOf(row), folder: '' },
      ...{ members: seen, administrators: [] },
    };
  }

  /** When its first channel was made: no list says it of the team. */
  private createdOf(team: string): number {
    const own = [...this.channels.values()].filter((one) => one.team === team);
    const times = own.map(({ row }) => secondsOf(row)).filter((one) => one > 0);
    return times.length === 0 ? 0 : Math.min(...times);
  }
}

/** What a chat is called; empty for a message of a channel. Everybody has notes for themselves under one id. */
function chatOf(row: JsonRow, owner: string): string {
  const chat = text(row, 'ChatId');
  return chat.startsWith('48:') ? `${chat} ${owner}` : chat;
}

function nameOf(row: JsonRow): string {
  return text(row, 'Name') || text(row, 'DisplayName');
}

function secondsOf(row: JsonRow): number {
  return Math.floor(timeOf(text(row, 'CreatedDateTime')) / 1000);
}

function addTo(sets: Map<string, Set<string>>, key: string, one: string): void {
  const known = sets.get(key);
  if (known) known.add(one);
  else sets.set(key, new Set([one]));
}
