import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Account } from '../../seed/seed.js';
import { basicAuthorization, type ApiClient } from '../api-client.js';

/** Whose accounts a load at a running server has: those of a file, or new ones for as long as it lasts. */
export type AccountSource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'made'; readonly count: number };

export interface Accounts {
  readonly accounts: readonly Account[];
  /** Takes back what was made; returns what is left, a line each. */
  remove(api: ApiClient): Promise<string[]>;
}

/** A server hashes a password for each, which takes a core some hundredths of a second. */
const MADE_AT_ONCE = 4;

/**
 * The accounts of a source.
 * @param owner makes new ones, and needs the right to
 * @throws Error when a line of a file is no `ADDRESS:KEY`, or the server refuses an account
 */
export async function openAccounts(
  source: AccountSource,
  api: ApiClient,
  owner: { readonly email: string; readonly authorization: string },
): Promise<Accounts> {
  if (source.kind === 'made') return makeAccounts(source.count, api, owner);
  const accounts = await inTurns(linesOf(source.path), async ([email, key]): Promise<Account> => {
    const authorization = basicAuthorization(email, key);
    const me = await api.call('GET', '/users/me', authorization).catch((error: Error) => {
      throw new Error(`${source.path}: ${email}: ${error.message}`);
    });
    return { userId: Number(me.user_id), authorization };
  });
  return { accounts, remove: () => Promise.resolve([]) };
}

function linesOf(path: string): (readonly [string, string])[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  const credentials = lines.flatMap((line, i) => {
    if (line.trim() === '' || line.startsWith('#')) return [];
    const [, email, key] = /^([^\s:]+@[^\s:]+):(\S+)\s*$/.exec(line) ?? [];
    if (email === undefined || key === undefined) {
      throw new Error(`${path}, line ${i + 1}: an account is ADDRESS:KEY`);
    }
    return [[email, key] as const];
  });
  if (credentials.length === 0) throw new Error(`${path} names no account`);
  return credentials;
}

async function makeAccounts(
  count: number,
  api: ApiClient,
  { email, authorization }: { readonly email: string; readonly authorization: string },
): Promise<Accounts> {
  const run = randomBytes(4).toString('hex');
  const password = randomBytes(24).toString('base64url');
  const domain = email.slice(email.indexOf('@') + 1);
  const made: number[] = [];
  const remove = async (api: ApiClient): Promise<string[]> => {
    const left = await inTurns(made, (id) =>
      api.call('DELETE', `/users/${id}`, authorization).then(
        () => [],
        (error: Error) => [`account ${id}: ${error.message}`],
      ),
    );
    return left.flat();
  };
  try {
    const numbers = Array.from({ length: count }, (_, i) => i + 1);
    const accounts = await inTurns(numbers, async (i): Promise<Account> => {
      const address = `bench-${run}-${i}@${domain}`;
      const user = { email: address, full_name: `Bench ${run} ${i}`, password };
      const { user_id } = await api.call('POST', '/users', authorization, user);
      made.push(Number(user_id));
      const login = { username: address, password };
      const { api_key } = await api.call('POST', '/fetch_api_key', '', login);
      return {
        userId: Number(user_id),
        authorization: basicAuthorization(address, String(api_key)),
      };
    });
    return { accounts, remove };
  } catch (error) {
    await remove(api);
    throw error;
  }
}

/** Works on a list, some items at a time. */
async function inTurns<I, O>(items: readonly I[], work: (item: I) => Promise<O>): Promise<O[]> {
  const results: O[] = [];
  for (let i = 0; i < items.length; i += MADE_AT_ONCE) {
    results.push(...(await Promise.all(items.slice(i, i + MADE_AT_ONCE).map(work))));
  }
  return results;
}
