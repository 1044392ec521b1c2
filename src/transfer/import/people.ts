/** Accounts, channels and subscriptions of an organization that comes from elsewhere. */
import type { ChannelDocument } from '../../../schemas/channels/channel.js';
import {
  SUBSCRIPTION_DEFAULTS,
  type SubscriptionDocument,
} from '../../../schemas/channels/subscriptions.js';
import { MAX_STREAM_DESCRIPTION_LENGTH, MAX_STREAM_NAME_LENGTH } from '../../../schemas/limits.js';
import { ACCOUNT_DEFAULTS, type UserDocument } from '../../../schemas/users/user-document.js';
import { DEFAULT_USER_SETTINGS, type UserSettings } from '../../../schemas/users/user-settings.js';
import { isEmailAddress, suitableFullName } from '../../organization/accounts/account-checks.js';
import { randomKeyVersion } from '../../organization/accounts/accounts.js';
import {
  channelDescription,
  defaultChannelPermissions,
} from '../../organization/channels/channel-creation.js';
import { renderFor } from '../../organization/messages/sending/outgoing-message.js';
import type { Transaction } from '../../organization/state/transaction.js';
import { nextColor } from '../../organization/views/channel-colors.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { withoutInvalidCharacters } from '../../services/text/stored-text.js';
import type { Omissions } from './import-job.js';

/** An account; no password comes with it. */
export interface ImportedAccount
  extends
    Pick<UserDocument, 'user_id' | 'email' | 'full_name' | 'role' | 'is_active' | 'date_joined'>,
    Partial<
      Pick<
        UserDocument,
        | 'is_bot'
        | 'bot_type'
        | 'bot_owner_id'
        | 'avatar_source'
        | 'is_imported_stub'
        | 'is_deleted'
        | 'creates_users'
        | 'can_change_user_emails'
      >
    > {
  readonly settings?: Partial<UserSettings>;
}

/**
 * Adds an account with its id; the caller raises the counter. A person who may log in is the stub of an import until the
 * first login, which sets the date of joining (specification-resources.md#user-profile-object); an archive may say
 * otherwise. Who was deactivated is none: a stub is not activated again. A name becomes one that may be given here.
 */
export function addAccount(
  tx: Transaction,
  { settings, ...account }: ImportedAccount,
  omissions: Omissions,
): void {
  const { org } = tx;
  const full_name = suitableFullName(account.full_name) || `User ${account.user_id}`;
  if (full_name !== account.full_name.trim()) {
    omissions.add(
      'people with another name here: theirs was empty, too long or not allowed',
      full_name,
    );
  }
  org.users.insert({
    ...ACCOUNT_DEFAULTS,
    avatar_source: org.realm.current.default_avatar_source,
    key_version: randomKeyVersion(),
    is_imported_stub: account.is_active && account.is_bot !== true,
    ...account,
    full_name,
  });
  const chosen = Object.entries(settings ?? {}).filter(
    ([name, value]) => value !== DEFAULT_USER_SETTINGS[name as keyof UserSettings],
  );
  if (chosen.length === 0) return;
  const own = Object.fromEntries(chosen);
  org.settings.insert({ ...own, user_id: account.user_id, edited: Object.keys(own) });
}

/**
 * The address of an account: its own, or, where that is missing, another account's or none, one that reaches nobody.
 * @param local part of the address in its place. @param who for the operator; null for a program, which needs none
 */
export function addressFor(
  { org }: Transaction,
  given: string,
  local: string,
  who: string | null,
  omissions: Omissions,
): string {
  const isFree = given !== '' && org.users.byRealEmail(given) === undefined;
  if (isFree && (who === null || isEmailAddress(given))) return given;
  if (who !== null) {
    omissions.add('addresses of accounts, which are missing, taken, or no addresses', who);
  }
  return `${local}@${org.site.botDomain}`;
}

/** A channel; what it leaves out is as for a new one. */
export type ImportedChannel = Pick<
  ChannelDocument,
  | 'stream_id'
  | 'recipient_id'
  | 'name'
  | 'description'
  | 'date_created'
  | 'creator_id'
  | 'invite_only'
  | 'history_public_to_subscribers'
  | 'is_archived'
> &
  Partial<ChannelDocument>;

/** Adds a channel with its ids, once the accounts are there; the caller raises the counters. */
export function addChannel(
  tx: Transaction,
  markdown: Markdown,
  omissions: Omissions,
  channel: ImportedChannel,
): void {
  const { org } = tx;
  const given = channel.name.trim();
  const allowed = withoutInvalidCharacters(given).trim();
  const name = freeName(org, allowed === '' ? `channel ${channel.stream_id}` : allowed);
  if (name !== given) {
    const why = 'theirs was empty, too long, taken or not allowed';
    omissions.add(`channels with another name here: ${why}`, name);
  }
  const description = descriptionOf(channel.description, name, omissions);
  org.channels.insert({
    ...defaultChannelPermissions(org, channel.creator_id),
    is_web_public: false,
    is_default: false,
    message_retention_days: null,
    folder_id: null,
    topics_policy: 'inherit',
    ...channel,
    name,
    description,
    rendered_description: renderFor(org, markdown, anybody(tx), description).html,
  });
}

/** A description on one line, short enough and without U+0000. */
function descriptionOf(given: string, name: string, omissions: Omissions): string {
  const whole = channelDescription(given.toWellFormed().replaceAll('\0', ''));
  const letters = [...whole];
  if (letters.length <= MAX_STREAM_DESCRIPTION_LENGTH) return whole;
  const what = `descriptions of channels above ${MAX_STREAM_DESCRIPTION_LENGTH} characters, which were cut`;
  omissions.add(what, name);
  return `${letters.slice(0, MAX_STREAM_DESCRIPTION_LENGTH - 1).join('')}…`;
}

/** What says what a channel is about, in two places elsewhere, and in one here. */
export function joinedDescription(...parts: readonly string[]): string {
  const said = parts.map((one) => one.trim()).filter((one) => one !== '');
  return [...new Set(said)].join(' · ');
}

/** A name as it may be here: short enough, and no other channel's. */
function freeName({ channels }: Transaction['org'], given: string): string {
  const letters = [...given];
  let name = letters.slice(0, MAX_STREAM_NAME_LENGTH).join('');
  for (let i = 2; channels.byName(name) !== undefined; i++) {
    const suffix = ` (${i})`;
    name = letters.slice(0, MAX_STREAM_NAME_LENGTH - suffix.length).join('') + suffix;
  }
  return name;
}

/** Personal part of a subscription. */
export type SubscriptionChoices = Partial<
  Pick<SubscriptionDocument, 'color' | keyof typeof SUBSCRIPTION_DEFAULTS>
>;

/** Subscribes somebody, from the first message on. @param active false: a former subscriber's choices */
export function addSubscription(
  tx: Transaction,
  userId: number,
  streamId: number,
  active: boolean,
  { color, ...choices }: SubscriptionChoices = {},
): void {
  const { subscriptions } = tx.org;
  const own = subscriptions.ofUser(userId);
  const used = new Set(Array.from(own.values(), (one) => one.color));
  subscriptions.insert({
    ...SUBSCRIPTION_DEFAULTS,
    ...choices,
    user_id: userId,
    stream_id: streamId,
    active,
    spans: active ? [[1, null]] : [],
    color: color ?? nextColor(used, own.size),
  });
}

/** In whose name texts of the organization are rendered, which name nobody. */
export function anybody({ org }: Transaction): UserDocument {
  const [first] = org.users.values();
  return first!;
}
