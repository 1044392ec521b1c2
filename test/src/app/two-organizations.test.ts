/** Two organizations in one process, with the same names, ids and passwords: each answers as it does alone. */
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { HostedOrganization } from '../../../src/app/hosted-organization.js';
import { readCommand } from '../../../src/cli/command-line.js';
import type { AppOptions } from '../../../src/host/app-options.js';
import { Host } from '../../../src/host/host.js';
import type { Config } from '../../../src/config/config.js';
import { findAllHere } from '../../fixtures/hosts.js';
import { ApiClient, type Reply } from '../../system/harness/client.js';
import { OWNER_EMAIL } from '../../system/harness/server.js';
import { testFolder } from '../../fixtures/test-folder.js';

const DEADLINE_MS = 1000;
const PASSWORD = 'correct horse';
const NOTHING = (): void => undefined;

/** One organization, and what it was seen to answer. */
interface Seen {
  readonly url: string;
  /** Stands in all that people of this organization write. */
  readonly mark: string;
  readonly owner: ApiClient;
  readonly member: ApiClient;
  readonly queues: Map<ApiClient, string>;
  readonly texts: string[];
  readonly replies: unknown[];
}

const OPTIONS: AppOptions = {
  log: { info: NOTHING, warn: NOTHING, error: NOTHING },
  announce: NOTHING,
  fatal: (error) => {
    throw error;
  },
};

function configOf(folder: string, mark: string): Config {
  const args = ['serve', '--port', '0', '--keep-index', 'off', '--owner-email', OWNER_EMAIL];
  const store = `embedded:${join(folder, mark)}`;
  const command = readCommand([...args, '--owner-password', PASSWORD, '--store', store], {});
  if (command.kind !== 'serve') throw new Error(`Not a server: ${command.kind}`);
  return command.config;
}

findAllHere();

/** Hosts organizations in this process behind one listener, each under its own host name. */
async function host(t: Test, folder: string, ...marks: readonly string[]): Promise<Seen[]> {
  const organizations: HostedOrganization[] = [];
  const configs = marks.map((mark) => configOf(folder, mark));
  const process = new Host(configs[0]!, OPTIONS, () => organizations[0]!);
  await process.start();
  const running = configs.map(async (config, i) => {
    const one = new HostedOrganization(config, OPTIONS, process);
    process.server.name(one.site, [`${marks[i]!}.test`]);
    one.url = `http://${marks[i]!}.test:${process.port}`;
    organizations.push(one);
    await one.open();
    await new Promise<void>((resolve, reject) => {
      one.run(async () => ({ host: '127.0.0.1', port: 0 }), resolve).catch(reject);
    });
    return one.url;
  });
  t.teardown(async () => {
    const drained = process.drain(DEADLINE_MS);
    for (const one of organizations) {
      one.drain();
      one.release();
    }
    await drained;
    for (const one of organizations) await one.end();
    process.stop();
    for (const one of organizations) await one.close();
  });
  return Promise.all(
    (await Promise.all(running)).map(async (url, i) => {
      const owner = await ApiClient.login(url, OWNER_EMAIL, PASSWORD);
      const member = await owner.createUser('aaron');
      return { url, mark: marks[i]!, owner, member, queues: new Map(), texts: [], replies: [] };
    }),
  );
}

type Step = (one: Seen) => Promise<void>;

/** Parameters of a call, in which `MARK` stands for what is this organization's. */
function call(
  who: 'owner' | 'member',
  method: string,
  path: string,
  parameters: Record<string, unknown> = {},
): Step {
  return async (one) => {
    const own = JSON.parse(
      JSON.stringify(parameters).replaceAll('MARK', one.mark),
    ) as typeof parameters;
    keep(one, await one[who].call(method, path, own));
  };
}

function register(who: 'owner' | 'member'): Step {
  return async (one) => {
    const event_types = ['message', 'reaction', 'update_message', 'user_status', 'subscription'];
    const fetch_event_types = ['realm', 'realm_user', 'subscription', 'message', 'user_status'];
    const reply = await one[who].call('POST', '/register', { event_types, fetch_event_types });
    one.queues.set(one[who], String(reply.body.queue_id));
    keep(one, reply);
  };
}

function poll(who: 'owner' | 'member'): Step {
  return async (one) => {
    const queue_id = one.queues.get(one[who]);
    const query = { queue_id, last_event_id: -1, dont_block: true };
    keep(one, await one[who].call('GET', '/events', query));
  };
}

