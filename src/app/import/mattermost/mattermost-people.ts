/** Accounts, channels of all teams, and conversations of a Mattermost export. */
import { isLanguage } from '../../../../schemas/realm/languages.js';
import { ROLE, type Role } from '../../../../schemas/users/user-document.js';
import { PROFILE_FIELD_TYPE } from '../../../../schemas/users/profile-fields.js';
import { createFrame } from '../../../organization/realm/bootstrap.js';
import type { Transaction } from '../../../organization/state/transaction.js';
import type { Markdown } from '../../../services/markdown/markdown.js';
import { ArchiveError } from '../archive.js';
import type { Omissions } from '../import-job.js';
import type { JsonRow } from '../json-rows.js';
import { addAccount, addChannel, addSubscription } from '../people.js';
import { addProfile, addProfileField } from '../profiles.js';
import { listIn, text, type MattermostFile } from './mattermost-file.js';

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
    for (const row of rows) number(this.users, text(row, 'username'));
    for (const row of file.rows('channel')) number(this.channels, keyOf(row));
    for (const key of file.conversations.keys()) {
      this.conversations.set(key, this.channels.size + this.conversations.size + 1);
    }
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
    const users = new Set<string>();
    for (const row of this.file.rows('user')) {
      if (isNew(users, text(row, 'username'))) this.addUser(tx, row, omissions);
      else omissions.miss('accounts with the name of another', text(row, 'username'));
    }
    addAccount(tx, {
      user_id: this.strangersId,
      email: `mattermost-strangers@${tx.org.site.botDomain}`,
      full_name: 'Mattermost',
      ...{ role: ROLE.member, is_active: false, date_joined: tx.now, is_bot: true, bot_type: 1 },
    });
    const channels = new Set<string>();
    for (const row of this.file.rows('channel')) {
      if (isNew(channels, keyOf(row))) this.addChannel(tx, row, markdown, omissions);
      else omissions.miss('channels with the name of another in their team', keyOf(row));
    }
    for (const [key, names] of this.file.conversations)
      this.addConversation(tx, key, names, omissions);
    this.addMemberships(tx, omissions);
    this.addPositions(tx, markdown, omissions);
  }

  private addUser(tx: Transaction, row: JsonRow, omissions: Omissions): void {
    const username = text(row, 'username');
    const address = text(row, 'email');
    const taken = address === '' || tx.org.users.byRealEmail(address) !== undefined;
    if (taken) omissions.add('addresses of accounts, which are missing or taken', username);
    const names = `${text(row, 'first_name')} ${text(row, 'last_name')}`.trim();
    const locale = text(row, 'locale').toLowerCase();
    addAccount(tx, {
      user_id: this.users.get(username)!,
      email: taken ? `mattermost-${username}@${tx.org.site.botDomain}` : address,
      full_name: names || text(row, 'nickname') || username,
      role: roleOf(row),
      is_active: !(Number(row['delete_at']) > 0),
      date_joined: tx.now,
      ...(isLanguage(locale) ? { settings: { default_language: locale } } : {}),
    });
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
      description: (text(row, 'purpose') || text(row, 'header')).slice(0, 1000),
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

  private addMemberships(tx: Transaction, omissions: Omissions): void {
    const { org } = tx;
    for (const row of this.file.rows('user')) {
      const userId = this.users.get(text(row, 'username'))!;
      for (const team of listIn(row, 'teams')) {
        for (const one of listIn(team, 'channels')) {
          const number = this.channels.get(`${text(team, 'name')}/${text(one, 'name')}`);
          if (number === undefined) {
            omissions.add('memberships of channels that are missing', text(one, 'name'));
          } else if (org.users.get(userId)!.is_active && !org.subscriptions.of(userId, number)) {
            const notify = (one['notify_props'] ?? {}) as JsonRow;
            addSubscription(tx, userId, number, true, {
              pin_to_top: one['favorite'] === true,
              is_muted: text(notify, 'mark_unread') === 'mention',
            });
            if (text(one, 'roles').includes('channel_admin')) addAdministrator(tx, number, userId);
          }
        }
      }
    }
  }

  private addPositions(tx: Transaction, markdown: Markdown, omissions: Omissions): void {
    const rows = this.file.rows('user').filter((row) => text(row, 'position') !== '');
    if (rows.length === 0) return;
    const id = tx.org.counters.next('custom_profile_field');
    addProfileField(tx, { id, type: PROFILE_FIELD_TYPE.shortText, name: 'Position' }, omissions);
    for (const row of rows) {
      const values = new Map([[id, text(row, 'position')]]);
      addProfile(tx, markdown, this.users.get(text(row, 'username'))!, values, omissions);
    }
  }
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

function keyOf(row: JsonRow): string {
  return `${text(row, 'team')}/${text(row, 'name')}`;
}

function addAdministrator({ org }: Transaction, streamId: number, userId: number): void {
  const current = org.channels.get(streamId)!.can_administer_channel_group;
  const members = typeof current === 'number' ? [] : current.direct_members;
  const direct_members = [...members, userId].sort((a, b) => a - b);
  org.channels.update(streamId, {
    can_administer_channel_group: { direct_members, direct_subgroups: [] },
  });
}

function roleOf(row: JsonRow): Role {
  const roles = text(row, 'roles').split(' ');
  if (roles.includes('system_admin')) return ROLE.owner;
  if (roles.includes('system_guest')) return ROLE.guest;
  return ROLE.member;
}
