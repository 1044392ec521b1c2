/** Accounts, channels of all teams, and conversations of a Mattermost export. */
import { MAX_REALM_DESCRIPTION_LENGTH } from '../../../../schemas/limits.js';
import { isLanguage } from '../../../../schemas/realm/languages.js';
import { BOT_TYPE, ROLE, type Role } from '../../../../schemas/users/user-document.js';
import { createFrame } from '../../../organization/realm/bootstrap.js';
import type { Transaction } from '../../../organization/state/transaction.js';
import { renderDescription } from '../../../resources/channels/wanted-channels.js';
import type { Markdown } from '../../../services/markdown/markdown.js';
import { ArchiveError } from '../archive.js';
import type { Omissions } from '../import-job.js';
import type { JsonRow } from '../json-rows.js';
import { addAccount, addChannel, addressFor, joinedDescription } from '../people.js';
import { addProfile, addProfileField, textType } from '../profiles.js';
import { text, type MattermostFile } from './mattermost-file.js';
import { addMemberships } from './mattermost-memberships.js';

/** Longest name of a channel that a team is added to, code points. */
const SHORT = 40;

/** The lists of an export with the numbers that their rows get. */
export class MattermostPeople {
  /** Numbers by names. */
  readonly users = new Map<string, number>();
  /** Numbers by team and name. */
  readonly channels = new Map<string, number>();
  /** Numbers of conversations by the names of their people. */
  readonly conversations = new Map<string, number>();

  constructor(private readonly file: MattermostFile) {
    const rows = file.rows('user');
    if (rows.length === 0) {
      throw new ArchiveError('The export has no people: this is no bulk export of Mattermost');
    }
    for (const row of this.listed) number(this.users, text(row, 'username'));
    // Of no line of their own: those that other servers share, and those whose accounts were removed.
    for (const name of file.named) number(this.users, name);
    for (const row of file.rows('channel')) number(this.channels, keyOf(row));
    for (const key of file.conversations.keys()) {
      this.conversations.set(key, this.channels.size + this.conversations.size + 1);
    }
  }

  /** People, then programs. */
  private get listed(): readonly JsonRow[] {
    return [...this.file.rows('user'), ...this.file.rows('bot')];
  }

  /** Sends what no account sent. */
  get strangersId(): number {
    return this.users.size + 1;
  }

  /** Builds everything but messages. */
  build(tx: Transaction, name: string, markdown: Markdown, omissions: Omissions): void {
    const { counters } = tx.org;
    counters.skip('user', this.strangersId);
    counters.skip('stream', this.channels.size);
    counters.skip('recipient', this.channels.size + this.conversations.size);
    createFrame(tx, { name });
    this.describe(tx, markdown, omissions);
    const users = new Set<string>();
    const bots = new Set(this.file.rows('bot'));
    for (const row of this.listed) {
      const isBot = bots.has(row);
      if (isNew(users, text(row, 'username'))) this.addUser(tx, row, isBot, omissions);
      // Some exports have programs among people, too.
      else if (!isBot) omissions.miss('accounts with the name of another', text(row, 'username'));
    }
    const inactive = { role: ROLE.member, is_active: false, date_joined: tx.now };
    for (const [name, user_id] of this.users) {
      if (users.has(name)) continue;
      const email = addressFor(tx, '', localOf(name, user_id), null, omissions);
      addAccount(tx, { user_id, email, full_name: name, ...inactive }, omissions);
      omissions.add(
        'people who are in no list, deactivated here by the name that messages give',
        name,
      );
    }
    addAccount(
      tx,
      {
        user_id: this.strangersId,
        email: `mattermost-strangers@${tx.org.site.botDomain}`,
        full_name: 'Mattermost',
        ...{ ...inactive, is_bot: true, bot_type: 1 },
      },
      omissions,
    );
    const channels = new Set<string>();
    for (const row of this.file.rows('channel')) {
      if (isNew(channels, keyOf(row))) this.addChannel(tx, row, markdown, omissions);
      else omissions.miss('channels with the name of another in their team', keyOf(row));
    }
    for (const [key, names] of this.file.conversations)
      this.addConversation(tx, key, names, omissions);
    addMemberships(tx, this.file, this, omissions);
    this.addProfiles(tx, markdown, omissions);
  }

  private addUser(tx: Transaction, row: JsonRow, isBot: boolean, omissions: Omissions): void {
    const username = text(row, 'username');
    const user_id = this.users.get(username)!;
    const who = isBot ? null : username;
    const email = addressFor(tx, text(row, 'email'), localOf(username, user_id), who, omissions);
    const names = `${text(row, 'first_name')} ${text(row, 'last_name')}`.trim();
    const given = names || text(row, 'nickname') || text(row, 'display_name') || username;
    const locale = text(row, 'locale').toLowerCase();
    addAccount(
      tx,
      {
        ...{ user_id, email, full_name: given },
        role: roleOf(row),
        is_active: !(Number(row['delete_at']) > 0),
        date_joined: tx.now,
        ...(isBot
          ? {
              ...{ is_bot: true, bot_type: BOT_TYPE.generic },
              bot_owner_id: this.users.get(text(row, 'owner')) ?? null,
            }
          : {}),
        settings: {
          ...(isLanguage(locale) ? { default_language: locale } : {}),
          ...(text(row, 'military_time') === 'true' ? { twenty_four_hour_time: true } : {}),
        },
      },
      omissions,
    );
  }

