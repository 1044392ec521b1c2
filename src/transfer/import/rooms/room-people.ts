/** Accounts, groups, channels and conversations of an archive with rooms, which get numbers in the order of its lists. */
import { MAX_CHANNEL_FOLDER_NAME_LENGTH } from '../../../../schemas/limits.js';
import { groupPermissions } from '../../../../schemas/groups/user-group.js';
import { checkedGroupName } from '../../../organization/groups/group-changes.js';
import { createFrame } from '../../../organization/realm/bootstrap.js';
import type { Transaction } from '../../../organization/state/transaction.js';
import type { Markdown } from '../../../services/markdown/markdown.js';
import { type Omissions, refusalOf } from '../import-job.js';
import { addAccount, addChannel, addressFor, addSubscription } from '../people.js';
import type {
  ArchivedConversation,
  ArchivedGroup,
  ArchivedPerson,
  ArchivedRoom,
  RoomArchive,
} from './room-archive.js';

/** The numbers that the rows of an archive get, and what is made of them. */
export class RoomPeople {
  readonly users = new Map<string, number>();
  readonly channels = new Map<string, number>();
  /** Those of a set of people that comes twice are one. */
  readonly conversations = new Map<string, number>();

  constructor(private readonly archive: RoomArchive) {
    const { people, rooms, conversations } = archive;
    for (const { key } of people) this.users.set(key, this.users.size + 1);
    for (const { key } of rooms) this.channels.set(key, this.channels.size + 1);
    const bySet = new Map<string, number>();
    for (const one of conversations) {
      const set = this.membersOf(one).join();
      if (set === '') continue;
      if (!bySet.has(set)) bySet.set(set, this.channels.size + bySet.size + 1);
      this.conversations.set(one.key, bySet.get(set)!);
    }
  }

  /** Accounts here of a list of ids there, ascending. */
  membersOf({ members }: { readonly members: Iterable<string> }): number[] {
    const ids = Array.from(members, (key) => this.users.get(key) ?? 0).filter((id) => id > 0);
    return [...new Set(ids)].sort((a, b) => a - b);
  }

  /** Builds everything but messages. */
  build(tx: Transaction, name: string, markdown: Markdown, omissions: Omissions): void {
    const { counters } = tx.org;
    const { people, rooms, conversations, groups } = this.archive;
    counters.skip('user', this.users.size);
    counters.skip('stream', this.channels.size);
    counters.skip('recipient', this.channels.size + new Set(this.conversations.values()).size);
    createFrame(tx, { name });
    for (const person of people) this.addPerson(tx, person, omissions);
    for (const group of groups) this.addGroup(tx, group, omissions);
    for (const room of rooms) this.addRoom(tx, room, markdown, omissions);
    for (const one of conversations) this.addConversation(tx, one, omissions);
  }

  private addPerson(tx: Transaction, person: ArchivedPerson, omissions: Omissions): void {
    const user_id = this.users.get(person.key)!;
    const prefix = this.archive.service.toLowerCase().replaceAll(/[^a-z]/g, '');
    const handle = person.handle.toLowerCase().replaceAll(/[^a-z0-9._-]+/g, '-');
    const name = `${prefix}-${handle}`;
    const isTaken = tx.org.users.byRealEmail(`${name}@${tx.org.site.botDomain}`) !== undefined;
    const local = isTaken ? `${name}-${user_id}` : name;
    const who = person.isBot ? null : person.name;
    const account = {
      user_id,
      email: addressFor(tx, person.email, local, who, omissions),
      full_name: person.name || person.handle,
      role: person.role,
      is_active: person.isActive,
      date_joined: tx.now,
      ...(person.isBot ? { is_bot: true, bot_type: 1 as const } : {}),
    };
    addAccount(tx, account, omissions);
  }

  private addGroup(tx: Transaction, group: ArchivedGroup, omissions: Omissions): void {
    const { org } = tx;
    const { groups, counters, users } = org;
    const fault = refusalOf(() => checkedGroupName(org, group.name));
    if (fault !== null) {
      omissions.add('groups that are refused here', `${group.name}: ${fault}`);
      return;
    }
    groups.insert({
      ...groupPermissions(groups.system('role:nobody').id),
      can_mention_group: groups.system('role:everyone').id,
      can_manage_group: groups.system('role:administrators').id,
      id: counters.next('user_group'),
      name: group.name.trim(),
      description: '',
      creator_id: null,
      date_created: tx.seconds,
      is_system_group: false,
      members: this.membersOf(group).filter((id) => users.get(id)!.is_active),
      direct_subgroup_ids: [],
      deactivated: false,
    });
  }

  private addRoom(
    tx: Transaction,
    room: ArchivedRoom,
    markdown: Markdown,
    omissions: Omissions,
  ): void {
    const stream_id = this.channels.get(room.key)!;
    const direct_members = this.membersOf({ members: room.administrators });
    const moderators = tx.org.groups.system('role:moderators');
    const administrators = { direct_members, direct_subgroups: [] };
    addChannel(tx, markdown, omissions, {
      ...{ stream_id, recipient_id: stream_id, name: room.name, creator_id: null },
      description: room.description,
      date_created: room.created || tx.seconds,
      invite_only: room.isPrivate,
      // Whoever is in such a room reads all of it.
      history_public_to_subscribers: true,
      is_archived: room.isArchived,
      folder_id: folderNamed(tx, room.folder),
      ...(room.isReadOnly ? { can_send_message_group: moderators.id } : {}),
      ...(direct_members.length > 0 ? { can_administer_channel_group: administrators } : {}),
    });
    for (const userId of this.membersOf(room)) {
      if (tx.org.users.get(userId)!.is_active) addSubscription(tx, userId, stream_id, true);
    }
  }

  private addConversation(tx: Transaction, one: ArchivedConversation, omissions: Omissions): void {
    const user_ids = this.membersOf(one);
    if (user_ids.length === 0) omissions.add('conversations without people', one.key);
    else if (!tx.org.conversations.between(user_ids)) {
      tx.org.conversations.insert({ recipient_id: this.conversations.get(one.key)!, user_ids });
    }
  }
}

/** The folder of channels of a name, which is made where there is none. */
function folderNamed(tx: Transaction, given: string): number | null {
  const name = [...given.trim()].slice(0, MAX_CHANNEL_FOLDER_NAME_LENGTH).join('').trim();
  if (name === '') return null;
  const { channelFolders, counters } = tx.org;
  const known = channelFolders.live(name);
  if (known) return known.id;
  const folder = channelFolders.insert({
    ...{ id: counters.next('channel_folder'), name, description: '', rendered_description: '' },
    ...{ creator_id: null, date_created: tx.seconds, order: channelFolders.size },
    is_archived: false,
  });
  return folder.id;
}
