import type { BotDocument, BotService } from '../../../schemas/users/bots.js';
import { ROLE, type Role, type UserDocument } from '../../../schemas/users/user-document.js';
import type { Audience } from '../../journal/entry.js';
import { blankUser, emitRoleMembership, randomKeyVersion } from '../accounts/accounts.js';
import type { Organization } from '../state/organization.js';
import { emitUserAdd, emitUserUpdate } from '../views/user-events.js';
import type { BotConfig } from './bot-config.js';
import { canSeeChannel, isAdministrator, without } from '../access/permissions.js';
import type { Transaction } from '../state/transaction.js';

/** Default channels of a bot. */
export type BotDefaults = Omit<BotDocument, 'user_id' | 'config_data' | 'service' | 'told_events'>;

const NO_DEFAULTS: BotDefaults = {
  default_sending_stream: null,
  default_events_register_stream: null,
  default_all_public_streams: false,
};

/** A new bot; the caller has checked name, address and channels. */
interface NewBot {
  readonly email: string;
  readonly full_name: string;
  readonly bot_type: number;
  readonly owner: UserDocument;
  readonly defaults: BotDefaults;
  readonly config?: BotConfig | null;
  /** Of an outgoing webhook. */
  readonly service?: BotService | null;
  /** Name of an uploaded picture; absent or null for the organization's default. */
  readonly picture?: string | null;
  readonly newKeyVersion?: () => string;
}

/**
 * Creates a bot with its events in the order of events.md#order, "create user": `realm_user` add,
 * the role groups, `realm_bot` add. New bots have no subscriptions.
 */
export function createBot(tx: Transaction, bot: NewBot): UserDocument {
  const { email, full_name, bot_type, owner, defaults, config, service, picture, newKeyVersion } =
    bot;
  const user = tx.org.users.insert({
    ...blankUser(tx, (newKeyVersion ?? randomKeyVersion)()),
    ...(picture ? { avatar_source: 'U', avatar_file: picture } : {}),
    email,
    full_name,
    // Its owner has its key, so a guest's bot is a guest.
    role: Math.max(ROLE.member, owner.role) as Role,
    is_bot: true,
    bot_type,
    bot_owner_id: owner.user_id,
  });
  tx.org.bots.insert({
    user_id: user.user_id,
    ...defaults,
    ...(config ? { config_data: { ...config } } : {}),
    ...(service ? { service } : {}),
  });
  emitUserAdd(tx, user);
  emitRoleMembership(tx, user, 'add_members');
  tx.emit('realm_bot', botAudience(tx.org, user), {
    op: 'add',
    bot: botObject(tx.org, user, owner),
  });
  return user;
}

/** A bot's stored defaults. */
function botDefaults(org: Organization, bot: UserDocument): BotDefaults {
  return org.bots.get(bot.user_id) ?? NO_DEFAULTS;
}

/**
 * A bot's defaults as a viewer sees them: channels by name, without those that they see no longer, whose names may be
 * others by now. @param viewer absent for the bot's own queues, which get what the channel's rules give
 */
export function shownDefaults(org: Organization, bot: UserDocument, viewer?: UserDocument) {
  const stored = botDefaults(org, bot);
  const name = (id: number | null): string | null => {
    const channel = id === null ? undefined : org.channels.get(id);
    return channel && (!viewer || canSeeChannel(org, viewer, channel)) ? channel.name : null;
  };
  return {
    default_sending_stream: name(stored.default_sending_stream),
    default_events_register_stream: name(stored.default_events_register_stream),
    default_all_public_streams: stored.default_all_public_streams,
  };
}

/** Defaults of a bot's event queues; undefined for people. */
export function botQueueDefaults(org: Organization, user: UserDocument) {
  return user.is_bot ? shownDefaults(org, user) : undefined;
}

/** The `bot` object of `realm_bot` add and of the snapshot (events-people.md#people), for a viewer. */
function botObject(org: Organization, bot: UserDocument, viewer: UserDocument) {
  const { user_id } = bot;
  return { user_id, ...shownDefaults(org, bot, viewer), services: servicesOf(org, bot) };
}

/** The service of an outgoing webhook; other bots have none. */
function servicesOf(org: Organization, bot: UserDocument): BotService[] {
  const service = org.bots.get(bot.user_id)?.service;
  return service ? [service] : [];
}

/** Gives an outgoing webhook another address or form; emits it to the bot's audience. */
export function changeBotService(
  tx: Transaction,
  bot: UserDocument,
  change: Partial<Pick<BotService, 'base_url' | 'interface'>>,
): void {
  const { org } = tx;
  const document = org.bots.get(bot.user_id);
  if (!document?.service) return;
  const service = { ...document.service, ...change };
  const { base_url, interface: form } = document.service;
  if (service.base_url === base_url && service.interface === form) return;
  org.bots.insert({ ...document, service });
  const data = { op: 'update', bot: { user_id: bot.user_id, services: [service] } } as const;
  tx.emit('realm_bot', botAudience(org, bot), data);
}

/** Audience of `realm_bot` events: the owner and administrators, ascending. */
function botAudience(org: Organization, bot: UserDocument): Audience {
  const users = [...org.users.active].filter((id) => seesBot(org.users.get(id)!, bot));
  return { to: 'users', users: users.sort((a, b) => a - b) };
}

