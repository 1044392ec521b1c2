import * as descriptors from '../../../schemas/users/bots.js';
import { MAX_BOT_STORAGE_KEYS, MAX_BOT_STORAGE_LENGTH } from '../../../schemas/limits.js';
import { badRequest } from '../../errors/index.js';
import type { Organization } from '../../organization/state/organization.js';
import { handle, type AnyHandler } from '../kernel/handler.js';

type Values = Readonly<Record<string, string>>;

/** Stored data of bots (endpoints-bots.md#bots). */
export function botStorageHandlers(): AnyHandler[] {
  return [
    handle(descriptors.getBotStorage, ({ org }, { user, params }) => {
      const stored = storageOf(org, user.user_id);
      const { keys = Object.keys(stored) } = params;
      return { storage: Object.fromEntries(keys.map((key) => [key, valueOf(stored, key)])) };
    }),
    handle(descriptors.updateBotStorage, (tx, { user, params }) => {
      const { user_id } = user;
      const storage = merged(storageOf(tx.org, user_id), params.storage);
      if (Object.keys(storage).length > MAX_BOT_STORAGE_KEYS) {
        throw badRequest(`Too many keys (maximum ${MAX_BOT_STORAGE_KEYS}).`);
      }
      const length = lengthOf(storage);
      if (length > MAX_BOT_STORAGE_LENGTH) {
        throw badRequest(
          `Cannot set state. Request would require ${length} bytes storage. ` +
            `The current storage limit is ${MAX_BOT_STORAGE_LENGTH}.`,
        );
      }
      tx.org.botStorage.insert({ user_id, storage });
      return {};
    }),
    handle(descriptors.removeBotStorage, (tx, { user, params }) => {
      const { user_id } = user;
      const stored = storageOf(tx.org, user_id);
      const { keys = Object.keys(stored) } = params;
      for (const key of keys) valueOf(stored, key);
      const gone = new Set(keys);
      const kept = Object.entries(stored).filter(([key]) => !gone.has(key));
      if (kept.length === 0) tx.org.botStorage.delete(user_id);
      else tx.org.botStorage.insert({ user_id, storage: Object.fromEntries(kept) });
      return {};
    }),
  ];
}

function storageOf(org: Organization, userId: number): Values {
  return org.botStorage.get(userId)?.storage ?? {};
}

function valueOf(stored: Values, key: string): string {
  if (!Object.hasOwn(stored, key)) throw badRequest('Key does not exist.');
  return stored[key]!;
}

/** As a spread, but also for a key called `__proto__`. */
function merged(stored: Values, added: Values): Values {
  if (Object.keys(added).length > MAX_BOT_STORAGE_KEYS) return added;
  return Object.fromEntries([...Object.entries(stored), ...Object.entries(added)]);
}

/** UTF-8 bytes of all keys and values. */
function lengthOf(storage: Values): number {
  return Object.entries(storage).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
}
