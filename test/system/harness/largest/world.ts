import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import { seedOrganization, type Account } from '../../../../bench/seed/seed.js';
import { MAX_SCHEDULED_LENGTH, MAX_SUBMESSAGES_LENGTH } from '../../../../schemas/limits.js';
import { updateSettings } from '../../../../schemas/users/settings.js';
import { ApiClient, type Body } from '../client.js';
import { send, type LargestCall } from './call.js';
import { fullScale, scaled } from '../scale.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../server.js';

/** Sizes of the organization that the largest requests are made in: those of the issue at full scale. */
export const SIZES = {
  people: scaled(300, 10_000),
  messages: scaled(2000, 100_000),
  /** Messages of a topic that is moved and deleted. */
  inTopic: scaled(200, 10_000),
  /** Messages of 10,000 characters each. */
  long: scaled(100, 5000),
  queues: scaled(50, 2000),
};

const SPARE = 20;

/** Requests by the operation that they ask for. */
export type Rows = Readonly<Record<string, (world: World) => LargestCall | readonly LargestCall[]>>;

/** A number at full scale, or as many as keep a run short. */
export function upTo(full: number, modest = 200): number {
  return scaled(Math.min(full, modest), full);
}

/** Requests that only an organization of full size can make. */
export function atFullScale(...calls: readonly LargestCall[]): readonly LargestCall[] {
  return fullScale ? calls : [];
}

/** What the rows of the table work with. */
export interface World {
  readonly url: string;
  readonly owner: ApiClient;
  /** Ids of the people who were seeded, ascending. */
  readonly people: readonly number[];
  readonly accounts: readonly Account[];
  /** People who are not among them, for what changes a person for good. */
  readonly spare: readonly Account[];
  /** A channel that everybody subscribes to. */
  readonly everybody: number;
  /** Ids of its messages, ascending; those sent for the rows come later. */
  readonly messages: readonly number[];
  /** Messages of 10,000 characters, in a channel of their own. */
  readonly longMessages: readonly number[];
  readonly long: number;
  /** A poll with nearly as many long options as there may be. */
  readonly poll: number;
  /** An incoming webhook bot of the owner. */
  readonly hook: ApiClient;
  /** A channel of two large topics, `topic 0` and `topic 1`. */
  readonly topics: number;
  readonly topicMessages: readonly number[];
  /** A new id or name at each call. */
  readonly fresh: () => number;
}

/** An option of 1,000 characters as JSON, at most. */
const OPTION_LENGTH = 1100;

async function largePoll(owner: ApiClient): Promise<number> {
  const message_id = await owner.say('/poll Which?', 'everybody');
  for (let idx = 0; idx < scaled(50, MAX_SUBMESSAGES_LENGTH / OPTION_LENGTH - 1); idx++) {
    const option = { type: 'new_option', idx, option: `${idx}`.padEnd(1000, 'y') };
    const content = JSON.stringify(option);
    await owner.ok('POST', '/submessage', { message_id, msg_type: 'widget', content });
  }
  return message_id;
}

/** Conversations of the owner with as many others as a message may have, all but one the same. */
async function largeConversations(owner: ApiClient, people: readonly number[]): Promise<void> {
  const others = people.slice(0, -SPARE).slice(0, scaled(20, 998));
  for (const last of people.slice(-SPARE)) {
    await owner.ok('POST', '/messages', { type: 'direct', to: [...others, last], content: 'x' });
  }
}

/** As much text as one person may have scheduled, in long messages. */
async function longSchedule(owner: ApiClient): Promise<void> {
  let left = scaled(20, MAX_SCHEDULED_LENGTH / 20_100);
  const message = {
    ...{ type: 'direct', to: [owner.userId], content: 'x '.repeat(5000) },
    scheduled_delivery_timestamp: 4_000_000_000,
  };
  const work = async () => {
    while (left-- > 1) await owner.ok('POST', '/scheduled_messages', message);
  };
  await Promise.all(Array.from({ length: 10 }, work));
}

/** The server under test, and how long it was blocked. */
export class WatchedServer {
  private toggle = false;

  private constructor(
    readonly server: RunningServer,
    readonly world: World,
  ) {}

  /** Starts a server with a large organization. */
  static async start(t: Test): Promise<WatchedServer> {
    const watch = new URL('../../../../bench/harness/measuring/loop-watch.js', import.meta.url)
      .href;
    const first = await RunningServer.start(t, { env: { NODE_OPTIONS: '' } });
    const founder = await ApiClient.login(first.url, OWNER_EMAIL, OWNER_PASSWORD);
    const subscriptions = [{ name: 'everybody' }, { name: 'long' }, { name: 'topics' }];
    await founder.ok('POST', '/users/me/subscriptions', { subscriptions });
    await first.stop();
    const { folder } = first;
    const store = `embedded:${folder}`;
    const plan = { outsiders: 0, users: 0, queues: 0 };
    const { accounts, messageIds } = await seedOrganization(store, folder, {
      ...plan,
      users: SIZES.people + SPARE,
      queues: SIZES.queues,
      channel: 'everybody',
      furtherChannels: ['long', 'topics'],
      messages: SIZES.messages,
    });
    const long = await seedOrganization(store, folder, {
      ...plan,
      users: 1,
      channel: 'long',
      messages: SIZES.long,
      contentLength: 10_000,
    });
    const moving = await seedOrganization(store, folder, {
      ...plan,
      users: 1,
      channel: 'topics',
      messages: 2 * SIZES.inTopic,
      topics: 2,
    });
    const server = await RunningServer.serve(t, folder, {
      env: {
        PARLEY_LOOP_WATCH: join(folder, 'loop-watch'),
        NODE_OPTIONS: `--import=${watch} --max-old-space-size=1500`,
      },
    });
    const owner = founder.at(server.url);
    const { streams } = await owner.ok('GET', '/streams');
    const poll = await largePoll(owner);
    await largeConversations(
      owner,
      accounts.map(({ userId }) => userId),
    );
    await longSchedule(owner);
    const bot = { full_name: 'Hook', short_name: 'hook', bot_type: 2 };
    const { api_key, user_id } = await owner.ok('POST', '/bots', bot);
    const idOf = (name: string) =>
      Number((streams as Body[]).find((one) => one.name === name)!.stream_id);
    let last = 0;
    return new WatchedServer(server, {
      url: server.url,
      owner,
      accounts,
      people: accounts.slice(0, -SPARE).map(({ userId }) => userId),
      spare: accounts.slice(-SPARE),
      poll,
      hook: new ApiClient(server.url, 'hook-bot@parley.invalid', String(api_key), Number(user_id)),
      everybody: idOf('everybody'),
      messages: messageIds,
      longMessages: long.messageIds,
      topicMessages: moving.messageIds,
      topics: idOf('topics'),
      long: idOf('long'),
      fresh: () => (last += 1),
    });
  }

  /** Resolves when everything that was committed so far is durable and delivered. */
  async settle(): Promise<void> {
    const { url, owner } = this.world;
    const params = { enter_sends: (this.toggle = !this.toggle) };
    await send(url, updateSettings, { params, as: owner.authorization });
  }

  /** The longest block since the last call, milliseconds. */
  async longestBlock(): Promise<number> {
    const file = join(this.server.folder, 'loop-watch');
    rmSync(file, { force: true });
    while (!existsSync(file)) await pause(1);
    return Number(readFileSync(file, 'utf8'));
  }
}