/** Whether a viewer's `realm_bots` list a bot. */
function seesBot(viewer: UserDocument, bot: UserDocument): boolean {
  return bot.bot_owner_id === viewer.user_id || isAdministrator(viewer);
}

/** The bots of the organization, active or not, system bots excluded. */
function* realmBots(org: Organization): Generator<UserDocument> {
  for (const id of org.users.bots) yield org.users.get(id)!;
}

/** `realm_bots` of the snapshot: own bots, or all for administrators (register.md#sections). */
export function botsSeenBy(org: Organization, viewer: UserDocument): Record<string, unknown>[] {
  return [...realmBots(org)]
    .filter((bot) => seesBot(viewer, bot))
    .map((bot) => botObject(org, bot, viewer));
}

/** Bots of a user, active or not, ascending. */
export function botsOf(org: Organization, ownerId: number): UserDocument[] {
  return [...realmBots(org)]
    .filter((bot) => bot.bot_owner_id === ownerId)
    .sort((a, b) => a.user_id - b.user_id);
}

/** Active bots of a user, ascending. */
export function activeBotsOf(org: Organization, ownerId: number): UserDocument[] {
  return botsOf(org, ownerId).filter((bot) => bot.is_active);
}

/** Changes a bot's defaults, already checked; emits what changed to the bot's audience, as each of them sees it. */
export function changeBotDefaults(
  tx: Transaction,
  bot: UserDocument,
  change: Partial<BotDefaults>,
): void {
  const { org } = tx;
  const { user_id } = bot;
  const before = shownDefaults(org, bot);
  org.bots.insert({ user_id, ...botDefaults(org, bot), ...change });
  const all = shownDefaults(org, bot);
  const names = (Object.keys(all) as (keyof typeof all)[]).filter(
    (name) => before[name] !== all[name],
  );
  if (names.length === 0) return;
  const emit = (to: Audience, seen: typeof all) => {
    const changed = Object.fromEntries(names.map((name) => [name, seen[name]]));
    tx.emit('realm_bot', to, { op: 'update', bot: { user_id, ...changed } });
  };
  const audience = botAudience(org, bot);
  const owner = bot.bot_owner_id === null ? undefined : org.users.get(bot.bot_owner_id);
  // An administrator may have chosen a channel that its owner does not see; administrators see all of them.
  const ofOwner = owner?.is_active ? shownDefaults(org, bot, owner) : all;
  if (!owner || names.every((name) => ofOwner[name] === all[name])) return emit(audience, all);
  emit(without(audience, [owner.user_id]), all);
  emit({ to: 'users', users: [owner.user_id] }, ofOwner);
}

/** Gives a bot another configuration, or none; clients get no event of it. */
export function changeBotConfig(
  tx: Transaction,
  bot: UserDocument,
  config: BotConfig | null,
): void {
  const { bots } = tx.org;
  const { config_data: _before, ...rest } = bots.get(bot.user_id) ?? {
    user_id: bot.user_id,
    ...NO_DEFAULTS,
  };
  bots.insert({ ...rest, ...(config ? { config_data: { ...config } } : {}) });
}

/**
 * Changes a bot's owner: emits `realm_user` to everybody, `realm_bot` add to the new owner and delete to
 * the former one, unless they are administrators, who see all bots (events.md#variants and
 * events-people.md#people).
 */
export function changeBotOwner(
  tx: Transaction,
  bot: UserDocument,
  owner: UserDocument,
): UserDocument {
  if (bot.bot_owner_id === owner.user_id) return bot;
  const { org } = tx;
  const { user_id } = bot;
  const former = bot.bot_owner_id === null ? undefined : org.users.get(bot.bot_owner_id);
  const changed = org.users.update(user_id, { bot_owner_id: owner.user_id });
  emitUserUpdate(tx, { user_id, bot_owner_id: owner.user_id }, { to: 'all' });
  if (former?.is_active && !isAdministrator(former)) {
    const audience: Audience = { to: 'users', users: [former.user_id] };
    tx.emit('realm_bot', audience, { op: 'delete', bot: { user_id } });
  }
  if (!isAdministrator(owner)) {
    const audience: Audience = { to: 'users', users: [owner.user_id] };
    tx.emit('realm_bot', audience, { op: 'add', bot: botObject(org, changed, owner) });
  }
  return changed;
}

/** Emits other users' bots to a user who became an administrator, and their removal to one who ceased to be. */
export function emitBotsTo(tx: Transaction, viewer: UserDocument, formerRole: Role): void {
  const was = formerRole <= ROLE.administrator;
  const is = isAdministrator(viewer);
  if (was === is) return;
  const audience: Audience = { to: 'users', users: [viewer.user_id] };
  for (const bot of realmBots(tx.org)) {
    if (bot.bot_owner_id === viewer.user_id) continue;
    const { user_id } = bot;
    tx.emit(
      'realm_bot',
      audience,
      is ? { op: 'add', bot: botObject(tx.org, bot, viewer) } : { op: 'delete', bot: { user_id } },
    );
  }
}
