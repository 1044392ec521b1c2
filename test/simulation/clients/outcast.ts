import type { Parameters } from '../../system/harness/client.js';
import { SimClient, type CallOptions, type Reply } from './client.js';

/** Accounts that are made in one round at most: a fresh snapshot has all of them. */
const MOST_ACCOUNTS = 12;
/** A connection that somebody may no longer have is over so long after everybody rests, milliseconds. */
const OVER_MS = 8000;
/** Whoever opened it keeps it longer than that. */
const STAY_MS = 300_000;
/** How a page of the server itself asks. */
const OWN_PAGE = { 'Sec-Fetch-Site': 'same-origin' };

/** Something that an account could do until a moment, and what is refused from then on. */
interface Right {
  readonly what: string;
  /** Takes it away. */
  readonly take: () => Promise<Reply | null>;
  /** Asks for it at a node; its refusal is no 200. */
  readonly ask: (options: CallOptions) => Promise<Reply | null>;
  /** Whether open connections end with it. */
  readonly endsConnections: boolean;
}

/** A connection of somebody who lost the right to it. */
interface Opened {
  readonly what: string;
  isOver: boolean;
}

/**
 * Takes rights away, one account after the other, and asks for them at every node from the position on at which they
 * were: an old key, a former password, a session, a channel that was left or closed, an account that ended.
 */
export class Outcasts {
  private number = 0;
  private accounts = 0;
  private readonly opened: Opened[] = [];

  /** @param owner who may do so */
  constructor(private readonly owner: SimClient) {}

  /** Works until the clients rest. */
  async run(): Promise<void> {
    const { world } = this.owner;
    this.accounts = 0;
    while (!world.isResting && !world.isOver) {
      if (this.accounts++ < MOST_ACCOUNTS) await this.one();
      await world.scheduler.pause(world.random.between(0, 2 * world.habits.pauseMs));
    }
  }

  /** No connection goes on of who lost the right to it; everybody rests. */
  async check(when: string): Promise<void> {
    const { world, host } = this.owner;
    const until = world.scheduler.now + OVER_MS;
    while (this.opened.some(({ isOver }) => !isOver) && world.scheduler.now < until)
      await world.scheduler.pause(200);
    for (const { what, isOver } of this.opened.splice(0)) {
      world.counted('connections of who lost the right to them');
      if (!isOver) world.fault(`${host}: ${when}: a connection goes on behind ${what}`);
    }
  }

  private async one(): Promise<void> {
    const { world } = this.owner;
    const { setbacks } = world;
    const account = await this.newAccount();
    if (!account) return;
    const right = await world.random.pick([
      () => this.keyOf(account),
      () => this.passwordOf(account),
      () => this.sessionOf(account),
      () => this.accountOf(account),
      () => this.channelOf(account),
      () => this.openChannelOf(account),
    ])();
    if (!right) return;
    const { key } = account;
    const opened = right.endsConnections ? await this.listening(account, right.what) : null;
    const taken = await right.take();
    if (taken?.status !== 200 || taken.position === null) return;
    if (opened) this.opened.push(opened);
    // As whoever has it noted somewhere.
    if (right.endsConnections) account.key = key;
    for (const { name } of world.nodes) {
      const headers = { 'Parley-Position': String(taken.position) };
      const reply = await right.ask({ headers, node: name });
      if (world.setbacks !== setbacks || world.isOver) return;
      if (reply === null || reply.status === 503) continue;
      world.counted(`asked in vain: ${right.what}`);
      if (reply.status >= 400) continue;
      const { host } = this.owner;
      world.fault(
        `${host}: ${right.what} is good at ${name} at ${taken.position}: ${reply.status}`,
      );
    }
  }

  /** A person who has just begun; null where nobody knows. */
  private async newAccount(): Promise<SimClient | null> {
    const { owner } = this;
    const number = ++this.number;
    const email = `outcast${number}@example.com`;
    const password = passwordOf(number);
    const made = await owner.call('POST', '/users', {
      ...{ email, password, full_name: `Outcast ${number}` },
    });
    if (made?.status !== 200) return null;
    const account = new SimClient(owner.world, owner.host, email);
    const headers = { 'Parley-Position': String(made.position ?? 0) };
    const said = { username: email, password };
    const reply = await account.call('POST', '/fetch_api_key', said, { headers });
    if (reply?.status !== 200) return null;
    account.key = String(reply.body.api_key);
    account.userId = Number(reply.body.user_id);
    return account;
  }

  private async keyOf(account: SimClient): Promise<Right> {
    return {
      what: 'an old key',
      take: () => account.call('POST', '/users/me/api_key/regenerate'),
      ask: (options) => account.call('GET', '/users/me', {}, options),
      endsConnections: true,
    };
  }

  private async accountOf(account: SimClient): Promise<Right> {
    return {
      what: 'the key of an account that ended',
      take: () => this.owner.call('DELETE', `/users/${account.userId}`),
      ask: (options) => account.call('GET', '/users/me', {}, options),
      endsConnections: true,
    };
  }

