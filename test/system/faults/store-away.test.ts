import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { freshUrl, NO_REDIS, startRedis } from '../../src/store/fixtures/redis-server.js';
import { ApiClient, exchange, type Reply } from '../harness/client.js';
import { post, sayInTheEnd } from '../harness/crowd/crash-clients.js';
import { QueueReader } from '../harness/queue-reader.js';
import {
  OWNER_EMAIL,
  OWNER_PASSWORD,
  run,
  RunningServer,
  storeFolder,
  type ServerOptions,
} from '../harness/server.js';
import { underLoad } from '../../fixtures/machine-load.js';
import { testFolder } from '../../fixtures/test-folder.js';

const LEADS_AGAIN = /^Parley is listening on[^]*^Parley is listening on/m;
/** How long requests wait for the store in these tests, milliseconds. */
const WAIT = 1000;
/** What a loaded machine may take beyond that. */
const SLACK = 8000;
/**
 * A lease that has to last, milliseconds: a process that gets no processor for so long loses it, rightly. On a
 * machine shared with two busy processes one second is not enough.
 */
const LASTING_LEASE = 4000;

/** A server that waits for its store: Redis was there, and is gone. */
async function startWithoutRedis(t: Test) {
  const redis = await startRedis(t);
  await redis.kill();
  const server = RunningServer.spawn(storeFolder(t), {
    store: freshUrl(redis.port),
    env: { PARLEY_STORE_WAIT: '0.5' },
  });
  t.teardown(() => server.kill());
  await server.listening();
  return { redis, server };
}

/** Refused as requests.md#bodies-sizes-faults has it. */
function refused(t: Test, reply: Reply, what: string): void {
  t.equal(reply.status, 503, what);
  t.equal(reply.headers['retry-after'], '1', what);
  t.same(reply.body, {
    result: 'error',
    msg: 'The store is not available',
    code: 'SERVICE_UNAVAILABLE',
  });
}

function read(client: ApiClient): Promise<Reply> {
  return client.call('GET', '/messages', {
    anchor: 'newest',
    num_before: 1000,
    num_after: 0,
    apply_markdown: false,
    narrow: [{ operator: 'sender', operand: OWNER_EMAIL }],
  });
}

/** Deletes a message; a probe of the full store may be under way and come first. */
async function deleteInTheEnd(client: ApiClient, id: number): Promise<void> {
  for (;;) {
    const { status, text } = await client.call('DELETE', `/messages/${id}`);
    if (status === 200) return;
    if (status !== 503) throw new Error(`DELETE: ${status} ${text}`);
    await pause(20);
  }
}

/** The texts of the owner's messages, in order. */
async function texts(client: ApiClient): Promise<string[]> {
  const { body: page, status, text } = await read(client);
  if (status !== 200) throw new Error(`GET /messages: ${status} ${text}`);
  return (page.messages as { content: string }[]).map(({ content }) => content);
}

/** What is acknowledged is there, in order; what is not may be there, once. */
async function nothingLost(
  t: Test,
  client: ApiClient,
  acknowledged: readonly string[],
  unknown: readonly string[],
): Promise<void> {
  const found = await texts(client);
  t.same(
    found.filter((text) => !unknown.includes(text)),
    acknowledged,
  );
  t.equal(new Set(found).size, found.length, 'nothing is there twice');
}

// Loaded machines take long to start processes.
t.setTimeout(300_000);

