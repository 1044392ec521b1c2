/** Whom files of Discord show: an export has no list of people, so they are those who wrote, reacted or were named. */
import { ROLE } from '../../../../schemas/users/user-document.js';
import type { JsonRow } from '../json-rows.js';
import type { ArchivedEmoji, ArchivedGroup, ArchivedPerson } from '../rooms/room-archive.js';
import { listIn, part, text } from '../rooms/row-values.js';
import { type DiscordFile, placeOf } from './discord-files.js';

/** Names that Discord gives to accounts that are gone. */
const GONE = /^(deleted_user_[0-9a-f]+|deleted user)$/i;

interface Known {
  readonly row: JsonRow;
  readonly file: DiscordFile;
  readonly hasRoles: boolean;
}

export class DiscordPeople {
  private readonly known = new Map<string, Known>();
  /** By id: a role keeps its id when it is named anew. */
  private readonly roles = new Map<string, { name: string; members: Set<string> }>();
  /** Places by name. */
  private readonly pictures = new Map<string, string>();

  /** Notes everybody whom a message shows. @returns ids of who took part: wrote, or reacted */
  note(row: JsonRow, file: DiscordFile): string[] {
    const author = part(row, 'author');
    const reactions = listIn(row, 'reactions');
    const reacted = reactions.flatMap((one) => listIn(one, 'users'));
    const named = [...listIn(row, 'mentions'), part(part(row, 'interaction'), 'user')];
    for (const one of [author, ...reacted, ...named]) this.add(one, file);
    const shown = [...listIn(row, 'inlineEmojis'), ...reactions.map((one) => part(one, 'emoji'))];
    for (const emoji of shown) this.addEmoji(emoji, file);
    return [author, ...reacted].map((one) => text(one, 'id')).filter((id) => id !== '');
  }

  /** How somebody was called when they were first seen. */
  nameOf(id: string): string {
    const known = this.known.get(id);
    return known ? nameIn(known.row) : '';
  }

  /** Somebody with a name; the archive has no id of whoever only got direct messages. */
  named(name: string): string {
    for (const [id, { row }] of this.known) {
      if (name === nameIn(row) || name === text(row, 'name')) return id;
    }
    const id = `name:${name}`;
    const row = { id, name, nickname: name, isBot: false };
    this.known.set(id, { row, file: NOWHERE, hasRoles: true });
    return id;
  }

  people(): ArchivedPerson[] {
    return Array.from(this.known, ([key, { row, file }]) => {
      const name = nameIn(row);
      const discriminator = text(row, 'discriminator');
      const isOld = /[1-9]/.test(discriminator);
      const isGone = GONE.test(name) || GONE.test(text(row, 'name')) || file === NOWHERE;
      return {
        ...{ key, name, email: '', role: ROLE.member, isBot: row['isBot'] === true },
        handle: isOld ? `${text(row, 'name')}-${discriminator}` : text(row, 'name'),
        isActive: !isGone,
        picture: placeOf(file, text(row, 'avatarUrl')),
      };
    });
  }

  groups(): ArchivedGroup[] {
    return [...this.roles.values()];
  }

  emoji(): ArchivedEmoji[] {
    return Array.from(this.pictures, ([name, place]) => ({ name, place }));
  }

  private add(row: JsonRow, file: DiscordFile): void {
    const id = text(row, 'id');
    if (id === '') return;
    // Who reacted is written without roles.
    const hasRoles = Array.isArray(row['roles']);
    const known = this.known.get(id);
    if (known && (known.hasRoles || !hasRoles)) return;
    const { roles: _roles, ...said } = row;
    this.known.set(id, { row: known?.row ?? said, file: known?.file ?? file, hasRoles });
    for (const role of listIn(row, 'roles')) {
      const group = this.roles.get(text(role, 'id'));
      if (group) group.members.add(id);
      else this.roles.set(text(role, 'id'), { name: text(role, 'name'), members: new Set([id]) });
    }
  }

  /** Those of Unicode have no id. */
  private addEmoji(emoji: JsonRow, file: DiscordFile): void {
    const place = placeOf(file, text(emoji, 'imageUrl'));
    const name = text(emoji, 'name');
    if (text(emoji, 'id') !== '' && place !== '' && !this.pictures.has(name)) {
      this.pictures.set(name, place);
    }
  }
}

const NOWHERE: DiscordFile = { place: '', guild: {}, channel: {}, size: 0 };

/** The name on a server, or everywhere. */
export function nameIn(row: JsonRow): string {
  return text(row, 'nickname').trim() || text(row, 'name').trim();
}