  private async passwordOf(account: SimClient): Promise<Right> {
    const former = passwordOf(this.number);
    const asked = { username: account.email, password: former };
    return {
      what: 'a former password',
      take: () =>
        account.call('PATCH', '/settings', { old_password: former, new_password: `${former}9` }),
      ask: (options) => anonymous(account).call('POST', '/fetch_api_key', asked, options),
      endsConnections: false,
    };
  }

  private async sessionOf(account: SimClient): Promise<Right | null> {
    const asked = { username: account.email, password: passwordOf(this.number) };
    const page = { base: '/json', headers: OWN_PAGE };
    const begun = await anonymous(account).call('POST', '/sessions', asked, page);
    if (begun?.status !== 200) return null;
    const Cookie = begun.cookies.map((line) => line.split(';', 1)[0]).join('; ');
    return {
      what: 'a session that was ended',
      take: () => account.call('DELETE', '/users/me/sessions'),
      ask: ({ headers, ...options }) =>
        anonymous(account).call(...(['GET', '/users/me', {}] as const), {
          ...options,
          base: '/json',
          headers: { ...headers, ...OWN_PAGE, Cookie },
        }),
      endsConnections: false,
    };
  }

  /** A message of a private channel, which the account has read and starred, and then leaves, or is removed from. */
  private async channelOf(account: SimClient): Promise<Right | null> {
    const { owner } = this;
    const { random } = owner.world;
    const name = `left ${this.number}`;
    const subscriptions = [{ name }];
    const id = await this.messageIn(name, account, true);
    if (id === null) return null;
    const flags = { messages: [id], op: 'add', flag: random.pick(['starred', 'read']) };
    await account.call('POST', '/messages/flags', flags);
    const bySelf = random.chance(0.5);
    const whose = bySelf ? {} : { principals: [account.userId] };
    return {
      what: 'a channel that was left',
      take: () =>
        (bySelf ? account : owner).call('DELETE', '/users/me/subscriptions', {
          ...{ subscriptions: subscriptions.map((one) => one.name), ...whose },
        }),
      ask: (options) => account.call('GET', `/messages/${id}`, {}, options),
      endsConnections: false,
    };
  }

  /** A channel that is closed takes no more messages. */
  private async openChannelOf(account: SimClient): Promise<Right | null> {
    const name = `closed ${this.number}`;
    if ((await this.messageIn(name, account, false)) === null) return null;
    const found = await account.call('GET', '/get_stream_id', { stream: name });
    if (found?.status !== 200) return null;
    const to = Number(found.body.stream_id);
    const said = { type: 'channel', to, topic: 'late', content: 'too late' };
    return {
      what: 'a channel that was closed',
      take: () => this.owner.call('DELETE', `/streams/${to}`),
      ask: (options) => account.call('POST', '/messages', said, options),
      endsConnections: false,
    };
  }

  /** @returns the id of a message that the account may read, of a new channel */
  private async messageIn(
    name: string,
    account: SimClient,
    invite_only: boolean,
  ): Promise<number | null> {
    const { owner } = this;
    const principals = [owner.userId, account.userId];
    const asked: Parameters = { subscriptions: [{ name }], principals, invite_only };
    const made = await owner.call('POST', '/users/me/subscriptions', asked);
    if (made?.status !== 200) return null;
    const said = { type: 'channel', to: name, topic: 'secret', content: `for ${account.email}` };
    const sent = await owner.call('POST', '/messages', said);
    if (sent?.status !== 200) return null;
    const headers = { 'Parley-Position': String(sent.position ?? 0) };
    const id = Number(sent.body.id);
    const read = await account.call('GET', `/messages/${id}`, {}, { headers });
    return read?.status === 200 ? id : null;
  }

  /** A connection that the account has open; null where it has none. */
  private async listening(account: SimClient, what: string): Promise<Opened | null> {
    const { random, scheduler } = account.world;
    const asked = { event_types: ['message'], fetch_event_types: [] };
    const reply = await account.call('POST', '/register', asked);
    if (reply?.status !== 200) return null;
    const { queue_id, last_event_id } = reply.body;
    const opened: Opened = { what, isOver: false };
    const kind = random.pick(['socket', 'stream'] as const);
    const over = (): void => void (opened.isOver = true);
    const at = { queue_id, last_event_id };
    let newest = Number(last_event_id);
    void account
      .listen(kind, at, STAY_MS, (events) => (newest = events.at(-1)?.id ?? newest))
      .then(over);
    // It is open by then, or its node does not answer.
    await scheduler.pause(50);
    return opened;
  }
}

function anonymous({ world, host, email }: SimClient): SimClient {
  return new SimClient(world, host, email);
}

function passwordOf(number: number): string {
  return `willow-outcast-${number}-47`;
}
