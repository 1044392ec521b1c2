import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { freePort } from '../../../bench/harness/processes/free-port.js';
import { underLoad } from '../../fixtures/machine-load.js';
import { freshUrl, NO_REDIS, startRedis } from '../../src/store/fixtures/redis-server.js';
import { ApiClient, exchange } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, run, RunningServer } from '../harness/server.js';
import { testFolder } from '../../fixtures/test-folder.js';

const FOLLOWS = /^Parley follows on/m;

/** A program that lets nothing connect to a port while a file is there: as if its host were another one. */
const CUT_OFF = `
  import net from 'node:net';
  import { existsSync } from 'node:fs';
  const { connect } = net;
  net.connect = (options, ...more) =>
    connect(
      String(options.port) === process.env.TEST_CUT_PORT && existsSync(process.env.TEST_CUT_FILE)
        ? { ...options, port: 1 }
        : options,
      ...more,
    );
`;

async function health(url: string) {
  const { status, body } = await exchange(url, 'GET', '/health');
  return { status, state: body['status'] };
}

/** Resolves when a node tells this state. */
async function tells(url: string, state: string): Promise<number> {
  for (;;) {
    const found = await health(url);
    if (found.state === state) return found.status;
  }
}

async function besideLeader(t: Test, store: string, env: Readonly<Record<string, string>> = {}) {
  const port = await freePort();
  const leader = await RunningServer.start(t, {
    store,
    args: ['--node-address', `127.0.0.1:${port}`],
  });
  const follower = RunningServer.spawn(leader.folder, {
    store,
    env: { ...env, TEST_CUT_PORT: String(port) },
  });
  t.teardown(() => follower.kill());
  await follower.printed(FOLLOWS);
  await follower.listening();
  const here = await ApiClient.login(leader.url, OWNER_EMAIL, OWNER_PASSWORD);
  return { leader, follower, here, there: here.at(follower.url), port };
}

async function saysSo(t: Test, store: string): Promise<void> {
  const file = join(testFolder(t), 'cut');
  writeFileSync(file, '');
  const program = `data:text/javascript,${encodeURIComponent(CUT_OFF)}`;
  const nodes = await besideLeader(t, store, {
    NODE_OPTIONS: `--import ${program}`,
    TEST_CUT_FILE: file,
  });
  const { leader, follower, here, there, port } = nodes;
  t.equal(await tells(follower.url, 'leader_unreachable'), 503);
  t.same(await health(leader.url), { status: 200, state: 'ready' });
  await here.say('meanwhile');
  const asked = { anchor: 'newest', num_before: 1, num_after: 0, apply_markdown: false };
  for (;;) {
    const { messages } = await there.ok('GET', '/messages', asked);
    if ((messages as { content: string }[])[0]?.content === 'meanwhile') break;
  }
  const began = Date.now();
  const content = { type: 'channel', to: 'general', topic: 'x', content: 'late' };
  const refused = await there.call('POST', '/messages', content);
  t.equal(refused.status, 503);
  t.match(refused.body, { msg: 'This server does not reach the one that makes changes' });
  t.ok(Date.now() - began < underLoad(1000), `refused after ${Date.now() - began} ms`);
  const why = `"reason":"127.0.0.1:${port}: connect ECONNREFUSED.*the leader cannot be reached`;
  // The log tells it a moment after the health.
  while (!new RegExp(why).test(follower.stderr)) await health(follower.url);

  rmSync(file);
  t.equal(await tells(follower.url, 'ready'), 200);
  await there.say('again');
}

void t.test('config check says which nodes an address is for', async (t) => {
  const said = async (...flags: string[]): Promise<string> =>
    (await run(['config', 'check', ...flags])).stdout;
  const redis = ['--store', 'redis://10.0.0.2:6379'];
  t.match(
    await said(...redis),
    /^Note: --node-address 127\.0\.0\.1 is for nodes of this machine only: while this node leads, those of other machines serve reads and refuse changes$/m,
  );
  t.notMatch(await said(...redis, '--node-address', '10.0.0.11:9981'), /Note/);
  t.notMatch(await said('--node-address', '127.0.0.1:9981'), /Note/, 'of an embedded store');
  t.match(JSON.parse(await said(...redis, '--json')), { valid: true, notes: [/^--node-address/] });
});

void t.test('on an embedded store a follower that cannot reach its leader says so', (t) =>
  saysSo(t, `embedded:${join(testFolder(t), 'data')}`),
);

void t.test('on Redis', { skip: NO_REDIS ?? false }, async (t) => {
  const redis = await startRedis(t);

  await t.test('a follower that cannot reach its leader says so', (t) =>
    saysSo(t, freshUrl(redis.port)),
  );

  await t.test('a follower says that the store takes no writes', async (t) => {
    const { leader, follower, here, there } = await besideLeader(t, freshUrl(redis.port));
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    const content = { type: 'channel', to: 'general', topic: 'x', content: 'full' };
    t.equal((await here.call('POST', '/messages', content)).status, 503);
    t.equal(await tells(leader.url, 'read_only'), 200);
    t.equal(await tells(follower.url, 'read_only'), 200);
    t.equal((await there.call('GET', '/users/me')).status, 200);
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    t.equal(await tells(follower.url, 'ready'), 200);
    await there.say('there is room');
  });
});
