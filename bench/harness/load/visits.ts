import type { Address } from '../../exchange/jobs.js';
import type { Account } from '../../seed/seed.js';
import { ApiClient } from '../api-client.js';
import { openAccounts, type Accounts, type AccountSource } from './accounts.js';
import { Visit } from './visit.js';

/** Standard output is for results. */
function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Visits are those of all accounts of a load at a server that is not the bench's own. */
export class Visits {
  private readonly visits = new Map<string, Visit>();
  private accounts: Accounts | null = null;

  constructor(
    private readonly address: Address,
    private readonly channel: string,
  ) {}

  /**
   * Looks at what is there, for the owner of the load and whoever else takes part.
   * @param join called for each, after the look
   * @returns who the clients are
   */
  async begin(
    api: ApiClient,
    owner: Account & { readonly email: string },
    source: AccountSource | null,
    join: (account: Account) => Promise<void>,
  ): Promise<readonly Account[]> {
    if (source) this.accounts = await openAccounts(source, api, owner);
    const leftover = this.accounts?.leftover ?? 0;
    if (leftover > 0) tell(`Deactivated ${leftover} accounts that a run left which broke off`);
    const members = this.accounts?.accounts ?? [owner];
    for (const account of [owner, ...members]) {
      const { authorization } = account;
      // A file may name the owner, too.
      if (this.visits.has(authorization)) continue;
      this.visits.set(authorization, await Visit.begin(api, account, this.channel));
      await join(account);
    }
    return members;
  }

  registered(authorization: string, queueId: string): void {
    this.visits.get(authorization)?.queueIds.add(queueId);
  }

  ended(authorization: string, queueId: string): void {
    this.visits.get(authorization)?.queueIds.delete(queueId);
  }

  /** Clears away what was made, and says what is left. */
  async leave(): Promise<void> {
    let [queues, messages] = [0, 0];
    const left: string[] = [];
    for (const visit of this.visits.values()) {
      const cleared = await visit.clear(this.address);
      queues += cleared.queues;
      messages += cleared.messages;
      left.push(...cleared.left);
    }
    tell(`Cleared away ${queues} queues and ${messages} messages`);
    if (this.accounts) left.push(...(await this.removeAccounts(this.accounts)));
    for (const line of left) tell(`Left: ${line}`);
  }

  private async removeAccounts(accounts: Accounts): Promise<string[]> {
    // On new connections: the others were idle for as long as the load took.
    const api = new ApiClient(this.address);
    try {
      return await accounts.remove(api);
    } finally {
      api.close();
    }
  }
}
