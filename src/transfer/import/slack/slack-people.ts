/** Accounts, channels and conversations of a Slack export, which get numbers in the order of its lists. */
import Value from 'typebox/value';
import { ROLE, type Role } from '../../../../schemas/users/user-document.js';
import { USER_SETTINGS } from '../../../../schemas/users/user-settings.js';
import { createFrame } from '../../../organization/realm/bootstrap.js';
import type { Transaction } from '../../../organization/state/transaction.js';
import type { Markdown } from '../../../services/markdown/markdown.js';
import { ArchiveError } from '../archive.js';
import type { JsonRow } from '../json-rows.js';
import type { Omissions } from '../import-job.js';
import {
  addAccount,
  addChannel,
  addressFor,
  addSubscription,
  joinedDescription,
} from '../people.js';
import { noteUnknown } from '../unknown-fields.js';
import { CONVERSATION, USER } from './slack-fields.js';
import { part, foldersOf, listOf, rows, type SlackConversation, text } from './slack-files.js';
import { addProfiles } from './slack-profiles.js';
import { markdownOf, type SlackNames } from './slack-text.js';
import { strangersOf, type Strangers } from './slack-strangers.js';

/** Sends what no account sent. */
export const INTEGRATIONS = 'Slack integrations';

/** The lists of an export with the numbers that their rows get. */
export class SlackPeople {
  private constructor(
    readonly users: readonly JsonRow[],
    readonly conversations: readonly SlackConversation[],
    private readonly strangers: Strangers,
  ) {
    users.forEach((row, i) => {
      this.userIds.set(text(row, 'id'), i + 1);
      // Programs sign by another id.
      const bot = text(part(row, 'profile'), 'bot_id');
      if (bot !== '') this.userIds.set(bot, i + 1);
    });
    [...strangers.keys()].forEach((id, i) => this.userIds.set(id, this.integrationsId + i + 1));
    conversations.forEach(({ id }, i) => this.numbers.set(id, i + 1));
  }

  /** Numbers here by ids there. */
  readonly userIds = new Map<string, number>();
  /** Of channels and of the conversations behind them. */
  readonly numbers = new Map<string, number>();

  /** @throws ArchiveError for what is no export */
  static async read(folder: string, omissions: Omissions): Promise<SlackPeople> {
    const list = (name: string): Promise<JsonRow[]> =>
      listOf(folder, name, () => omissions.missStrange(name));
    const users = await list('users.json');
    if (users.length === 0) {
      throw new ArchiveError('users.json is missing or empty: this is no Slack export');
    }
    const folders = await foldersOf(folder);
    const of = (rows: JsonRow[], kind: SlackConversation['kind'], named: string) =>
      rows.map((row) => {
        const name = text(row, named);
        const found = folders.get(name.normalize()) ?? name;
        return { folder: found, id: text(row, 'id'), row, kind };
      });
    const conversations = [
      ...of(await list('channels.json'), 'public', 'name'),
      ...of(await list('groups.json'), 'private', 'name'),
      ...of(await list('dms.json'), 'direct', 'id'),
      ...of(await list('mpims.json'), 'direct', 'name'),
    ];
    const idOf = (one: SlackConversation): string => one.id;
    const folderOf = (one: SlackConversation): string => one.folder;
    const first = firstOf(conversations, idOf, 'conversations with the id of another', omissions);
    const people = firstOf(
      users,
      (row) => text(row, 'id'),
      'accounts with the id of another',
      omissions,
    );
    const places = firstOf(first, folderOf, 'conversations with the name of another', omissions);
    return new SlackPeople(people, places, await strangersOf(folder, people, places));
  }

  /** Id of the account that sends what no account sent. */
  get integrationsId(): number {
    return this.users.length + 1;
  }

  /** Builds everything but messages. */
  build(tx: Transaction, name: string, markdown: Markdown, omissions: Omissions): void {
    const { counters } = tx.org;
    counters.skip('user', this.integrationsId + this.strangers.size);
    counters.skip('stream', this.conversations.length);
    counters.skip('recipient', this.conversations.length);
    createFrame(tx, { name });
    for (const row of this.users) this.addUser(tx, row, omissions);
    addProfiles(tx, markdown, this.users, this.userIds, omissions);
    const inactive = { role: ROLE.member, is_active: false, date_joined: tx.now };
    addAccount(
      tx,
      {
        user_id: this.integrationsId,
        email: `slack-integrations@${tx.org.site.botDomain}`,
        full_name: INTEGRATIONS,
        ...{ ...inactive, is_bot: true, bot_type: 1 },
      },
      omissions,
    );
    for (const [id, full_name] of this.strangers) {
      const user_id = this.userIds.get(id)!;
      const email = addressFor(tx, '', `slack-${id.toLowerCase()}`, null, omissions);
      addAccount(tx, { user_id, email, full_name: full_name || id, ...inactive }, omissions);
      omissions.add(
        'people who are in no list, deactivated here by the name that messages give',
        id,
      );
    }
    for (const one of this.conversations) this.addConversation(tx, one, markdown, omissions);
  }

