import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { freshUrl, NO_REDIS, startRedis } from '../../src/store/fixtures/redis-server.js';
import type { TcpProxy } from '../harness/campaign/tcp-proxy.js';
import { ApiClient, exchange, type Body } from '../harness/client.js';
import { QueueReader } from '../harness/queue-reader.js';
import { SocketReader } from '../harness/socket-reader.js';
import {
  OWNER_EMAIL,
  OWNER_PASSWORD,
  RunningServer,
  type ServerOptions,
} from '../harness/server.js';
import { followerBehindProxy } from './fixtures/behind-proxy.js';
import {
  readByPoll,
  readBySocket,
  readByStream,
  readHopping,
  THE_END,
  type Seen,
} from './fixtures/fast-readers.js';
import { underLoad } from '../../fixtures/machine-load.js';

// Half a minute on a quiet machine.
t.setTimeout(underLoad(180_000));

const FOLLOWS = /^Parley follows on http:\/\/[\d.]+:(\d+)/m;
const LEADS = /^Parley is listening on/m;

/** A leader and a follower on one store. */
async function twoNodes(t: Test, options: ServerOptions) {
  const leader = await RunningServer.start(t, options);
  const follower = RunningServer.spawn(leader.folder, options);
  t.teardown(() => follower.kill());
  await follower.printed(FOLLOWS);
  await follower.listening();
  const here = await ApiClient.login(leader.url, OWNER_EMAIL, OWNER_PASSWORD);
  const there = await ApiClient.login(follower.url, OWNER_EMAIL, OWNER_PASSWORD);
  return { leader, follower, here, there };
}

const message = (content: string) => ({ type: 'channel', to: 'general', topic: 'nodes', content });

/** Sockets of one topic at each node: so many that waking them takes a while, and what comes meanwhile shares frames. */
const CROWD = 40;
/** Messages that everybody gets, and long ones: more of them than the network keeps for a client that does not read. */
const [SHORT, LONG] = [60, 100];
const LONG_TEXT = '日'.repeat(9990);

/** Many events at once, to clients of all kinds at both nodes. */
async function fastEvents(t: Test, nodes: readonly ApiClient[]): Promise<void> {
  const everything: Promise<Seen>[] = [];
  const short: Promise<Seen>[] = [];
  const slow = await Promise.all(nodes.map((node) => readBySocket(node)));
  for (const { socket, done } of slow) {
    socket.pause();
    everything.push(done);
  }
  for (const node of nodes) {
    const all = await Promise.all([readBySocket(node), readByPoll(node), readByStream(node)]);
    everything.push(...all.map(({ done }) => done));
    const crowd = Array.from({ length: CROWD }, () => readBySocket(node, 'short'));
    const polls = [readByPoll(node, 'short'), readByPoll(node, 'short')];
    short.push(...(await Promise.all([...crowd, ...polls])).map(({ done }) => done));
  }
  for (const order of [nodes, [...nodes].reverse()]) {
    short.push((await readHopping(order, 'short')).done);
  }

  const contents = Array.from({ length: SHORT + LONG }, (_, i) => `fast ${i}`);
  const isLong = (i: number): boolean => i % (SHORT + LONG) >= SHORT;
  const sent: string[] = [];
  const write = async (node: ApiClient): Promise<void> => {
    for (let i = sent.length; i < contents.length; i = sent.length) {
      sent.push(contents[i]!);
      const topic = isLong((i * 7) % contents.length) ? 'long' : 'short';
      await node.say(contents[i]! + (topic === 'long' ? LONG_TEXT : ''), 'general', topic);
    }
  };
  await Promise.all([...nodes, ...nodes, ...nodes].map(write));
  await nodes[0]!.say(THE_END, 'general', 'short');
  // Who reads nothing keeps nobody waiting.
  const own = await Promise.all(everything.slice(slow.length));
  for (const { socket } of slow) socket.resume();

  const ids = (seen: Seen): number[] => seen.messages.map(({ id }) => id);
  const [first] = own;
  const names = first!.messages.map(({ content }) => content.replace(LONG_TEXT, ''));
  t.same([...names].sort(), [...contents, THE_END].sort(), 'each message once');
  for (const seen of await Promise.all(everything)) t.same(ids(seen), ids(first!), 'in one order');
  const expected = ids({ ...first!, messages: first!.messages.filter(isShort) });
  const crowd = await Promise.all(short);
  for (const seen of crowd) t.strictSame(ids(seen), expected);
  t.ok(
    crowd.some(({ together }) => together > 0),
    'events that come faster than they are sent share frames',
  );
  const frames = crowd.map(({ together }) => together).sort((a, b) => a - b);
  t.comment(`frames of several events: ${frames[0]} to ${frames.at(-1)} of ${expected.length}`);
}

