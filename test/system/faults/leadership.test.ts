import t, { type Test } from 'tap';
import { freshUrl, leaseOf, NO_REDIS, startRedis } from '../../src/store/fixtures/redis-server.js';
import { ApiClient, exchange, type Reply } from '../harness/client.js';
import { sayInTheEnd } from '../harness/crowd/crash-clients.js';
import { QueueReader } from '../harness/queue-reader.js';
import { scaled } from '../harness/scale.js';
import {
  OWNER_EMAIL,
  OWNER_PASSWORD,
  RunningServer,
  type ServerOptions,
} from '../harness/server.js';
import { SocketReader } from '../harness/socket-reader.js';
import { underLoad } from '../../fixtures/machine-load.js';

/** Changes of the leader that one queue is followed through. */
const TURNS = scaled(2, 6);
const LEADS = /^Parley is listening on/m;
/** A second term of the same process. */
const LEADS_AGAIN = /^Parley is listening on[^]*^Parley follows on[^]*^Parley is listening on/m;
const FOLLOWS_AGAIN = /^Parley is listening on[^]*^Parley follows on/m;

/** Starts another process on the store of one that runs. */
async function startBeside(t: Test, first: RunningServer): Promise<RunningServer> {
  const other = RunningServer.spawn(first.folder, first.options);
  t.teardown(() => other.kill());
  await other.listening();
  return other;
}

function owner(url: string): Promise<ApiClient> {
  return ApiClient.login(url, OWNER_EMAIL, OWNER_PASSWORD);
}

/** A refusal that tells clients to come back (requests.md#bodies-sizes-faults). */
function refused(t: Test, reply: Reply, what: string): void {
  t.equal(reply.status, 503, what);
  t.equal(reply.headers['retry-after'], '1');
  t.match(reply.body, { result: 'error', code: 'SERVICE_UNAVAILABLE' });
}

/** A follower serves reads, polls and sockets, and forwards what writes. */
async function servesAll(t: Test, client: ApiClient): Promise<void> {
  const health = await exchange(client.url, 'GET', '/health');
  t.equal(health.status, 200);
  t.match(health.body, { status: 'ready' });
  t.equal(
    (await client.call('GET', '/messages', { anchor: 'newest', num_before: 1, num_after: 0 }))
      .status,
    200,
    'a read',
  );
  t.match((await client.call('GET', '/events', { queue_id: 'x', last_event_id: -1 })).body, {
    code: 'BAD_EVENT_QUEUE_ID',
  });
  t.equal((await client.call('GET', '/nowhere')).status, 404, 'anything');
  const login = { username: OWNER_EMAIL, password: OWNER_PASSWORD };
  t.equal((await exchange(client.url, 'POST', '/api/v1/fetch_api_key', form(login))).status, 200);
  const socket = await SocketReader.open(client);
  socket.close();
}

function form(fields: Record<string, string>) {
  return {
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields).toString(),
  };
}

/** A follower serves, and takes over from a leader that stops, which then can follow it. */
async function takesOver(
  t: Test,
  options: ServerOptions,
  withinMs: number,
  endLease: () => Promise<unknown> = async () => undefined,
): Promise<void> {
  const first = await RunningServer.start(t, options);
  const client = await owner(first.url);
  const reader = await QueueReader.open(client);
  const second = await startBeside(t, first);
  t.match(second.stdout, /^Parley follows on .*: it serves reads, polls and sockets/);
  await servesAll(t, client.at(second.url));

  const sent = await client.say('to the first');
  const began = Date.now();
  const exit = await first.stop();
  t.equal(exit.code, 0);
  await second.printed(LEADS);
  t.ok(Date.now() - began < underLoad(withinMs), `took over after ${Date.now() - began} ms`);
  t.match((await exchange(second.url, 'GET', '/health')).body, { status: 'ready' });
  reader.move(client.at(second.url));
  t.match(
    (await reader.now()).filter(({ type }) => type === 'message'),
    [{ message: { id: sent } }],
  );

  const third = await startBeside(t, first);
  await servesAll(t, client.at(third.url));
  await second.kill();
  await endLease();
  await third.printed(LEADS);
  const later = await client.at(third.url).say('to the third');
  reader.move(client.at(third.url));
  t.match(
    (await reader.next()).filter(({ type }) => type === 'message'),
    [{ message: { id: later } }],
    'nothing is repeated',
  );
  t.equal((await third.stop()).code, 0);
}

/**
 * Seconds. A process that gets no processor for so long loses its lease, rightly: on a machine shared with two
 * busy processes one second is not enough.
 */
const LASTING_LEASE = '3';

// Loaded machines take long to start processes.
t.setTimeout(300_000);

void t.test('embedded: a second process follows, and takes over when the first ends', async (t) => {
  // It looks again within a second; the rest is for machines where many wait for the processor.
  await takesOver(t, {}, 15_000);
});

void t.test('embedded: a leader that stands still is replaced, and follows', async (t) => {
  const first = await RunningServer.start(t, { env: { PARLEY_LEASE: LASTING_LEASE } });
  const client = await owner(first.url);
  await client.say('before');
  const second = await startBeside(t, first);
  const there = client.at(second.url);
  first.pause();
  const content = { type: 'channel', to: 'general', topic: 'x', content: 'late' };
  const late = client.call('POST', '/messages', content);
  await second.printed(LEADS);
  await there.say('meanwhile');
  first.resume();
  refused(t, await late, 'a write that came late');
  await first.printed(FOLLOWS_AGAIN);
  t.same(await messages(there), ['before', 'meanwhile'], 'nothing of the deposed landed');
  await second.kill();
  await first.printed(LEADS_AGAIN);
  await client.say('after');
  t.same(await messages(client), ['before', 'meanwhile', 'after']);
});