/** What is the same wherever the same was done. */
function keep(one: Seen, { status, text }: Reply): void {
  one.texts.push(text);
  const told = text.replaceAll(one.mark, 'MARK').replaceAll(one.url, 'URL');
  const plain = JSON.parse(told, (key: string, value: unknown) => {
    // Positions count what happens by itself, too: who was seen when.
    if (key === 'last_event_id' || (key === 'id' && Number(value) < 1000)) return 'a position';
    return typeof value === 'number' && value > 1e9 ? 'a time' : value;
  }) as unknown;
  one.replies.push([status, plain]);
}

const CHANNEL = { type: 'channel', to: 'plans', topic: 'news' };

const STEPS: readonly Step[] = [
  register('owner'),
  register('member'),
  call('owner', 'POST', '/users/me/subscriptions', {
    subscriptions: [{ name: 'plans', description: 'about MARK' }],
    principals: ['aaron@example.org', OWNER_EMAIL],
  }),
  call('owner', 'POST', '/messages', { ...CHANNEL, content: 'first of MARK' }),
  call('member', 'POST', '/messages', { ...CHANNEL, content: '**MARK** @**all** $$x^2$$' }),
  call('member', 'POST', '/messages', { type: 'direct', to: [OWNER_EMAIL], content: 'only MARK' }),
  call('owner', 'POST', '/users/me/status', { status_text: 'busy with MARK' }),
  call('member', 'POST', '/drafts', {
    drafts: [{ type: 'stream', to: [1], topic: 'MARK', content: 'MARK', timestamp: 1 }],
  }),
  call('member', 'PATCH', '/settings', { full_name: 'Aaron MARK' }),
  call('member', 'POST', '/saved_snippets', { title: 'MARK', content: 'MARK' }),
  call('owner', 'PATCH', '/realm', { description: 'all of MARK' }),
  call('owner', 'GET', '/messages', { anchor: 'newest', num_before: 50, num_after: 0 }),
  call('member', 'GET', '/messages', {
    ...{ anchor: 'newest', num_before: 50, num_after: 0 },
    narrow: [{ operator: 'search', operand: 'MARK' }],
  }),
  call('member', 'GET', '/users'),
  call('owner', 'GET', '/streams'),
  call('owner', 'GET', '/users/me/subscriptions'),
  call('owner', 'GET', '/realm/audit_log'),
  call('member', 'GET', '/drafts'),
  call('member', 'GET', '/saved_snippets'),
  call('member', 'GET', '/user_groups'),
  register('member'),
  poll('owner'),
];

/** Does all steps in some organizations, each step in all at once. */
async function work(all: readonly Seen[]): Promise<void> {
  for (const step of STEPS) await Promise.all(all.map(step));
}

/** Whether a value is a time: the steps are done at other times, which may be of one second or of two. */
function isTime(value: unknown): boolean {
  const isText = typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value);
  // UNIX seconds since 2023, and milliseconds.
  return isText || (typeof value === 'number' && value > 1_700_000_000);
}

/** Places of two replies at which they differ but for times, as paths. */
function differences(one: unknown, other: unknown, path = ''): string[] {
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) {
    return Object.is(one, other) || (isTime(one) && isTime(other)) ? [] : [path];
  }
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].flatMap((name) =>
    differences(
      (one as Record<string, unknown>)[name],
      (other as Record<string, unknown>)[name],
      `${path}/${name}`,
    ),
  );
}

void t.test('each of two organizations answers as it does alone', async (t) => {
  const folder = testFolder(t);
  const alone: Seen[] = [];
  for (const mark of ['amberwood', 'birchwood']) {
    const [one] = await host(t, folder, mark);
    await work([one!]);
    alone.push(one!);
  }
  const both = await host(t, folder, 'cedarwood', 'dogwooden');
  await work(both);
  // Ids of queues, keys: no two organizations have the same.
  const random = differences(alone[0]!.replies, alone[1]!.replies);
  t.ok(random.length < 30, random.join(' '));
  for (const one of both) {
    const differing = differences(alone[0]!.replies, one.replies);
    t.strictSame(
      differing.filter((path) => !random.includes(path)),
      [],
      one.mark,
    );
    t.ok(one.texts.join().includes(one.mark));
    const others = both.filter((other) => other !== one);
    for (const { mark, url, owner, member } of [...others, ...alone]) {
      for (const foreign of [mark, new URL(url).host, owner.key, member.key]) {
        t.notOk(one.texts.join().includes(foreign), `${one.mark} shows no ${foreign}`);
      }
      const stranger = new ApiClient(one.url, member.email, member.key, member.userId);
      t.match(await stranger.call('GET', '/users/me'), { status: 401 });
    }
    for (const { queues } of others) {
      for (const queue_id of queues.values()) {
        const query = { queue_id, last_event_id: -1, dont_block: true };
        const reply = await one.owner.call('GET', '/events', query);
        t.match(reply, { status: 400, body: { code: 'BAD_EVENT_QUEUE_ID' } });
      }
    }
  }
});
