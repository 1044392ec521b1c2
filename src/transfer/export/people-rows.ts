/** Accounts, bots, subscriptions and conversations as rows of a Zulip export. */
import { SETTING_NAMES } from '../../../schemas/users/user-settings.js';
import { BOT_TYPE, type UserDocument } from '../../../schemas/users/user-document.js';
import { SYSTEM_BOTS } from '../../organization/realm/bootstrap.js';
import type { Organization } from '../../organization/state/organization.js';
import { REALM_ID } from '../../organization/uploads/attachments.js';
import { coded, USER_CODES } from '../import/zulip/codes.js';
import type { Recipients } from './recipients.js';
import { rowOf, type Tables } from './tables.js';

const realm = REALM_ID;

/** System bots have the same addresses in every export. */
const SYSTEM_DOMAIN = 'zulip.com';

export function addPeople(org: Organization, tables: Tables, recipients: Recipients): void {
  for (const user of org.users.values()) {
    const recipient = recipients.person(user);
    if (user.is_system_bot) {
      const email = `${localPartOf(user)}@${SYSTEM_DOMAIN}`;
      const row = { id: user.user_id, email, recipient_id: recipient };
      tables.add('zerver_userprofile_crossrealm', row);
    } else tables.add('zerver_userprofile', { ...accountRow(org, user), recipient });
  }
  const { subscriptions, users, channels } = org;
  for (const { user_id, stream_id, spans: _spans, ...said } of subscriptions.values()) {
    const { introduced_again: _introduced, ...choices } = said;
    const channel = channels.get(stream_id)!;
    recipients.subscribe(users.get(user_id)!, channel.recipient_id, choices);
  }
  addBots(org, tables);
}

function localPartOf({ email }: UserDocument): string {
  const [local = ''] = email.split('@');
  const known = Object.values(SYSTEM_BOTS).find((one) => one.local === local);
  return known?.local ?? SYSTEM_BOTS.notification.local;
}

function accountRow(org: Organization, user: UserDocument): Record<string, unknown> {
  const { user_id } = user;
  const settings = SETTING_NAMES.map((name) => {
    return [name, coded(USER_CODES[name], org.settings.value(user_id, name))] as const;
  });
  const bot = org.bots.get(user_id);
  return {
    ...rowOf(settings),
    id: user_id,
    // What others see of an address that its owner hides.
    email: addressThere(`user${user_id}@${org.site.botDomain}`, user_id),
    delivery_email: addressThere(user.email, user_id),
    full_name: user.full_name,
    role: user.role,
    is_active: user.is_active,
    is_bot: user.is_bot,
    bot_type: user.bot_type,
    bot_owner: user.bot_owner_id,
    date_joined: user.date_joined / 1000,
    avatar_source: user.avatar_source,
    avatar_version: user.avatar_version,
    is_imported_stub: user.is_imported_stub,
    is_deleted: user.is_deleted === true,
    can_create_users: user.creates_users === true,
    can_change_user_emails: user.can_change_user_emails === true,
    default_sending_stream: bot?.default_sending_stream ?? null,
    default_events_register_stream: bot?.default_events_register_stream ?? null,
    default_all_public_streams: bot?.default_all_public_streams ?? false,
    ...OF_THAT_SERVER,
    realm,
  };
}

/** Columns that say nothing here, and that an import there asks for. */
const OF_THAT_SERVER = {
  can_forge_sender: false,
  is_mirror_dummy: false,
  is_staff: false,
  is_superuser: false,
  last_active_message_id: null,
  last_login: null,
  last_reminder: null,
  long_term_idle: false,
  rate_limits: '',
  third_party_api_state: {},
  tos_version: null,
  // Rights of the framework, which every reader removes without asking whether they are there.
  groups: [],
  user_permissions: [],
};

/** What Zulip takes as an address: ASCII, unquoted, and a domain of at least two labels or none but this one. */
const ADDRESS =
  /^[-!#$%&'*+/=?^_`{}|~0-9a-z]+(?:\.[-!#$%&'*+/=?^_`{}|~0-9a-z]+)*@(?:localhost|(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!-)[a-z0-9-]{2,63}(?<!-))$/i;

/** Domain of addresses that reach nobody: no other server has it. */
const NOWHERE = 'parley.invalid';

/** An address as Zulip checks those of an import: bots of a server without a name have the number of its machine. */
export function addressThere(email: string, userId: number): string {
  if (ADDRESS.test(email)) return email;
  const [local = ''] = email.split('@');
  const moved = `${local}@${NOWHERE}`;
  return ADDRESS.test(moved) ? moved : `user${userId}@${NOWHERE}`;
}

function addBots({ bots, botStorage, users }: Organization, tables: Tables): void {
  for (const { user_id, service, config_data = {} } of bots.values()) {
    if (service && users.get(user_id)!.bot_type === BOT_TYPE.outgoingWebhook) {
      const { full_name: name } = users.get(user_id)!;
      tables.add('zerver_service', { user_profile: user_id, name, ...service });
    }
    for (const [key, value] of Object.entries(config_data)) {
      tables.add('zerver_botconfigdata', { bot_profile: user_id, key, value });
    }
  }
  for (const { user_id, storage } of botStorage.values()) {
    for (const [key, value] of Object.entries(storage)) {
      tables.add('zerver_botstoragedata', { bot_profile: user_id, key, value });
    }
  }
}