void t.test('a follower that is told to stop exits 0', async (t) => {
  const first = await RunningServer.start(t);
  const second = await startBeside(t, first);
  const exit = await second.stop();
  t.equal(exit.code, 0);
  t.equal((await exchange(first.url, 'GET', '/health')).status, 200, 'the leader goes on');
});

if (NO_REDIS !== null) {
  t.comment(NO_REDIS);
} else {
  const redis = await startRedis(t, '--appendonly', 'yes', '--appendfsync', 'always');

  void t.test('Redis: a follower takes over on release, not when the lease ends', async (t) => {
    const options = { store: freshUrl(redis.port), env: { PARLEY_LEASE: '60' } };
    const lease = leaseOf(options.store);
    // Sooner than it would: nobody waits for a minute here.
    await takesOver(t, options, 20_000, () => redis.command('PEXPIRE', lease, '100'));
  });

  void t.test(
    'a leader that was paused past its lease never writes again, and follows',
    async (t) => {
      const options = { store: freshUrl(redis.port), env: { PARLEY_LEASE: LASTING_LEASE } };
      const first = await RunningServer.start(t, options);
      const client = await owner(first.url);
      const reader = await QueueReader.open(client);
      const watcher = await client.register();
      const before = await client.say('before');
      const second = await startBeside(t, first);
      const there = client.at(second.url);

      const poll = await client.hold(watcher.queue_id, watcher.last_event_id);
      await poll.events;
      const idle = await client.register({ event_types: ['typing'] });
      const held = await client.hold(idle.queue_id, idle.last_event_id);
      const socket = await SocketReader.open(client, { event_types: ['typing'] });
      first.pause();
      // Handed to the operating system while the process stands still.
      const late = ['one', 'two', 'three'].map((content) =>
        client.call('POST', '/messages', { type: 'channel', to: 'general', topic: 'x', content }),
      );
      const read = client.call('GET', '/messages', {
        anchor: 'newest',
        num_before: 9,
        num_after: 0,
      });
      await second.printed(LEADS);
      const meanwhile = await there.say('meanwhile');
      reader.move(there);
      t.match(
        (
          await reader.until(({ message }) => (message as { id?: number })?.id === meanwhile)
        ).filter(({ type }) => type === 'message'),
        [{ message: { id: before } }, { message: { id: meanwhile } }],
        'the queue goes on at the other process, with nothing lost or repeated',
      );

      first.resume();
      for (const reply of await Promise.all(late)) refused(t, reply, 'a write that came late');
      refused(t, await read, 'a read that came late');
      await t.rejects(held.events, /503/, 'a waiting poll is let go');
      t.equal(await socket.closed, 1012, 'a socket is told to come back');
      await first.printed(FOLLOWS_AGAIN);
      t.ok(first.running);
      await servesAll(t, client);
      const texts = await messages(there);
      t.same(texts, ['before', 'meanwhile'], 'nothing of the deposed landed');

      await second.kill();
      await first.printed(LEADS_AGAIN);
      const after = await client.say('after');
      reader.move(client);
      t.match(
        (await reader.until(({ message }) => (message as { id?: number })?.id === after)).filter(
          ({ type }) => type === 'message',
        ),
        [{ message: { id: after } }],
        'and back at the first',
      );
      t.same(await messages(client), ['before', 'meanwhile', 'after']);
    },
  );

  void t.test('a leader whose lease was taken away is deposed by its next commit', async (t) => {
    const organization = `deposed-${process.pid}`;
    const store = `redis://127.0.0.1:${redis.port}?organization=${organization}`;
    const options = { store, env: { PARLEY_LEASE: '60' } };
    const first = await RunningServer.start(t, options);
    const client = await owner(first.url);
    await client.say('before');
    const { queue_id, last_event_id } = await client.register();
    const held = await client.hold(queue_id, last_event_id);
    await redis.command('DEL', `parley:{${organization}}:@lease`);
    const second = await startBeside(t, first);
    await second.printed(LEADS);
    const content = { type: 'channel', to: 'general', topic: 'x', content: 'fenced' };
    refused(t, await client.call('POST', '/messages', content), 'the commit is fenced off');
    await t.rejects(held.events, /503/);
    await first.printed(FOLLOWS_AGAIN);
    await servesAll(t, client);
    t.same(await messages(client.at(second.url)), ['before']);
  });

  void t.test('a queue and its cursor follow the leader through many changes', async (t) => {
    const options = { store: freshUrl(redis.port), env: { PARLEY_LEASE: LASTING_LEASE } };
    let leader = await RunningServer.start(t, options);
    const client = await owner(leader.url);
    const reader = await QueueReader.open(client, { event_types: ['message'] });
    const sent: number[] = [];
    const seen: number[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      const next = await startBeside(t, leader);
      sent.push(await sayInTheEnd(client.at(leader.url), `turn ${turn}`));
      await (turn % 2 === 0 ? leader.kill() : leader.stop());
      await next.printed(LEADS);
      leader = next;
      sent.push(await sayInTheEnd(client.at(leader.url), `after turn ${turn}`));
      reader.move(client.at(leader.url));
      for (const { message } of await reader.now()) seen.push((message as { id: number }).id);
    }
    t.same(seen, sent);
  });
}

/** The texts of all messages of the owner's, in order, but for those of bots. */
async function messages(client: ApiClient): Promise<string[]> {
  const page = await client.ok('GET', '/messages', {
    anchor: 'newest',
    num_before: 100,
    num_after: 0,
    apply_markdown: false,
    narrow: [{ operator: 'sender', operand: OWNER_EMAIL }],
  });
  return (page.messages as { content: string }[]).map(({ content }) => content);
}