const isShort = ({ content }: Seen['messages'][number]): boolean => !content.endsWith(LONG_TEXT);

/** What holds while both nodes serve, and in the end when the leader dies. */
async function nodesTests(t: Test, options: ServerOptions): Promise<void> {
  const { leader, follower, there, here } = await twoNodes(t, options);

  void t.test('forwards writes, and shows them to their author at once', async (t) => {
    for (let i = 0; i < 5; i++) {
      const sent = await there.call('POST', '/messages', message(`message ${i}`));
      t.equal(sent.status, 200);
      const found = await there.call('GET', '/messages', {
        anchor: 'newest',
        num_before: 1,
        num_after: 0,
        apply_markdown: false,
      });
      t.match(found.body, { messages: [{ id: sent.body['id'], content: `message ${i}` }] });
    }
    t.match((await here.call('GET', '/messages/999999')).status, 400);
  });

  void t.test('what is read or fetched on record is on record from any node', async (t) => {
    const newest = async () => {
      const { records } = await here.ok('GET', '/realm/audit_log', { limit: 1 });
      return (records as { user_id: number | null; changes: Body[] }[])[0]!;
    };
    const hamlet = await here.createUser('hamlet');
    const bot = { full_name: 'Yorick', short_name: 'yorick' };
    const { user_id } = await hamlet.ok('POST', '/bots', bot);
    t.match(await there.ok('GET', `/bots/${user_id as number}/api_key`), { api_key: /^\w{32}$/ });
    const read = { kind: 'bot', id: user_id, action: 'done' };
    t.match(await newest(), { user_id: here.userId, changes: [read] });

    const exports = await QueueReader.open(there, { event_types: ['realm_export'] });
    await there.ok('POST', '/export/realm');
    const urlOf = ({ exports: all }: Body) =>
      (all as { export_url: string | null }[] | undefined)?.at(-1)?.export_url ?? null;
    const made = (await exports.until((event) => urlOf(event) !== null)).at(-1)!;
    const path = new URL(urlOf(made)!).pathname;
    t.equal((await fetch(`${follower.url}${path}`)).status, 200);
    t.match(await newest(), { user_id: null, changes: [{ kind: 'export', action: 'done' }] });
  });

  void t.test('serves queues registered anywhere, which a client may poll anywhere', async (t) => {
    const reader = await QueueReader.open(there);
    const contents: string[] = [];
    for (let i = 0; i < 12; i++) {
      await (i % 3 === 0 ? there : here).call('POST', '/messages', message(`hop ${i}`));
      reader.move(i % 2 === 0 ? here : there);
      const events = await reader.until(({ type }) => type === 'message');
      for (const event of events) {
        if (event.type === 'message') {
          contents.push((event['message'] as { content: string }).content);
        }
      }
    }
    t.same(
      contents,
      Array.from({ length: 12 }, (_, i) => `hop ${i}`),
    );
    // The follower tells the leader of its queues once somebody looks, at whichever node.
    const { queue_id } = await there.register({ event_types: ['realm'] });
    const asked = { with_queues: true, queue_filter: queue_id };
    const looks = async () => {
      const { nodes, queues } = await there.ok('GET', '/realm/console', asked);
      const roles = (nodes as { node_role: string }[]).map(({ node_role }) => node_role);
      return { roles, queues: queues as { queue_id: string; node_id: string }[] };
    };
    let look = await looks();
    while (look.roles.length < 2 || look.queues.length < 1) {
      await pause(10);
      look = await looks();
    }
    t.same(look.roles, ['leader', 'follower']);
    const { nodes } = await here.ok('GET', '/realm/console');
    const [, follower] = nodes as { node_id: string }[];
    t.match(look.queues, [{ queue_id, node_id: follower!.node_id }]);
  });

  void t.test('registers a queue that its client opens at another node at once', async (t) => {
    for (let i = 0; i < 10; i++) {
      const { queue_id, last_event_id } = await there.register({ event_types: ['message'] });
      const socket = await SocketReader.open(here, { queue_id, last_event_id });
      // Whatever the first node has to tell the leader has come before its reply to another write.
      for (let said = 0; said < 3; said++) await there.say(`message ${i} ${said}`);
      t.equal((await socket.take(3)).length, 3);
      socket.close();
    }
  });

  // Its store decides nothing here.
  const skip = options.store === undefined ? false : 'as on the embedded store';
  void t.test('fast events reach every client once and in order, however it reads', { skip }, (t) =>
    fastEvents(t, [here, there]),
  );

  void t.test('takes the lead when the leader dies, with the queues it serves', async (t) => {
    const reader = await QueueReader.open(there);
    const waiting = reader.until(({ type }) => type === 'message');
    const began = Date.now();
    await leader.kill();
    // What this node sends over a connection that it does not know to be broken yet is answered with 503.
    await there.okInTheEnd('POST', '/messages', message('after the leader'));
    const tookMs = Date.now() - began;
    t.ok(tookMs < underLoad(3000), `took ${tookMs} ms`);
    t.comment(`the first write after ${tookMs} ms`);
    const events = await waiting;
    t.match(events.at(-1), { type: 'message', message: { content: 'after the leader' } });
    await follower.printed(LEADS);
  });
}

