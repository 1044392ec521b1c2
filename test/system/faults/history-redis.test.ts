/** A Redis that goes back in time, is emptied, or fails over to a replica without the last commits. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import {
  freshUrl,
  NO_REDIS,
  startRedis,
  startSentinel,
} from '../../src/store/fixtures/redis-server.js';
import { TcpProxy } from '../harness/campaign/tcp-proxy.js';
import { ApiClient, exchange } from '../harness/client.js';
import { SeenBefore } from '../harness/seen-before.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer, storeFolder } from '../harness/server.js';

const LEADS_AGAIN = /^Parley is listening on[^]*^Parley is listening on/m;

// Loaded machines take long to start processes.
t.setTimeout(300_000);

if (NO_REDIS !== null) {
  t.plan(0, NO_REDIS);
} else {
  void t.test('Redis: what was acknowledged is gone', async (t) => {
    // Keeps what SAVE wrote, and nothing after it.
    const redis = await startRedis(t);
    const options = { store: freshUrl(redis.port), env: { PARLEY_LEASE: '2' } };
    let server = await RunningServer.start(t, options);
    const client = await SeenBefore.begin(server.url);
    await client.live('kept');
    await redis.command('SAVE');
    await client.live('lost');
    await redis.kill();
    await redis.start();
    await server.printed(LEADS_AGAIN);
    await client.comesBack(t, server.url, 'under a running server');
    await redis.command('SAVE');
    await client.live('lost');
    await server.stop();
    await redis.kill();
    await redis.start();
    server = await server.restart(t);
    await client.comesBack(t, server.url, 'while nothing ran');
  });

  void t.test('Redis: emptied under a running server', async (t) => {
    const redis = await startRedis(t);
    // Long enough for a process that gets no processor for a while, on a busy machine.
    const options = { store: freshUrl(redis.port), env: { PARLEY_LEASE: '3' } };
    const server = await RunningServer.start(t, options);
    const client = await SeenBefore.begin(server.url);
    await client.live('one');
    await redis.command('SAVE');
    await redis.command('FLUSHALL');
    await server.printed(/waits on .* holds no organization.*: it has served one/);
    t.match(await exchange(server.url, 'GET', '/health'), {
      status: 503,
      body: { status: 'unavailable' },
    });
    t.equal(await redis.command('DBSIZE'), 0, 'nothing is made');
    await server.kill();
    const again = RunningServer.spawn(server.folder, options);
    t.teardown(() => again.kill());
    await again.listening();
    t.match(
      again.stdout,
      /waits on .* holds no organization.*state-127\.0\.0\.1-.*witness\.json knows of one/,
    );
    // Whoever restores it finds it served again.
    await redis.kill();
    await redis.start();
    await again.ready();
    await client.goesOn(t, again.url, 'restored');
  });

  void t.test('Redis: a leader gives positions again that another node has seen', async (t) => {
    const redis = await startRedis(t);
    const store = freshUrl(redis.port);
    const proxy = await TcpProxy.open(t, redis.port);
    const folder = storeFolder(t);
    const start = (state: string, port = redis.port): RunningServer => {
      const server = RunningServer.spawn(folder, {
        store: store.replace(`:${redis.port}`, `:${port}`),
        env: { PARLEY_LEASE: '2', PARLEY_STATE: state },
      });
      t.teardown(() => server.kill());
      return server;
    };
    const positionAt = async ({ url }: RunningServer): Promise<number> =>
      Number((await exchange(url, 'GET', '/health')).body['position'] ?? 0);
    /** A node that knows of nothing takes the lead, and goes on until it is behind a position. */
    const goesOn = async (state: string, had: number) => {
      await redis.kill();
      await redis.start();
      const leader = start(state);
      await leader.ready();
      const client = await ApiClient.login(leader.url, OWNER_EMAIL, OWNER_PASSWORD);
      const { queue_id } = await client.register();
      while ((await positionAt(leader)) <= had) await client.say('in place of what is lost');
      return { leader, client, queue_id };
    };

    const first = start('first');
    await first.ready();
    let knows = start('knows', proxy.port);
    await knows.printed(/^Parley follows on/m);
    await knows.listening();
    const seen = await SeenBefore.begin(knows.url);
    await seen.live('kept');
    await redis.command('SAVE');
    await seen.live('lost');
    let had = await positionAt(knows);
    proxy.cut();
    await first.kill();
    const second = await goesOn('second', had);
    proxy.heal(true);
    await knows.ready();
    await seen.comesBack(t, knows.url, 'a follower that runs');
    const ended = { queue_id: second.queue_id, last_event_id: -1, dont_block: true };
    t.match(await second.client.at(knows.url).call('GET', '/events', ended), {
      body: { code: 'BAD_EVENT_QUEUE_ID' },
    });

    await redis.command('SAVE');
    await seen.live('lost');
    had = await positionAt(knows);
    const file = join(folder, 'knows', '1', 'witness.json');
    const recorded = async (): Promise<number> =>
      Number((JSON.parse(await readFile(file, 'utf8')) as { seq: number }).seq);
    while ((await recorded()) < had) await pause(20);
    await knows.kill();
    await second.leader.kill();
    await goesOn('third', had);
    knows = start('knows', proxy.port);
    await knows.ready();
    await seen.comesBack(t, knows.url, 'a node that was started again');
  });

  /** Much longer than what is written to the master alone takes, also on a busy machine. Milliseconds. */
  const FAILOVER_MS = 120_000;

  void t.test('Redis: a forced fail-over to a replica without the last commits', async (t) => {
    const master = await startRedis(t);
    const replica = await startRedis(t, '--replicaof', `127.0.0.1 ${master.port}`);
    const sentinel = await startSentinel(t, 'chat', master.port, null, FAILOVER_MS);
    await sentinel.knows(replica.port);
    await replica.says(/sync: Finished with success/);
    const server = await RunningServer.start(t, {
      store: `redis+sentinel://127.0.0.1:${sentinel.port}/chat`,
      env: { PARLEY_LEASE: '2' },
    });
    const client = await SeenBefore.begin(server.url);
    await client.live('replicated');
    await master.command('WAIT', '1', '5000');
    // Asks a master that is not there for what comes next.
    await replica.command('REPLICAOF', '127.0.0.1', '1');
    await client.live('acknowledged, and lost');
    await sentinel.command('SENTINEL', 'FAILOVER', 'chat');
    await server.printed(LEADS_AGAIN);
    t.match(await replica.command('ROLE'), ['master']);
    await client.comesBack(t, server.url, 'the replica leads');
  });
}
