/** A replica of the store is gone: what a node that leads, one that follows, and the operator's tools say of it. */
import t, { type Test } from 'tap';
import { freshUrl, NO_REDIS, startRedis } from '../../src/store/fixtures/redis-server.js';
import { ApiClient, exchange, type WireEvent } from '../harness/client.js';
import { QueueReader } from '../harness/queue-reader.js';
import { OWNER_EMAIL, OWNER_PASSWORD, run, RunningServer } from '../harness/server.js';

// Loaded machines take long to start processes.
t.setTimeout(300_000);

async function twoReplicas(t: Test) {
  const settings = ['--repl-diskless-sync-delay', '0'];
  const master = await startRedis(t, ...settings);
  const follow = ['--replicaof', `127.0.0.1 ${master.port}`];
  const replicas = [
    await startRedis(t, ...settings, ...follow),
    await startRedis(t, ...settings, ...follow),
  ];
  for (const replica of replicas) await replica.says(/sync: Finished with success/);
  return { master, replica: replicas[0]! };
}

/** Waits until `/health` says that. */
async function says(url: string, status: number, state: string, have: number): Promise<void> {
  const wanted = JSON.stringify([status, state, { have, wanted: 2 }]);
  for (let said = ''; said !== wanted;) {
    const { status: code, body } = await exchange(url, 'GET', '/health');
    said = JSON.stringify([code, body['status'], body['store_replicas']]);
  }
}

async function figuresOf(metrics: string): Promise<string[]> {
  const text = await (await fetch(metrics)).text();
  return text
    .split('\n')
    .filter((line) => /^parley_(?:store_replicas|commits_undecided)/.test(line));
}

if (NO_REDIS !== null) {
  t.plan(0, NO_REDIS);
} else {
  void t.test('too few replicas: changes wait, reads are served, and all say why', async (t) => {
    const { master, replica } = await twoReplicas(t);
    const options = {
      store: freshUrl(master.port),
      env: {
        PARLEY_STORE_REPLICAS: '2',
        PARLEY_STORE_WAIT: '2',
        PARLEY_METRICS: '127.0.0.1:0',
        PARLEY_LOG: 'info',
      },
    };
    const leader = await RunningServer.start(t, options);
    const follower = RunningServer.spawn(leader.folder, options);
    t.teardown(() => follower.kill());
    await follower.printed(/^Parley follows on/m);
    await follower.listening();
    const told = await leader.printed(/^Metrics are served on (\S+)$/m);
    const metrics = told[1]!;
    const owner = await ApiClient.login(follower.url, OWNER_EMAIL, OWNER_PASSWORD);
    const reader = await QueueReader.open(owner, { event_types: ['message'] });
    const before = await owner.say('before');
    await reader.until(({ type }) => type === 'message');
    const near = await QueueReader.open(owner.at(leader.url), { event_types: ['message'] });
    await says(leader.url, 200, 'ready', 2);
    await says(follower.url, 200, 'ready', 2);

    // Who leads may have been replaced beside a master that was, and another node have told of more.
    const { authorization: Authorization } = owner;
    const naming = async (position: number) => {
      const headers = { Authorization, 'Parley-Position': String(position) };
      const { status, body } = await exchange(leader.url, 'GET', '/api/v1/users/me', { headers });
      return [status, body['msg']];
    };
    const { body: known } = await exchange(leader.url, 'GET', '/health');
    t.same(await naming(Number(known['position'])), [200, '']);
    const msgBehind = 'The server is behind the position of the request';
    t.same(await naming(Number(known['position']) + 1000), [503, msgBehind]);

    await replica.command('REPLICAOF', 'NO', 'ONE');
    // Before anything waits for it.
    await says(leader.url, 200, 'read_only', 1);
    await says(follower.url, 200, 'read_only', 1);
    t.same(await figuresOf(metrics), [
      'parley_store_replicas 1',
      'parley_store_replicas_wanted 2',
      'parley_commits_undecided 0',
    ]);
    // Another node may lead beside a master that has taken the place of this one, and have made that message.
    for (const node of [owner, owner.at(leader.url)]) {
      const react = { emoji_name: 'tada' };
      const { status, body } = await node.call('POST', `/messages/${before + 1}/reactions`, react);
      t.match(
        [status, body.msg],
        [503, /^The store is not available/],
        'nobody says that it is not there',
      );
    }
    const asked = { type: 'channel', to: 'general', topic: 'test', content: 'undecided' };
    const atLeader = owner.at(leader.url);
    const [refused, ...others] = await Promise.all([
      atLeader.call('POST', '/messages', asked),
      atLeader.call('PATCH', `/messages/${before}`, { content: 'undecided, too' }),
      atLeader.call('POST', `/messages/${before}/reactions`, { emoji_name: 'tada' }),
    ]);
    const msg = 'The store is not available: 1 of 2 replicas of the store have the newest change';
    for (const { status, body } of [refused, ...others]) {
      t.equal(status, 503);
      t.equal(body.msg, msg);
    }
    await says(leader.url, 200, 'read_only', 1);
    await says(follower.url, 200, 'read_only', 1);
    t.same(await figuresOf(metrics), [
      'parley_store_replicas 1',
      'parley_store_replicas_wanted 2',
      'parley_commits_undecided 3',
    ]);
    const flags = ['--store', options.store, '--count', '1', '--interval', '1'];
    const { stdout } = await run(['top', ...flags], {}, leader.folder);
    t.match(stdout, /\(none, 3 pending, 1 of 2 replicas\)/);
    const history = { anchor: 'newest', num_before: 1, num_after: 0, apply_markdown: false };
    for (const node of [owner, atLeader]) {
      const { messages } = await node.ok('GET', '/messages', history);
      t.match(messages, [{ content: 'before', reactions: [] }], 'what is decided is served');
      const later = await node.call('POST', '/messages', asked);
      t.match([later.status, later.body.msg], [503, msg], 'at once');
    }
    for (const one of [reader, near]) {
      t.same(
        (await one.now()).filter(({ type }) => type !== 'heartbeat'),
        [],
      );
    }

    await replica.command('REPLICAOF', '127.0.0.1', String(master.port));
    await says(leader.url, 200, 'ready', 2);
    await says(follower.url, 200, 'ready', 2);
    await owner.say('after');
    for (const one of [reader, near]) {
      const isLast = ({ message }: WireEvent): boolean =>
        (message as { content?: string } | undefined)?.content === 'after';
      const events = await one.until(isLast);
      t.match(
        events.filter(({ type }) => type === 'message').map(({ message }) => message),
        [{ content: 'undecided' }, { content: 'after' }],
        'it is told once',
      );
    }
    for (const node of [owner, atLeader]) {
      const { messages } = await node.ok('GET', '/messages', { ...history, num_before: 3 });
      t.match(messages, [
        { content: 'undecided, too', reactions: [{ emoji_name: 'tada' }] },
        { content: 'undecided' },
        { content: 'after' },
      ]);
    }
    for (const line of [
      /1 of 2 replicas of the store have the newest change.*too few replicas: the next change will wait/,
      /1 of 2 replicas of the store have the newest change.*the store does not take commits/,
      /the store takes commits again/,
    ]) {
      t.match(leader.stderr, line);
    }
  });
}
