/**
 * On whose account something waits: a user, or an address where nobody has logged in; null where nothing is known, which is
 * one account too.
 */
export type Account = number | string | null;

/**
 * FairQueue holds what waits, each on somebody's account. Accounts take turns, so one with very many delays itself and
 * not the others; within an account, first come, first served.
 */
export class FairQueue<T> {
  /** In the order of their turns. */
  private readonly lists = new Map<Account, T[]>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  add(item: T, account: Account): void {
    this.count += 1;
    const list = this.lists.get(account);
    if (list) list.push(item);
    else this.lists.set(account, [item]);
  }

  /** The next one, which leaves; undefined where none waits. */
  take(): T | undefined {
    for (const [account, list] of this.lists) {
      // The account stands behind all others then.
      this.lists.delete(account);
      const item = list.shift()!;
      if (list.length > 0) this.lists.set(account, list);
      this.count -= 1;
      return item;
    }
    return undefined;
  }
}
