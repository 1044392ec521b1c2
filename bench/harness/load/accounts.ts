import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Account } from '../../seed/seed.js';
import { basicAuthorization, type ApiClient } from '../api-client.js';

/** What accounts need of it. */
type Api = Pick<ApiClient, 'call'>;

/** Whose accounts a load at a running server has: those of a file, or new ones for as long as it lasts. */
export type AccountSource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'made'; readonly count: number };

export interface Accounts {
  readonly accounts: readonly Account[];
  /** Takes back what was made; returns what is left, a line each. */
  remove(api: Api): Promise<string[]>;
  /** How many accounts of a run that broke off were deactivated. */
  readonly leftover: number;
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
  api: Api,
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
  return { accounts, remove: () => Promise.resolve([]), leftover: 0 };
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

/** From so many seconds on a run is over, wherever it was. */
const LONGEST_RUN_S = 24 * 3600;
/** Address of an account that was made: of which machine, which process, and which run. */
const MADE = /^bench-(?:([0-9a-f]{6})-(\d+)-)?[0-9a-f]{8}-\d+@/;

/** Tells machines apart, as a part of an address. */
function machineName(): string {
  return createHash('sha256').update(hostname()).digest('hex').slice(0, 6);
}

interface ListedUser {
  readonly user_id: number;
  readonly email: string;
  readonly delivery_email?: string | null;
  readonly full_name: string;
  readonly is_active: boolean;
  readonly date_joined: string;
}

/** Whether an account was made for a run that is over: its process is gone, or it began long ago. */
function isLeftover(user: ListedUser): boolean {
  const [made, machine, pid] = MADE.exec(user.delivery_email ?? user.email) ?? [];
  if (made === undefined || !user.is_active || !user.full_name.startsWith('Bench ')) return false;
  if (machine === machineName()) return !existsSync(`/proc/${pid}`);
  return Date.now() - Date.parse(user.date_joined) > LONGEST_RUN_S * 1000;
}

/** Deactivates accounts that a run made which broke off. @returns how many */
async function removeLeftover(api: Api, authorization: string): Promise<number> {
  const { members } = await api.call('GET', '/users', authorization);
  const left = (members as ListedUser[]).filter(isLeftover);
  await inTurns(left, ({ user_id }) => api.call('DELETE', `/users/${user_id}`, authorization));
  return left.length;
}

async function makeAccounts(
  count: number,
  api: Api,
  { email, authorization }: { readonly email: string; readonly authorization: string },
): Promise<Accounts> {
  const leftover = await removeLeftover(api, authorization);
  const run = `${machineName()}-${process.pid}-${randomBytes(4).toString('hex')}`;
  const password = randomBytes(24).toString('base64url');
  const domain = email.slice(email.indexOf('@') + 1);
  const made: number[] = [];
  const remove = async (api: Api): Promise<string[]> => {
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
    return { accounts, remove, leftover };
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