  /** What the only team says of itself, the organization says. */
  private describe(tx: Transaction, markdown: Markdown, omissions: Omissions): void {
    const teams = this.file.rows('team').filter((row) => text(row, 'description') !== '');
    const [team = {}, ...others] = teams;
    const given = text(team, 'description');
    const letters = [...given];
    if (others.length > 0 || letters.length > MAX_REALM_DESCRIPTION_LENGTH) {
      omissions.add(
        'descriptions of teams, which are many or too long for one organization',
        text(team, 'name'),
      );
    } else if (given !== '') {
      const rendered_description = renderDescription(tx.org, markdown, given);
      tx.org.realm.update('realm', { description: given, rendered_description });
    }
  }

  /** Teams are one organization here: a name that two have gets its team. */
  private addChannel(
    tx: Transaction,
    row: JsonRow,
    markdown: Markdown,
    omissions: Omissions,
  ): void {
    const number = this.channels.get(keyOf(row))!;
    const given = text(row, 'display_name') || text(row, 'name');
    const isTaken = tx.org.channels.byName(given) !== undefined;
    const short = [...given].slice(0, SHORT).join('');
    addChannel(tx, markdown, omissions, {
      ...{ stream_id: number, recipient_id: number },
      name: isTaken ? `${short} (${text(row, 'team')})` : given,
      description: joinedDescription(text(row, 'purpose'), text(row, 'header')),
      date_created: tx.seconds,
      creator_id: null,
      invite_only: text(row, 'type') === 'P',
      history_public_to_subscribers: true,
      is_archived: Number(row['deleted_at'] ?? row['delete_at']) > 0,
    });
  }

  private addConversation(
    tx: Transaction,
    key: string,
    names: readonly string[],
    omissions: Omissions,
  ): void {
    const ids = names.flatMap((name) => this.users.get(name) ?? []);
    const user_ids = [...new Set(ids)].sort((a, b) => a - b);
    if (user_ids.length === 0 || tx.org.conversations.between(user_ids)) {
      omissions.add('conversations without participants, or listed twice', key);
      return;
    }
    tx.org.conversations.insert({ recipient_id: this.conversations.get(key)!, user_ids });
  }

  private addProfiles(tx: Transaction, markdown: Markdown, omissions: Omissions): void {
    const filled = new Map<number, Map<number, string>>();
    for (const [key, name] of PROFILE_PARTS) {
      const rows = this.file.rows('user').filter((row) => {
        const user = tx.org.users.get(this.users.get(text(row, 'username'))!)!;
        return text(row, key) !== '' && text(row, key) !== user.full_name;
      });
      if (rows.length === 0) continue;
      const id = tx.org.counters.next('custom_profile_field');
      const type = textType(rows.map((row) => text(row, key)));
      addProfileField(tx, { id, type, name }, omissions);
      for (const row of rows) {
        const userId = this.users.get(text(row, 'username'))!;
        const values = filled.get(userId) ?? new Map<number, string>();
        filled.set(userId, values.set(id, text(row, key)));
      }
    }
    for (const [userId, values] of filled) addProfile(tx, markdown, userId, values, omissions);
  }
}

/** What people say of themselves, and the fields that it becomes. */
const PROFILE_PARTS = [
  ['position', 'Position'],
  ['nickname', 'Nickname'],
] as const;

/** The local part of an address that reaches nobody. */
function localOf(username: string, userId: number): string {
  return /^[a-z0-9._-]+$/i.test(username) ? `mattermost-${username}` : `mattermost-${userId}`;
}

/** Gives a name the next number, where it has none. */
function number(numbers: Map<string, number>, name: string): void {
  if (!numbers.has(name)) numbers.set(name, numbers.size + 1);
}

/** Notes a name. @returns whether it was not there */
function isNew(names: Set<string>, name: string): boolean {
  const isKnown = names.has(name);
  names.add(name);
  return !isKnown;
}

/** Of a channel. */
function keyOf(row: JsonRow): string {
  return `${text(row, 'team')}/${text(row, 'name')}`;
}

function roleOf(row: JsonRow): Role {
  const roles = text(row, 'roles').split(' ');
  if (roles.includes('system_admin')) return ROLE.owner;
  if (roles.includes('system_guest')) return ROLE.guest;
  return ROLE.member;
}