if (NO_REDIS !== null) {
  t.plan(0, NO_REDIS);
} else {
  const setUp = async (t: Test, lease: string) => {
    const redis = await startRedis(t, '--appendonly', 'yes', '--appendfsync', 'always');
    const options: ServerOptions = {
      store: freshUrl(redis.port),
      env: { PARLEY_LEASE: lease, PARLEY_STORE_WAIT: String(WAIT / 1000), PARLEY_LOG: 'silent' },
    };
    const server = await RunningServer.start(t, options);
    const client = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
    const reader = await QueueReader.open(client, { event_types: ['message', 'delete_message'] });
    const first = await client.say('first');
    await reader.until(({ message }) => (message as { id: number }).id === first);
    return { redis, server, client, reader, options };
  };

  void t.test('Redis dies and comes back: 503 meanwhile, polls keep waiting', async (t) => {
    const { redis, server, client, reader } = await setUp(t, '60');
    const held = await client.hold(reader.queueId, reader.cursor);
    await redis.kill();
    const began = Date.now();
    const writes = ['a', 'b', 'c'].map((content) => post(client, content));
    for (const reply of await Promise.all(writes)) refused(t, reply, 'a write');
    const waited = Date.now() - began;
    t.ok(waited < underLoad(WAIT + SLACK), `waited ${waited} ms`);
    refused(t, await post(client, 'd'), 'and at once from then on');
    refused(t, await read(client), 'a read of what is not here');
    t.match(await exchange(server.url, 'GET', '/health'), {
      status: 503,
      body: { status: 'unavailable', msg: 'The store is not available' },
    });

    await redis.start();
    const id = await sayInTheEnd(client, 'back');
    const events = await held.events;
    const ids = events.map(({ message }) => (message as { id: number }).id);
    const rest = ids.includes(id)
      ? []
      : await new QueueReader(client, reader.queueId, events.at(-1)!.id).until(
          ({ message }) => (message as { id: number }).id === id,
        );
    t.ok([...events, ...rest].length > 0, 'the poll waited through all of it');
    await nothingLost(t, client, ['first', 'back'], ['a', 'b', 'c', 'd']);
    t.notMatch(server.stdout, /stands by|waits/, 'the same term of leadership');
  });

  void t.test('Redis is away for longer than the lease: a new term begins by itself', async (t) => {
    const { redis, server, client, reader } = await setUp(t, '1');
    const held = await client.hold(reader.queueId, reader.cursor);
    await redis.kill();
    const lost = post(client, 'lost');
    await t.rejects(held.events, /503/, 'nobody knows who leads: the poll is let go');
    t.equal((await lost).status, 503);
    await server.printed(/^Parley waits on/m);
    t.match(await exchange(server.url, 'GET', '/health'), {
      status: 503,
      body: { status: 'unavailable', msg: 'The store is not available' },
    });
    refused(t, await client.call('GET', '/users/me'), 'reads of memory too');
    await redis.start();
    await server.printed(LEADS_AGAIN);
    const id = await client.say('back');
    t.match((await reader.until(({ message }) => (message as { id: number }).id === id)).at(-1), {
      message: { content: 'back' },
    });
    await nothingLost(t, client, ['first', 'back'], ['lost']);
  });

  void t.test('requests are refused in time while Redis stands still', async (t) => {
    const { redis, server, client, reader } = await setUp(t, '60');
    const held = await client.hold(reader.queueId, reader.cursor);
    redis.process.kill('SIGSTOP');
    const began = Date.now();
    refused(t, await post(client, 'paused'), 'a write');
    const waited = Date.now() - began;
    t.ok(waited < underLoad(WAIT + SLACK), `${waited} ms`);
    const asked = Date.now();
    refused(t, await read(client), 'a read');
    const readFor = Date.now() - asked;
    t.ok(readFor < underLoad(WAIT + SLACK), `${readFor} ms`);
    redis.process.kill('SIGCONT');
    await sayInTheEnd(client, 'back');
    t.ok((await held.events).length > 0, 'the poll waited');
    await nothingLost(t, client, ['first', 'back'], ['paused']);
    t.notMatch(server.stdout, /stands by|waits/);
  });

  void t.test(
    'Redis is out of memory: reads and the lease go on, deleting makes room',
    async (t) => {
      const { redis, server, client, reader } = await setUp(t, String(LASTING_LEASE / 1000));
      const doomed = await client.say('to be deleted');
      await redis.command('CONFIG', 'SET', 'maxmemory', '1');
      t.same(await texts(client), ['first', 'to be deleted'], 'reads go on');
      const until = Date.now() + LASTING_LEASE + 500;
      let writes = 0;
      for (; Date.now() < until; writes++) {
        refused(t, await post(client, 'too much'), 'a write');
        t.same(await texts(client), ['first', 'to be deleted'], 'a read');
        t.match(await exchange(server.url, 'GET', '/health'), {
          status: 200,
          body: { status: 'read_only' },
        });
        await pause(100);
      }
      t.ok(writes > 0);
      await deleteInTheEnd(client, doomed);
      t.same(await texts(client), ['first'], 'room was made');
      await reader.until(({ type }) => type === 'delete_message');
      await redis.command('CONFIG', 'SET', 'maxmemory', '0');
      await sayInTheEnd(client, 'back');
      t.same(await texts(client), ['first', 'back'], 'what was refused is not there');
      t.notMatch(server.stdout, /stands by|waits/);
    },
  );

  void t.test('writes are refused while Redis is read-only, and none is lost', async (t) => {
    const { redis, server, client, reader } = await setUp(t, '1');
    await redis.command('REPLICAOF', '127.0.0.1', '1');
    refused(t, await post(client, 'read-only'), 'a write');
    await server.printed(/^Parley waits on/m);
    await redis.command('REPLICAOF', 'NO', 'ONE');
    const id = await sayInTheEnd(client, 'back');
    await reader.until(({ message }) => (message as { id: number }).id === id);
    await nothingLost(t, client, ['first', 'back'], ['read-only']);
  });

  void t.test('Redis forgets what it had acknowledged: memory is built anew', async (t) => {
    const { redis, server, client } = await setUp(t, '60');
    const { queue_id, last_event_id } = await client.register();
    const held = await client.hold(queue_id, last_event_id);
    await redis.command('CONFIG', 'SET', 'appendonly', 'no');
    await client.say('will be forgotten');
    await held.events;
    await redis.kill();
    await redis.start();
    const reply = await post(client, 'after');
    t.equal(reply.status, 503, 'not built on what is gone');
    await server.printed(LEADS_AGAIN);
    await client.say('after all');
    const found = await texts(client);
    t.notOk(found.includes('will be forgotten'));
    t.ok(found.includes('after all'));
  });

  void t.test('a start without Redis waits for it', async (t) => {
    const { redis, server } = await startWithoutRedis(t);
    t.match(server.stdout, /^Parley waits on .* for its store: .*ECONNREFUSED/);
    t.match(server.stderr, /waiting for the store/, 'logged');
    const health = await exchange(server.url, 'GET', '/health');
    t.match(health, { status: 503, body: { status: 'unavailable' } });
    refused(t, await exchange(server.url, 'GET', '/api/v1/server_settings'), 'the API');
    await redis.start();
    await server.printed(/^Parley is listening on/m);
    t.ok(await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD));
    t.equal((await server.stop()).code, 0);
  });

  void t.test('a start that waits can be stopped', async (t) => {
    const { server } = await startWithoutRedis(t);
    t.equal((await server.stop()).code, 0);
  });

  void t.test('a wrong password ends the start, and is not shown', async (t) => {
    const redis = await startRedis(t, '--requirepass', 'right-secret');
    const address = `127.0.0.1:${redis.port}`;
    for (const [store, pattern] of [
      [`redis://:wrong-secret@${address}`, /^Cannot start: .*WRONGPASS/],
      [`redis://${address}`, /^Cannot start: .*NOAUTH/],
    ] as const) {
      const env = { PARLEY_LOG: 'silent', PARLEY_STATE: testFolder(t) };
      const exit = await run(['serve', '--port', '0', '--store', store], env);
      t.equal(exit.code, 1);
      t.match(exit.stderr, pattern);
      t.notMatch(exit.stderr + exit.stdout, /wrong-secret/);
    }
  });
}