  /** People who have an account here, whether a list has them or not. */
  get count(): number {
    return this.users.length + this.strangers.size;
  }

  /** Accounts here that take part in a conversation, ascending. */
  members({ row }: SlackConversation): number[] {
    const given = Array.isArray(row['members']) ? (row['members'] as unknown[]) : [];
    const ids = given.flatMap((id) => this.userIds.get(String(id)) ?? []);
    return [...new Set(ids)].sort((a, b) => a - b);
  }

  private addUser(tx: Transaction, row: JsonRow, omissions: Omissions): void {
    const profile = (row['profile'] ?? {}) as JsonRow;
    const user_id = this.userIds.get(text(row, 'id'))!;
    const id = text(row, 'id');
    const name = text(row, 'name') || id;
    noteUnknown(row, USER, (what, example) => omissions.add(what, example || name));
    const isBot = row['is_bot'] === true || id === 'USLACKBOT';
    const own = text(profile, 'email');
    const email = addressFor(tx, own, `slack-${id.toLowerCase()}`, isBot ? null : name, omissions);
    const timezone = text(row, 'tz');
    addAccount(
      tx,
      {
        ...{ user_id, email },
        full_name: text(profile, 'real_name') || text(row, 'real_name') || name,
        role: roleOf(row),
        is_active: row['deleted'] !== true && id !== 'USLACKBOT',
        date_joined: tx.now,
        ...(isBot ? { is_bot: true, bot_type: 1 } : {}),
        ...(Value.Check(USER_SETTINGS.timezone.schema, timezone) ? { settings: { timezone } } : {}),
      },
      omissions,
    );
  }

  private addConversation(
    tx: Transaction,
    one: SlackConversation,
    markdown: Markdown,
    omissions: Omissions,
  ): void {
    const number = this.numbers.get(one.id)!;
    const members = this.members(one);
    noteUnknown(one.row, CONVERSATION, (what, example) =>
      omissions.add(what, example || one.folder),
    );
    const pins = rows(one.row['pins']).length;
    if (pins > 0) omissions.add('pins of messages, which do not exist here', one.folder, pins);
    if (one.kind === 'direct') {
      const known = tx.org.conversations.between(members);
      if (members.length > 0 && !known) {
        tx.org.conversations.insert({ recipient_id: number, user_ids: members });
      } else omissions.add('conversations without participants, or listed twice', one.folder);
      return;
    }
    const { row, kind } = one;
    const said = ['purpose', 'topic'].map((name) => text(part(row, name), 'value'));
    addChannel(tx, markdown, omissions, {
      ...{ stream_id: number, recipient_id: number, name: text(row, 'name') },
      description: markdownOf(joinedDescription(...said), NO_NAMES),
      date_created: Math.floor(Number(row['created'] ?? 0)) || 0,
      creator_id: this.userIds.get(text(row, 'creator')) ?? null,
      invite_only: kind === 'private',
      // Whoever is in a channel of Slack reads all of it.
      history_public_to_subscribers: true,
      is_archived: row['is_archived'] === true,
      is_default: row['is_general'] === true && kind === 'public',
    });
    for (const userId of members) addSubscription(tx, userId, number, true);
  }
}

/** Of people and channels that a purpose names, the words are left. */
const NO_NAMES: SlackNames = { user: () => undefined, channel: () => undefined };

/** Those of a list that are the first with what is to be of one only. */
function firstOf<T>(
  list: readonly T[],
  keyOf: (one: T) => string,
  what: string,
  omissions: Omissions,
): T[] {
  const seen = new Set<string>();
  return list.filter((one) => {
    const key = keyOf(one);
    const isFirst = !seen.has(key);
    if (!isFirst) omissions.miss(what, key);
    seen.add(key);
    return isFirst;
  });
}

function roleOf(row: JsonRow): Role {
  if (row['is_primary_owner'] === true || row['is_owner'] === true) return ROLE.owner;
  if (row['is_admin'] === true) return ROLE.administrator;
  if (row['is_restricted'] === true || row['is_ultra_restricted'] === true) return ROLE.guest;
  return ROLE.member;
}
