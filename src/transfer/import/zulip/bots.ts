/** What bots of a Zulip export have beside their accounts. */
import { BOT_TYPE } from '../../../../schemas/users/user-document.js';
import type { BotDocument, BotService } from '../../../../schemas/users/bots.js';
import { MAX_BOT_STORAGE_KEYS, MAX_BOT_STORAGE_LENGTH } from '../../../../schemas/limits.js';
import { ApiError } from '../../../errors/index.js';
import type { Organization } from '../../../organization/state/organization.js';
import type { Transaction } from '../../../organization/state/transaction.js';
import { checkedConfig } from '../../../organization/users/bot-config.js';
import { checkedService } from '../../../organization/users/bot-service.js';
import type { JsonRow } from '../json-rows.js';
import type { Omissions } from '../import-job.js';
import { integer, integerOrNull, textIn, type LeftOut, type RealmFile } from './realm-file.js';

const NO_BOT = 'of bots that are missing';

/** Adds defaults, outgoing hooks, configurations and storage, once accounts and channels are there. */
export function addBots({ org }: Transaction, file: RealmFile, omissions: Omissions): void {
  const rows = [
    ...file.rows('zerver_userprofile'),
    ...file.rows('zerver_userprofile_mirrordummy'),
  ].filter((row) => row['is_bot'] === true);
  for (const row of rows) org.bots.insert(defaultsIn(org, row));
  file.each('zerver_service', omissions, (row) => addService(org, row));
  file.each('zerver_botconfigdata', omissions, (row) => addConfig(org, row));
  const stored = new Map<number, Storage>();
  file.each('zerver_botstoragedata', omissions, (row) => addToStorage(org, stored, row));
  for (const [user_id, { entries }] of stored) {
    org.botStorage.insert({ user_id, storage: Object.fromEntries(entries) });
  }
}

/** What a bot stored, and its length. */
interface Storage {
  readonly entries: Map<string, string>;
  length: number;
}

function defaultsIn(org: Organization, row: JsonRow): BotDocument {
  const channel = (name: string): number | null => {
    const id = integerOrNull(row, name);
    return id !== null && org.channels.has(id) ? id : null;
  };
  return {
    user_id: integer(row, 'id'),
    default_sending_stream: channel('default_sending_stream'),
    default_events_register_stream: channel('default_events_register_stream'),
    default_all_public_streams: row['default_all_public_streams'] === true,
  };
}

/** The token stays: by it the other side knows who asks. */
function addService(org: Organization, row: JsonRow): LeftOut {
  const userId = integer(row, 'user_profile');
  const bot = org.bots.get(userId);
  if (!bot) return NO_BOT;
  if (org.users.get(userId)!.bot_type !== BOT_TYPE.outgoingWebhook) {
    return 'of bots that are no outgoing webhooks: programs inside the server are not here';
  }
  if (bot.service) return 'beside another one of the same bot';
  try {
    const form = integerOrNull(row, 'interface');
    if (form === null) return 'of a form that is unknown here';
    const url = textIn(row, 'base_url');
    const checked = checkedService(BOT_TYPE.outgoingWebhook, url, form) as BotService;
    org.bots.update(userId, { service: { ...checked, token: textIn(row, 'token') } });
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

function addConfig(org: Organization, row: JsonRow): LeftOut {
  const userId = integer(row, 'bot_profile');
  if (!org.bots.has(userId)) return NO_BOT;
  try {
    const config = checkedConfig({ [textIn(row, 'key')]: row['value'] });
    if (config) org.bots.update(userId, { config_data: config });
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}

function addToStorage(org: Organization, stored: Map<number, Storage>, row: JsonRow): LeftOut {
  const userId = integer(row, 'bot_profile');
  if (!org.bots.has(userId)) return NO_BOT;
  const [key, value] = [textIn(row, 'key'), textIn(row, 'value')];
  const own = stored.get(userId) ?? { entries: new Map<string, string>(), length: 0 };
  const length = own.length + key.length + value.length;
  if (length > MAX_BOT_STORAGE_LENGTH || own.entries.size >= MAX_BOT_STORAGE_KEYS) {
    return `above ${MAX_BOT_STORAGE_LENGTH} characters or ${MAX_BOT_STORAGE_KEYS} keys of a bot`;
  }
  own.entries.set(key, value);
  stored.set(userId, { ...own, length });
  return null;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof ApiError)) throw error;
  return `that are refused here: ${error.message}`;
}
