/**
 * On whose account something waits: a user ({@link accountOf}), or an address where nobody has logged in; null where nothing is
 * known, which is one account too. A text of an organization other than the first begins with its number.
 */
export type Account = number | string | null;

/** Ids of users of an organization lie below. */
const USERS = 2 ** 32;

/**
 * An account at an organization.
 * @param organization its number at this process, from 0; where there is one organization, accounts are those of `who`
 * @param who a user, by id; an address; null: all who are not known
 */
export function accountOf(organization: number, who: Account): Account {
  if (typeof who === 'number') return organization * USERS + who;
  return organization === 0 ? who : `${organization} ${who ?? ''}`;
}

/** Of which organization an account is. */
export function organizationOf(account: Account): number {
  if (typeof account === 'number') return Math.floor(account / USERS);
  const end = account === null ? -1 : account.indexOf(' ');
  return end < 0 ? 0 : Number(account!.slice(0, end));
}

/**
 * FairQueue holds what waits, each on somebody's account. Organizations take turns, and within one its accounts, so one with
 * very many delays itself and not the others; within an account, first come, first served.
 */
export class FairQueue<T> {
  /** In the order of their turns, as the accounts within them. */
  private readonly organizations = new Map<number, Map<Account, T[]>>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  add(item: T, account: Account): void {
    this.count += 1;
    const organization = organizationOf(account);
    let lists = this.organizations.get(organization);
    if (!lists) this.organizations.set(organization, (lists = new Map<Account, T[]>()));
    const list = lists.get(account);
    if (list) list.push(item);
    else lists.set(account, [item]);
  }

  /** The next one, which leaves; undefined where none waits. */
  take(): T | undefined {
    const { organizations } = this;
    for (const [organization, lists] of organizations) {
      for (const [account, list] of lists) {
        // The account stands behind all others of its organization then, and this behind all others.
        lists.delete(account);
        const item = list.shift()!;
        if (list.length > 0) lists.set(account, list);
        if (lists.size === 0 || organizations.size > 1) organizations.delete(organization);
        if (lists.size > 0) organizations.set(organization, lists);
        this.count -= 1;
        return item;
      }
    }
    return undefined;
  }
}
