/** A Redis that goes back in time, is emptied, or fails over to a replica without the last commits. */
import t from 'tap';
import {
  freshUrl,
  NO_REDIS,
  startRedis,
  startSentinel,
} from '../../src/store/fixtures/redis-server.js';
import { exchange } from '../harness/client.js';
import { SeenBefore } from '../harness/seen-before.js';
import { RunningServer } from '../harness/server.js';

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
