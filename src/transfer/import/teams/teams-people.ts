/** People of Microsoft Teams: its list, members of teams that are not in it, and authors who are gone. */
import { ROLE } from '../../../../schemas/users/user-document.js';
import type { JsonRow } from '../json-rows.js';
import type { ArchivedPerson } from '../rooms/room-archive.js';
import { part, text } from '../rooms/row-values.js';
import { noteUnknown, type NoteLeft, rowKind } from '../unknown-fields.js';

/** Titles, telephone numbers and places are counted. */
const PERSON = rowKind('people', [
  ...['Id', 'UserId', 'DisplayName', 'GivenName', 'Surname', 'Mail', 'UserPrincipalName'],
  ...['UserName', 'PreferredLanguage', 'InterpretedUserType', 'DirectoryStatus', 'FeatureTypes'],
  // What the service has sold for them.
  ...['AudioConferencing', 'PhoneSystems', 'CallingPlan', 'AssignedPlans'],
  'OnlineDialinConferencingPolicy',
]);

/** What an account name says of people of other organizations. */
const OUTSIDE = '#EXT#';

export class TeamsPeople {
  private readonly known = new Map<string, ArchivedPerson>();

  /** Somebody of the list. */
  add(row: JsonRow, note: NoteLeft): void {
    const key = text(row, 'Id');
    if (key === '' || this.known.has(key)) return;
    noteUnknown(row, PERSON, (what, example) => note(what, example || key));
    this.insert(key, {
      name: text(row, 'DisplayName'),
      account: text(row, 'UserPrincipalName'),
      email: text(row, 'Mail'),
      isActive: true,
    });
  }

  /** A member of a team, who may be in no list. */
  addMember(row: JsonRow): string {
    const key = text(row, 'UserId');
    const account = text(row, 'UserName');
    this.insert(key, { name: text(row, 'Name'), account, email: '', isActive: true });
    return key;
  }

  /**
   * Whoever a row says that somebody is: a person, a program or a device. Those in no list are deactivated accounts, or
   * bots. @returns the id; empty where the row names nobody
   */
  addNamed(row: JsonRow): string {
    const [user, program, device] = ['User', 'Application', 'Device'].map((one) => part(row, one));
    const who = [user!, program!, device!].find((one) => text(one, 'Id') !== '');
    if (!who) return '';
    const key = text(who, 'Id');
    const isBot = who !== user;
    const name = text(who, 'DisplayName');
    // The first rows of somebody who is gone may have no name.
    const known = this.known.get(key);
    if (known?.name === '') this.known.set(key, { ...known, name });
    this.insert(key, { name, account: '', email: '', isActive: isBot, isBot });
    return key;
  }

  nameOf(key: string): string {
    return this.known.get(key)?.name ?? '';
  }

  list(): ArchivedPerson[] {
    return [...this.known.values()];
  }

  private insert(
    key: string,
    one: { name: string; account: string; email: string; isActive: boolean; isBot?: boolean },
  ): void {
    if (key === '' || this.known.has(key)) return;
    const { name, account, email, isActive, isBot = false } = one;
    this.known.set(key, {
      ...{ key, name, email, isActive, isBot, picture: '' },
      handle: account.split(OUTSIDE)[0]!.split('@')[0] || key,
      role: account.includes(OUTSIDE) ? ROLE.guest : ROLE.member,
    });
  }
}
