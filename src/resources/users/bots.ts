import * as descriptors from '../../../schemas/users/bots.js';
import type { BotService } from '../../../schemas/users/bots.js';
import type { ParamsOf, ReplyOf } from '../../../schemas/endpoint.js';
import { BOT_TYPE, ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import { MAX_BOTS_PER_OWNER } from '../../../schemas/limits.js';
import { badRequest, mustBe } from '../../errors/index.js';
import { checkedFullName, isEmailAddress } from '../../organization/accounts/account-checks.js';
import { changeAvatar } from '../../organization/users/avatar-change.js';
import { checkedConfig, type BotConfig } from '../../organization/users/bot-config.js';
import { checkedService, newService } from '../../organization/users/bot-service.js';
import {
  activeBotsOf,
  changeBotConfig,
  changeBotDefaults,
  changeBotService,
  createBot,
  shownDefaults,
  type BotDefaults,
} from '../../organization/users/bots.js';
import { deactivateUser } from '../../organization/users/deactivation.js';
import { changeEmail } from '../../organization/accounts/email-change.js';
import { recordAction } from '../../organization/state/audit.js';
import type { Organization } from '../../organization/state/organization.js';
import { allows, canReadChannel, isAdministrator } from '../../organization/access/permissions.js';
import { changeRole, giveBot } from '../../organization/users/role-change.js';
import { changeFullName } from '../../organization/users/settings-change.js';
import type { Transaction } from '../../organization/state/transaction.js';
import { apiEmail, avatarUrl } from '../../organization/views/user-view.js';
import { handle, handlePrepared, permitting, type AnyHandler } from '../kernel/handler.js';
import {
  onlyFile,
  removeBlobs,
  removePicture,
  storePicture,
  type PictureParts,
} from './picture-upload.js';
import {
  checkedRole,
  regenerateKey,
  type KeyParts,
  type UserAdministrationParts,
} from './user-administration.js';

/** Dependencies of the bot endpoints. */
interface BotParts extends PictureParts, KeyParts, Pick<UserAdministrationParts, 'deactivation'> {}

/** No program of others runs within the server; the same bots run beside it (endpoints-bots.md#embedded-bots). */
const NO_EMBEDDED =
  'Embedded bots are not enabled. Run the bot as a program with the key of a generic bot (bot_type 1), or behind an ' +
  'address as an outgoing webhook bot (bot_type 3).';

/** Bots of people (endpoints-bots.md#bots). */
export function botHandlers(parts: BotParts): AnyHandler[] {
  const { keys } = parts;
  return [
    handle(descriptors.getBots, ({ org }, { user }) => ({
      bots: activeBotsOf(org, user.user_id).map((bot) => ({
        username: apiEmail(org, bot),
        full_name: bot.full_name,
        api_key: keys.derive(bot.user_id, bot.key_version),
        avatar_url: avatarUrl(org, bot),
        ...shownDefaults(org, bot, user),
      })),
    })),
    creation(parts),
    change(parts),
    handle(descriptors.deactivateBot, (tx, { user, params }) => {
      const bot = botOf(tx.org, user, params.bot_id);
      if (!bot.is_active) throw badRequest('User is deactivated');
      deactivateUser(tx, bot, parts.deactivation);
      return {};
    }),
    handle(descriptors.getBotApiKey, (tx, { user, params }) => {
      const bot = botOf(tx.org, user, params.bot_id);
      // With the key an administrator acts as the bot.
      if (bot.bot_owner_id !== user.user_id) {
        const { user_id: id, full_name: name } = bot;
        const fields = [{ name: 'api_key', old: null, new: null }];
        recordAction(tx, { kind: 'bot', id, name, action: 'done', fields });
      }
      return { api_key: keys.derive(bot.user_id, bot.key_version) };
    }),
    handle(descriptors.regenerateBotApiKey, (tx, { user, params }) => ({
      api_key: regenerateKey(tx, botOf(tx.org, user, params.bot_id), parts),
    })),
  ];
}

/**
 * A bot the caller may change: its owner and administrators, owners' bots only owners.
 * @throws ApiError `No such bot`, `Insufficient permission`, `UNAUTHORIZED_PRINCIPAL`
 */
export function botOf(org: Organization, user: UserDocument, botId: number): UserDocument {
  const bot = org.users.get(botId);
  if (!bot?.is_bot || bot.is_system_bot) throw badRequest('No such bot');
  if (bot.bot_owner_id === user.user_id) return bot;
  if (!isAdministrator(user)) throw badRequest('Insufficient permission');
  // Its key would make the administrator an owner.
  if (bot.role === ROLE.owner && user.role !== ROLE.owner) throw mustBe('owner');
  return bot;
}

type CreateParams = ParamsOf<typeof descriptors.createBot>;

/** Checked properties of a new bot. */
interface CheckedBot {
  readonly full_name: string;
  readonly email: string;
  readonly defaults: BotDefaults;
  readonly config: BotConfig | null | undefined;
  readonly service: BotService | null;
}

function creation(parts: BotParts): AnyHandler {
  return handlePrepared(
    descriptors.createBot,
    async (org, request) => {
      // Before the costly work on the picture; checked again below, because the organization may change meanwhile.
      checkedBot(org, request.user, request.params);
      const file = onlyFile(request);
      return file && storePicture(parts, file, request.user.user_id);
    },
    (tx, { user, params }, picture) => {
      const { org } = tx;
      const checked = checkedBot(org, user, params);
      const { bot_type } = params;
      const created = createBot(tx, { ...checked, bot_type, owner: user, picture });
      return {
        user_id: created.user_id,
        api_key: parts.keys.derive(created.user_id, created.key_version),
        avatar_url: avatarUrl(org, created),
        ...shownDefaults(org, created, user),
      };
    },
    (picture) => picture && removePicture(parts, picture),
  );
}

function checkedBot(org: Organization, user: UserDocument, params: CreateParams): CheckedBot {
  requireMayCreate(org, user, params.bot_type);
  const email = botAddress(org, params.short_name);
  const full_name = checkedFullName(org, params.full_name, null);
  requireFreeName(org, full_name, null);
  if (activeBotsOf(org, user.user_id).length >= MAX_BOTS_PER_OWNER) {
    throw badRequest(`Too many bots (maximum ${MAX_BOTS_PER_OWNER}).`);
  }
  const { bot_type, payload_url, interface_type } = params;
  const service = newService(bot_type, payload_url, interface_type);
  const defaults = {
    default_sending_stream: null,
    default_events_register_stream: null,
    default_all_public_streams: false,
    ...checkedDefaults(org, user, params),
  };
  return { full_name, email, defaults, config: checkedConfig(params.config_data), service };
}

/** @throws ApiError for unsupported types of bots, and for callers who may not create one */
function requireMayCreate(org: Organization, user: UserDocument, type: number): void {
  if (type === BOT_TYPE.embedded) throw badRequest(NO_EMBEDDED);
  const types: readonly number[] = Object.values(BOT_TYPE);
  if (!types.includes(type)) throw badRequest('Invalid bot type');
  const { can_create_bots_group, can_create_write_only_bots_group } = org.realm.current;
  if (allows(org, can_create_bots_group, user)) return;
  const writeOnly = type === BOT_TYPE.incomingWebhook;
  if (writeOnly && allows(org, can_create_write_only_bots_group, user)) return;
  throw badRequest('Insufficient permission');
}

/** `{short}-bot@{bot domain}`. @throws ApiError when it is invalid or taken */
function botAddress(org: Organization, shortName: string): string {
  const short = shortName.trim();
  const email = `${short}-bot@${org.site.botDomain}`;
  if (short === '' || !isEmailAddress(email)) throw badRequest('Bad name or username');
  if (org.users.byRealEmail(email)) throw badRequest('Username already in use');
  return email;
}

type DefaultParams = Pick<
  CreateParams,
  'default_sending_stream' | 'default_events_register_stream' | 'default_all_public_streams'
>;

/** The defaults a request names, channels by id. @throws ApiError for a channel the caller cannot see */
function checkedDefaults(
  org: Organization,
  user: UserDocument,
  params: DefaultParams,
): Partial<BotDefaults> {
  const { default_sending_stream: sending, default_events_register_stream: events } = params;
  const all = params.default_all_public_streams;
  const named = (name: string): number | null => {
    if (name === '') return null;
    const channel = org.channels.byName(name.trim());
    if (channel && canReadChannel(org, user, channel)) return channel.stream_id;
    throw badRequest(`Invalid channel name '${name}'`);
  };
  return {
    ...(sending === undefined ? {} : { default_sending_stream: named(sending) }),
    ...(events === undefined ? {} : { default_events_register_stream: named(events) }),
    ...(all === undefined ? {} : { default_all_public_streams: all }),
  };
}

type UpdateParams = ParamsOf<typeof descriptors.updateBot>;

function change(parts: BotParts): AnyHandler {
  const handler = handlePrepared(
    descriptors.updateBot,
    async (org, request) => {
      checkedChange(org, request.user, request.params);
      const file = onlyFile(request);
      return file && storePicture(parts, file, request.user.user_id);
    },
    (tx, { user, params }, picture) => {
      const { bot, owner, role, ...checked } = checkedChange(tx.org, user, params);
      const { user_id } = bot;
      const current = () => tx.org.users.get(user_id)!;
      changeRole(tx, bot, role);
      changeFullName(tx, current(), checked.fullName);
      changeEmail(tx, current(), checked.email);
      if (picture !== null) {
        changeAvatar(tx, current(), picture, (keys) => removeBlobs(parts, keys));
      }
      changeBotDefaults(tx, current(), checked.defaults);
      changeBotService(tx, current(), checked.service);
      if (checked.config !== undefined) changeBotConfig(tx, current(), checked.config);
      if (owner) {
        giveBot(tx, current(), owner);
        renewKey(tx, current(), parts);
        // The request names a role that the caller may give, so the new owner may get a bot above their own role.
        if (params.role !== undefined && mayGiveRole(user, role)) changeRole(tx, current(), role);
      }
      return changedReply(tx, user, current(), owner);
    },
    (picture) => picture && removePicture(parts, picture),
  );
  return permitting((org, user, { path }) => void botOf(org, user, Number(path.bot_id)), handler);
}

/**
 * Gives a bot that changed hands another key, because its former owner knows the old one and would go on as the bot,
 * with whatever role it gets. Incoming webhooks keep theirs: the services that post for them have it, and it can only
 * send.
 */
function renewKey(tx: Transaction, bot: UserDocument, parts: BotParts): void {
  if (bot.bot_type !== BOT_TYPE.incomingWebhook) regenerateKey(tx, bot, parts);
}

function mayGiveRole(user: UserDocument, role: UserDocument['role']): boolean {
  return isAdministrator(user) && role >= user.role;
}

function changedReply(
  tx: Transaction,
  viewer: UserDocument,
  bot: UserDocument,
  owner: UserDocument | null,
): ReplyOf<typeof descriptors.updateBot> {
  const service = tx.org.bots.get(bot.user_id)?.service;
  return {
    full_name: bot.full_name,
    avatar_url: avatarUrl(tx.org, bot),
    service_interface: service?.interface ?? null,
    service_payload_url: service?.base_url ?? null,
    config_data: tx.org.bots.get(bot.user_id)?.config_data ?? null,
    ...shownDefaults(tx.org, bot, viewer),
    ...(owner ? { bot_owner: apiEmail(tx.org, owner) } : {}),
  };
}

/** Checked changes of a bot. @throws ApiError */
function checkedChange(org: Organization, user: UserDocument, params: UpdateParams) {
  const bot = botOf(org, user, params.bot_id);
  const { role, full_name, short_name } = params;
  if (role !== undefined && role !== bot.role && !isAdministrator(user)) {
    throw mustBe('administrator');
  }
  const sameAddress = short_name === undefined || bot.email === addressFor(org, short_name);
  return {
    bot,
    role: checkedRole(org, user, bot, role),
    fullName: checkedBotName(org, bot, full_name),
    email: sameAddress ? bot.email : botAddress(org, short_name),
    defaults: checkedDefaults(org, user, params),
    config: checkedConfig(params.config_data),
    service: checkedService(bot.bot_type, params.service_payload_url, params.service_interface),
    owner: newOwner(org, bot, params.bot_owner_id),
  };
}

function addressFor(org: Organization, shortName: string): string {
  return `${shortName.trim()}-bot@${org.site.botDomain}`;
}

function checkedBotName(org: Organization, bot: UserDocument, raw: string | undefined): string {
  if (raw === undefined || raw.trim() === bot.full_name) return bot.full_name;
  const name = checkedFullName(org, raw, bot.user_id);
  requireFreeName(org, name, bot.user_id);
  return name;
}

/** @throws ApiError when an active account has the name, or one that looks alike */
function requireFreeName(org: Organization, name: string, botId: number | null): void {
  for (const { user_id, is_active } of org.users.namedLike(name)) {
    if (is_active && user_id !== botId) throw badRequest('Name is already in use!');
  }
}

/** The new owner, or null where the owner does not change. @throws ApiError */
function newOwner(
  org: Organization,
  bot: UserDocument,
  ownerId: number | undefined,
): UserDocument | null {
  if (ownerId === undefined || ownerId === bot.bot_owner_id) return null;
  const owner = org.users.get(ownerId);
  if (!owner) throw badRequest('Failed to change owner, no such user');
  if (!owner.is_active) throw badRequest('Failed to change owner, user is deactivated');
  if (owner.is_bot) throw badRequest("Failed to change owner, bots can't own other bots");
  return owner;
}