/** What holds on every store. @param optionsOf of the servers on a new store */
function followerTests(t: Test, optionsOf: () => ServerOptions): void {
  void t.test('a follower', (t) => nodesTests(t, optionsOf()));

  void t.test('ends in good order when it is told to while it takes the lead', async (t) => {
    const { leader, follower } = await twoNodes(t, optionsOf());
    const others = Array.from({ length: 4 }, () =>
      RunningServer.spawn(leader.folder, leader.options),
    );
    for (const other of others) t.teardown(() => other.kill());
    await Promise.all(others.map((other) => other.printed(FOLLOWS)));
    t.match(await leader.stop(), { code: 0 });
    // Each is told just after the one before it gave the lead up.
    for (const node of [follower, ...others]) {
      t.match(await node.stop(), { code: 0 });
    }
  });
}

/** A request that a node may answer only when it has what its client knows of. */
interface Awaited {
  /** Sends it, and resolves when the leader has what it needs; `answer` is for when the node answers. */
  begin(): Promise<{ readonly answer: Promise<unknown> }>;
}

/**
 * Sends a request to a follower that gets nothing of its store, and then lets it have what was written meanwhile.
 * Tries again where the machine was so slow that the follower may have given up waiting.
 * @returns whether it answered before it had that
 */
async function answersEarly(proxy: TcpProxy, there: ApiClient, request: Awaited): Promise<boolean> {
  for (;;) {
    proxy.cut();
    const began = performance.now();
    let isAnswered = false;
    const { answer } = await request.begin();
    const answered = answer.then(() => (isAnswered = true));
    // What it answers at once comes before these, which it answers one after the other.
    for (let i = 0; i < 5; i++) await there.call('GET', '/users/me');
    const wasEarly = isAnswered;
    const isConclusive = performance.now() - began < CONCLUSIVE_MS;
    proxy.heal(false);
    await answered;
    if (isConclusive) return wasEarly;
  }
}

/** Less than a follower waits for a position before it answers without it, milliseconds. */
const CONCLUSIVE_MS = 1500;

void t.test(
  'a follower that is behind answers when it has what its client has written',
  { skip: NO_REDIS ?? false },
  async (t) => {
    const { proxy, follower, here } = await followerBehindProxy(t);
    const there = await ApiClient.login(follower.url, OWNER_EMAIL, OWNER_PASSWORD);
    const topics = async (): Promise<string[]> => {
      const { topics } = await there.ok('GET', '/users/me/1/topics');
      return (topics as { name: string }[]).map(({ name }) => name);
    };
    let count = 0;
    const newTopic = () => ({ ...message('x'), topic: `topic ${(count += 1)}` });
    await there.ok('POST', '/messages', newTopic());

    await t.test('the reply to a write waits until a read shows it', async (t) => {
      let shown: Promise<string[]> | undefined;
      const write: Awaited = {
        begin: async () => {
          const sent = there.ok('POST', '/messages', newTopic());
          const answer = sent.then(() => (shown = topics()));
          const isThere = async (): Promise<boolean> => {
            const { topics } = await here.ok('GET', '/users/me/1/topics');
            return (topics as { name: string }[]).some(({ name }) => name === `topic ${count}`);
          };
          while (!(await isThere()));
          return { answer };
        },
      };
      t.equal(await answersEarly(proxy, there, write), false);
      t.ok((await shown)!.includes(`topic ${count}`));
    });

    await t.test('a read that names a position waits for it', async (t) => {
      let shown: Body | undefined;
      const read: Awaited = {
        begin: async () => {
          const { headers } = await here.call('POST', '/messages', newTopic());
          const position = String(headers['parley-position']);
          const answer = exchange(there.url, 'GET', '/api/v1/users/me/1/topics', {
            headers: { Authorization: there.authorization, 'Parley-Position': position },
          }).then(({ body }) => (shown = body));
          return { answer };
        },
      };
      t.equal(await answersEarly(proxy, there, read), false);
      t.match(shown, { topics: [{ name: `topic ${count}` }] });
    });
  },
);

void t.test('on an embedded store a follower serves as its leader', (t) => {
  followerTests(t, () => ({}));
  t.end();
});

void t.test('on Redis a follower serves as its leader', { skip: NO_REDIS ?? false }, async (t) => {
  const redis = await startRedis(t);
  followerTests(t, () => ({ store: freshUrl(redis.port) }));
});
