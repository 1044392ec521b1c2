import type { Account } from '../../seed/seed.js';
import { ApiClient } from '../api-client.js';
import type { Address } from '../../exchange/jobs.js';

/** Messages asked for at a time: as many as a server gives. */
const PAGE = 1000;

/** What was there before the bench came to somebody's server. */
interface Before {
  readonly isSubscribed: boolean;
  /** Id of the newest message that the account could see. */
  readonly newest: number;
}

/** What was cleared away, and what could not be. */
export interface Cleared {
  readonly queues: number;
  readonly messages: number;
  /** What is left and why, a line each. */
  readonly left: readonly string[];
}

/** Visit is a run of the bench at a server that is not its own: it leaves as little as it can. */
export class Visit {
  /** Queues that were registered. */
  readonly queueIds = new Set<string>();

  private constructor(
    private readonly account: Account,
    private readonly channel: string,
    private readonly before: Before,
  ) {}

  /** Looks at what is there. Call before anything is made. */
  static async begin(api: ApiClient, account: Account, channel: string): Promise<Visit> {
    const { authorization } = account;
    const own = await api.call('GET', '/users/me/subscriptions', authorization);
    const names = (own.subscriptions as { name: string }[]).map(({ name }) => name);
    const page = await api.call('GET', '/messages', authorization, {
      ...{ anchor: 'newest', num_before: 1, num_after: 0 },
    });
    return new Visit(account, channel, {
      isSubscribed: names.includes(channel),
      newest: (page.messages as { id: number }[])[0]?.id ?? 0,
    });
  }

  /**
   * Ends the queues and deletes the messages of the visit, and unsubscribes. The channel stays, empty: archived, it
   * would keep its name, which the next run needs.
   */
  async clear(address: Address): Promise<Cleared> {
    const api = new ApiClient(address);
    const left: string[] = [];
    const attempt = async (what: string, work: Promise<unknown>[]): Promise<number> => {
      const outcomes = await Promise.allSettled(work);
      const refused = outcomes.filter((one) => one.status === 'rejected');
      if (refused[0]) {
        left.push(`${refused.length} ${what}: ${(refused[0].reason as Error).message}`);
      }
      return work.length - refused.length;
    };
    const { authorization } = this.account;
    const { channel, before } = this;
    try {
      const queues = await attempt(
        'queues',
        [...this.queueIds].map((queue_id) =>
          api.call('DELETE', '/events', authorization, { queue_id }),
        ),
      );
      let messages = 0;
      for (let anchor = before.newest; ;) {
        const ids = await this.messagesAfter(api, anchor);
        if (ids.length === 0) break;
        messages += await attempt(
          'messages',
          ids.map((id) => api.call('DELETE', `/messages/${id}`, authorization)),
        );
        anchor = ids.at(-1)!;
      }
      if (!before.isSubscribed) {
        const subscriptions = JSON.stringify([channel]);
        const path = '/users/me/subscriptions';
        await attempt('subscription', [api.call('DELETE', path, authorization, { subscriptions })]);
      }
      return { queues, messages, left };
    } finally {
      api.close();
    }
  }

  /** Ids of messages of the account in the channel, ascending. */
  private async messagesAfter(api: ApiClient, anchor: number): Promise<number[]> {
    const { authorization, userId } = this.account;
    const page = await api.call('GET', '/messages', authorization, {
      ...{ anchor, include_anchor: 'false', num_before: 0, num_after: PAGE },
      narrow: JSON.stringify([
        ['channel', this.channel],
        ['sender', userId],
      ]),
    });
    return (page.messages as { id: number }[]).map(({ id }) => id);
  }
}
