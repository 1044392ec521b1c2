/** People of Rocket.Chat: its list, and authors who are in it no more. */
import { ROLE, type Role } from '../../../../schemas/users/user-document.js';
import type { JsonRow } from '../json-rows.js';
import type { ArchivedPerson } from '../rooms/room-archive.js';
import { listIn, part, text, textsIn } from '../rooms/row-values.js';
import { idIn } from './bson-rows.js';

export class RocketPeople {
  private readonly known = new Map<string, ArchivedPerson>();
  /** Ids by account names, with which reactions and mentions name people. */
  private readonly byName = new Map<string, string>();
  /** Ids by full names, with which servers quote that show these; null where several have one. */
  private readonly byFullName = new Map<string, string | null>();

  /** @param pictures places, by ids of people and by account names */
  add(row: JsonRow, pictures: ReadonlyMap<string, string>): void {
    const [key, handle] = [idIn(row), text(row, 'username')];
    if (key === '' || this.known.has(key)) return;
    const type = text(row, 'type');
    const roles = textsIn(row, 'roles');
    const isBot = type === 'bot' || type === 'app' || roles.includes('bot');
    this.known.set(key, {
      ...{
        key,
        handle: handle || key,
        name: text(row, 'name') || handle,
        role: roleOf(roles),
        isBot,
      },
      email: text(listIn(row, 'emails')[0] ?? {}, 'address'),
      isActive: row['active'] !== false && (type === 'user' || isBot),
      picture: pictures.get(key) ?? pictures.get(handle) ?? '',
    });
    if (handle !== '') this.byName.set(handle, key);
    const name = text(row, 'name');
    if (name !== '') this.byFullName.set(name, this.byFullName.has(name) ? null : key);
  }

  /** Notes the author of a message, who becomes a deactivated account where the list lacks them. */
  addAuthor(row: JsonRow): void {
    const author = part(row, 'u');
    if (this.known.has(idIn(author))) return;
    this.add({ ...author, type: 'gone' }, new Map());
  }

  idOf(handle: string): string {
    return this.byName.get(handle) ?? '';
  }

  /** As `idOf`, or by the full name. */
  idOfAuthor(name: string): string {
    return this.idOf(name) || (this.byFullName.get(name) ?? '');
  }

  list(): ArchivedPerson[] {
    return [...this.known.values()];
  }
}

function roleOf(roles: readonly string[]): Role {
  if (roles.includes('admin')) return ROLE.owner;
  return roles.includes('guest') ? ROLE.guest : ROLE.member;
}
