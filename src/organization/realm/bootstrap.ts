import { randomUUID } from '../../platform/randomness.js';
import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import { groupPermissions, type GroupDocument } from '../../../schemas/groups/user-group.js';
import { DEFAULT_REALM } from '../../../schemas/realm/realm-document.js';
import { ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import {
  SYSTEM_GROUPS,
  type SystemGroup,
  type SystemGroupName,
} from '../../../schemas/groups/permissions.js';
import { createSystemBot, createUser, type AccountParts } from '../accounts/accounts.js';
import { channelSettings, createChannel } from '../channels/channel-creation.js';
import { emitDefaultChannels } from '../views/channel-events.js';
import type { SendNotice } from '../invitations/welcome.js';
import { subscribeUsers } from '../channels/subscribing.js';
import type { Transaction } from '../state/transaction.js';

/** A new organization and its first owner; the caller has checked names and addresses. */
interface NewOrganization {
  readonly name: string;
  /** For tests; absent: random. */
  readonly uuid?: string;
  readonly ownerEmail: string;
  /** Absent means "Owner". */
  readonly ownerFullName?: string;
  readonly ownerPasswordHash: string | null;
}

/** Dependencies of creating an organization. */
interface BootstrapParts extends AccountParts {
  /** Sends a message as the notification bot; absent: the first channel stays empty. */
  readonly sendNotice?: SendNotice;
}

/** The first user and channel. */
interface CreatedOrganization {
  readonly owner: UserDocument;
  readonly channel: ChannelDocument;
}

/** The system bots, by the local part of their address (endpoints-invitations.md#system-bots). */
export const SYSTEM_BOTS = {
  notification: { local: 'notification-bot', full_name: 'Notification Bot' },
  welcome: { local: 'welcome-bot', full_name: 'Welcome Bot' },
  emailGateway: { local: 'emailgateway', full_name: 'Email Gateway' },
} as const;

const FIRST_CHANNEL = {
  name: 'general',
  description: 'For everything that has no channel of its own',
  topic: 'greetings',
  message:
    'This channel is the first of your organization. Everybody who joins is subscribed to it.',
} as const;

/**
 * Creates an organization in one transaction: system groups, the organization's document, system bots,
 * the owner, a default channel with the owner subscribed, and a message. The caller makes sure that there is
 * none yet.
 */
export function createOrganization(
  tx: Transaction,
  organization: NewOrganization,
  parts: BootstrapParts = {},
): CreatedOrganization {
  createFrame(tx, organization);
  const account = {
    email: organization.ownerEmail,
    full_name: organization.ownerFullName ?? 'Owner',
    password_hash: organization.ownerPasswordHash,
    role: ROLE.owner,
    can_change_user_emails: true,
    channels: [],
  };
  const owner = createUser(tx, account, parts);
  const channel = createFirstChannel(tx, owner);
  subscribeUsers(tx, { channels: [channel], userIds: [owner.user_id] });
  emitDefaultChannels(tx);
  parts.sendNotice?.(tx, { channel, topic: FIRST_CHANNEL.topic }, FIRST_CHANNEL.message);
  return { owner, channel };
}

/** Ids that parts of an organization have already, where it comes from elsewhere. */
export interface KeptIds {
  readonly groups: ReadonlyMap<SystemGroupName, number>;
  /** Of system bots, by the local parts of their addresses. */
  readonly bots: ReadonlyMap<string, number>;
}

/**
 * What every organization has before its people: system groups, its document, and system bots.
 * @param kept ids of some of them; the counters are above these. Others get new ones
 */
export function createFrame(
  tx: Transaction,
  organization: Pick<NewOrganization, 'name' | 'uuid'>,
  kept: KeptIds = { groups: new Map(), bots: new Map() },
): void {
  createRealm(tx, organization, createSystemGroups(tx, kept));
  for (const { local, full_name } of Object.values(SYSTEM_BOTS)) {
    const email = `${local}@${tx.org.site.botDomain}`;
    createSystemBot(tx, { email, full_name, user_id: kept.bots.get(local) });
  }
}

function createRealm(
  tx: Transaction,
  { name, uuid = randomUUID() }: Pick<NewOrganization, 'name' | 'uuid'>,
  groupIds: ReadonlyMap<SystemGroupName, number>,
): void {
  // The organization is served at the root of its address, so it has no subdomain.
  const identity = { name, string_id: '', uuid, date_created: tx.seconds, groupIds };
  tx.org.realm.insert(DEFAULT_REALM(identity));
}

/** The eight system groups in their order (endpoints-groups.md#system-groups). */
function createSystemGroups(tx: Transaction, kept: KeptIds): ReadonlyMap<SystemGroupName, number> {
  const ids = new Map<SystemGroupName, number>();
  for (const group of SYSTEM_GROUPS) {
    const id = kept.groups.get(group.name) ?? tx.org.counters.next('user_group');
    ids.set(group.name, id);
    tx.org.groups.insert(systemGroup(group, ids, tx.seconds));
  }
  return ids;
}

/**
 * The document of a new system group; its subgroup exists already, and nobody has permissions on it.
 * @param ids of the system groups so far, its own included
 * @param seconds creation time, UNIX seconds
 */
export function systemGroup(
  { name, description, subgroup }: SystemGroup,
  ids: ReadonlyMap<SystemGroupName, number>,
  seconds: number,
): GroupDocument {
  return {
    id: ids.get(name)!,
    name,
    description,
    creator_id: null,
    date_created: seconds,
    is_system_group: true,
    members: [],
    direct_subgroup_ids: subgroup === null ? [] : [ids.get(subgroup)!],
    deactivated: false,
    // `role:nobody` is created first, so it names itself.
    ...groupPermissions(ids.get('role:nobody')!),
  };
}

function createFirstChannel(tx: Transaction, creator: UserDocument): ChannelDocument {
  const { name, description } = FIRST_CHANNEL;
  const request = {
    invite_only: false,
    is_web_public: false,
    is_default_stream: true,
    message_retention_days: 'realm_default',
    topics_policy: 'inherit',
  } as const;
  const settings = channelSettings(tx.org, creator, request, () => false);
  return createChannel(
    tx,
    { name, description, rendered_description: `<p>${description}</p>` },
    settings,
  );
}
