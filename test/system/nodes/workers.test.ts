/** `parley serve --workers N`: several processes behind one port, from the first start to the last signal. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { freshUrl, NO_REDIS, startRedis } from '../../src/store/fixtures/redis-server.js';
import { ApiClient } from '../harness/client.js';
import {
  OWNER_EMAIL,
  OWNER_PASSWORD,
  run,
  storeFolder,
  type ServerOptions,
} from '../harness/server.js';
import { SocketReader } from '../harness/socket-reader.js';
import { InsistentClient, InsistentPoller, lives, until, WorkerGroup } from './fixtures/workers.js';
import { underLoad } from '../../fixtures/machine-load.js';

t.setTimeout(400_000);

/** How soon another worker takes writes after the leader was killed. Milliseconds. */
const FAILOVER_MS = 3000;
/** How soon one does after the leader was told to end, on machines that others use too. Milliseconds. */
const HAND_OVER_MS = 1000;

const login = ({ server }: WorkerGroup) => ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);

const message = (content: string) => ({
  type: 'channel',
  to: 'general',
  topic: 'workers',
  content,
});

/** Ends a group, on which nothing else can be tested then. */
async function endsAll(t: Test, group: WorkerGroup, signal: 'SIGTERM' | 'SIGINT'): Promise<void> {
  const owner = await login(group);
  const { terms } = group;
  const poller = await owner.register({ event_types: ['message'] });
  const { events } = await owner.hold(poller.queue_id, poller.last_event_id);
  const exit = await group.server.stop(signal);
  t.match(exit, { code: 0, signal: null });
  t.comment(`ended in ${exit.ms} ms`);
  t.same(group.alive, [], 'no worker is left');
  t.equal(group.terms, terms, 'the leader led to the end');
  t.same(await events, [], 'the waiting poll was answered');
}

async function seenNodes(group: WorkerGroup): Promise<unknown[]> {
  const { nodes } = await (await login(group)).ok('GET', '/realm/console');
  return nodes as unknown[];
}

async function nodesInBundledLog(group: WorkerGroup): Promise<ReadonlySet<unknown>> {
  const { bundle } = await (await login(group)).ok('POST', '/realm/console/support_bundle');
  const { log } = JSON.parse(String(bundle)) as { log: { node_id: string }[] };
  return new Set(log.map(({ node_id }) => node_id));
}

/** What holds of three workers. Each test leaves as many behind, the last one none. */
async function threeWorkers(t: Test, options: ServerOptions): Promise<void> {
  const group = await WorkerGroup.start(t, 3, options);

  void t.test('workers share a port, of whom one leads', async (t) => {
    const { stdout, url } = group.server;
    t.equal(stdout.match(/^Parley .*$/gm)?.join(), `Parley is listening on ${url} with 3 workers`);
    t.equal(stdout.match(/was created/g)?.length, 1, 'one organization');
    t.equal(stdout.match(/password:/g)?.length, 1, 'whose owner is told once');
    await until('all of them tell', async () => (await seenNodes(group)).length === 3);
    // The console has not asked for the log. Each waits for the others; on a busy machine one of them may be late.
    let bundled: ReadonlySet<unknown> = new Set();
    for (let i = 0; i < 3 && bundled.size < 3; i++) bundled = await nodesInBundledLog(group);
    t.same(bundled.size, 3, 'a support bundle has the log of all of them');
    const nodes = [...(await group.nodes()).values()];
    t.same(nodes.map(({ role }) => role).sort(), ['follower', 'follower', 'leader']);
    const leader = nodes.find(({ role }) => role === 'leader')!;
    t.match(leader, { status: 'ready', lag_ms: 0, position: Number });
    for (const node of nodes) t.equal(node.leader, leader.node);
    t.same(
      group
        .lines('following')
        .map(({ worker }) => worker)
        .sort(),
      [2, 3],
      'the log says of which worker it tells',
    );

    const owner = await login(group);
    const poller = new InsistentPoller(owner);
    await poller.open();
    const snapshot = await owner.register({ event_types: ['message'] });
    const { queue_id, last_event_id } = snapshot;
    const socket = await SocketReader.open(owner, { queue_id, last_event_id });
    const contents = Array.from({ length: 30 }, (_, i) => `message ${i}`);
    const sent = await Promise.all(
      contents.map((one) => owner.call('POST', '/messages', message(one))),
    );
    t.same(new Set(sent.map(({ status }) => status)), new Set([200]));
    await owner.ok('POST', '/messages', message('the end'));
    await poller.sees('the end');
    t.same([...poller.contents].sort(), [...contents, 'the end'].sort());
    t.equal((await socket.take(31)).length, 31);
    socket.close();
  });

  void t.test('a rolling restart under load fails nothing and loses nothing', async (t) => {
    const owner = await login(group);
    const pollers = Array.from({ length: 4 }, () => new InsistentPoller(owner));
    for (const poller of pollers) await poller.open();
    const writers = Array.from({ length: 4 }, () => new InsistentClient(owner));
    const readers = Array.from({ length: 4 }, () => new InsistentClient(owner));
    let over = false;
    const sent: string[] = [];
    const write = async (writer: InsistentClient, w: number): Promise<void> => {
      const { body } = await writer.call('POST', '/register', { event_types: ['reaction'] });
      const queueId = String(body.queue_id);
      for (let i = 0; await InsistentClient.paced(() => over); i++) {
        const content = `${w}.${i}`;
        const once = { queue_id: queueId, local_id: content };
        await writer.call('POST', '/messages', { ...message(content), ...once });
        sent.push(content);
      }
    };
    const read = async (reader: InsistentClient): Promise<void> => {
      while (await InsistentClient.paced(() => over)) await reader.call('GET', '/users/me', {});
    };
    const register = async (reader: InsistentClient): Promise<void> => {
      while (await InsistentClient.paced(() => over)) {
        const { body } = await reader.call('POST', '/register', { event_types: ['reaction'] });
        // One user has a limited number, beyond which the longest unused one ends.
        await owner.call('DELETE', '/events', { queue_id: body.queue_id }).catch(() => null);
      }
    };
    const load = Promise.all([
      ...writers.map(write),
      ...readers.slice(1).map(read),
      register(readers[0]!),
    ]);
    await until('all write', () => sent.length > 50);
    const { alive: former, terms } = group;
    process.kill(group.server.pid, 'SIGHUP');
    await until('it is over', () => group.lines('rolling restart is over').length === 1);
    const afterwards = sent.length;
    await until('all write on', () => sent.length > afterwards + 50);
    over = true;
    await load;
    await new InsistentClient(owner).call('POST', '/messages', message('the end'));
    await Promise.all(pollers.map((poller) => poller.sees('the end')));
    t.same(
      former.filter((pid) => lives(pid)),
      [],
      'every worker is another process',
    );
    t.equal(group.alive.length, 3);
    t.equal(group.terms, terms + 1, 'the leader changed once');
    for (const poller of pollers) {
      t.same([...poller.contents].sort(), [...sent, 'the end'].sort(), 'each message once');
    }
    const longest = (all: readonly InsistentClient[]): number =>
      Math.round(Math.max(...all.map(({ longestMs }) => longestMs)));
    const again = (all: readonly InsistentClient[]): number =>
      all.reduce((sum, one) => sum + one.again, 0);
    t.comment(
      `${Number(group.lines('rolling restart is over')[0]!.ms)} ms, ${sent.length} messages: ` +
        `longest write ${longest(writers)} ms, sent again ${again(writers)} times; ` +
        `longest read ${longest(readers)} ms, ${again(readers)} times; polls ${again(pollers)} times`,
    );
  });

  void t.test('SIGTERM ends all, and nobody takes the lead meanwhile', (t) =>
    endsAll(t, group, 'SIGTERM'),
  );
}

/** What holds of two workers. Each test leaves as many behind, the last one none. */
async function twoWorkers(t: Test, options: ServerOptions): Promise<void> {
  const group = await WorkerGroup.start(t, 2, options);

  void t.test('the leader is killed: writes go on, and it is started again', async (t) => {
    const owner = await login(group);
    const { leader } = group;
    const writer = new InsistentClient(owner);
    process.kill(leader, 'SIGKILL');
    const began = performance.now();
    await writer.call('POST', '/messages', message('after the leader'));
    const tookMs = performance.now() - began;
    t.ok(tookMs < underLoad(FAILOVER_MS), `took ${tookMs} ms`);
    t.comment(`first write after ${Math.round(tookMs)} ms`);
    t.not(group.leader, leader);
    await group.allServe();
    t.comment(`both serve after ${Math.round(performance.now() - began)} ms`);
    t.equal(group.alive.length, 2);
    t.equal(group.pids.length, 3);
    t.match(group.lines('a worker ended unexpectedly'), [{ worker: 1, signal: 'SIGKILL' }]);
  });

  void t.test('a worker that is told to end by itself is replaced', async (t) => {
    const owner = await login(group);
    const { leader, terms } = group;
    const began = performance.now();
    process.kill(leader, 'SIGTERM');
    await until('another leads', () => group.terms > terms);
    const told = Number(group.lines('stopping').at(-1)!.time);
    const tookMs = Number(group.lines('ready').at(-1)!.time) - told;
    t.comment(`handed over in ${tookMs} ms`);
    t.ok(tookMs < underLoad(HAND_OVER_MS), `took ${tookMs} ms`);
    const writer = new InsistentClient(owner);
    await writer.call('POST', '/messages', message('after the leader'));
    await group.allServe();
    t.comment(`both serve after ${Math.round(performance.now() - began)} ms`);
    t.equal(lives(leader), false);
  });

  void t.test('SIGINT ends all, and nobody takes the lead meanwhile', (t) =>
    endsAll(t, group, 'SIGINT'),
  );
}

/** What holds on every store. @param optionsOf of the servers on a new store */
function workerTests(t: Test, optionsOf: () => ServerOptions): void {
  void t.test('three workers', (t) => threeWorkers(t, optionsOf()));
  void t.test('two workers', (t) => twoWorkers(t, optionsOf()));
}

/** What the supervisor alone does, whatever the store. @param optionsOf of the servers on a new store */
function supervisorTests(t: Test, optionsOf: () => ServerOptions): void {
  void t.test('the supervisor is killed: its workers end by themselves', async (t) => {
    const group = await WorkerGroup.start(t, 3, optionsOf());
    t.equal(group.alive.length, 3);
    const began = performance.now();
    await group.server.kill();
    await until('workers end', () => group.alive.length === 0);
    t.comment(`ended in ${Math.round(performance.now() - began)} ms`);

    const { folder, options } = group.server;
    for (const after of [1, 3]) {
      const next = WorkerGroup.spawn(t, 3, folder, options);
      await until('workers start', () => next.pids.length >= after);
      await next.server.kill();
      await until('workers end', () => next.alive.length === 0);
      t.ok(next.pids.length >= after, 'none is left of those that were starting');
    }
  });
}

void t.test('on an embedded store workers share a port', (t) => {
  workerTests(t, () => ({}));
  supervisorTests(t, () => ({}));
  t.end();
});

void t.test('on Redis workers share a port', { skip: NO_REDIS ?? false }, async (t) => {
  const redis = await startRedis(t);
  workerTests(t, () => ({ store: freshUrl(redis.port) }));
});

void t.test('a fault that no restart cures ends the start with its status', async (t) => {
  const folder = storeFolder(t);
  const serve = (...args: string[]) =>
    run(['serve', '--workers', '2', '--store', `embedded:${folder}`, ...args]);

  const usage = await serve('--workers', 'many');
  t.match(usage, { code: 2, stderr: /--workers: many is not a number of processes/ });

  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  t.match(await serve('--port', String(port)), {
    code: 1,
    stderr: new RegExp(`Cannot start: Cannot listen on 127.0.0.1:${port}: the port is in use`),
  });
  taken.close();

  writeFileSync(join(folder, 'bad.json'), '{}', { mode: 0o600 });
  const broken = await serve('--port', '0', '--jwt', join(folder, 'bad.json'));
  t.equal(broken.code, 1);
  t.equal(broken.stderr.match(/Cannot start: /g)?.length, 1, 'told once');
});

void t.test('two servers do not share a port unnoticed', async (t) => {
  const group = await WorkerGroup.start(t, 2);
  const port = String(group.server.port);
  const other = `embedded:${storeFolder(t)}`;
  for (const workers of ['1', '2']) {
    const exit = await run(['serve', '--port', port, '--workers', workers, '--store', other]);
    t.match(exit, { code: 1, stderr: /Cannot listen on/ }, `${workers} more`);
  }

  const { folder } = group.server;
  t.match(await group.server.stop(), { code: 0 });
  writeFileSync(join(folder, 'api-keys.secret'), Buffer.alloc(32, 7), {
    mode: 0o600,
  });
  const foreign = await run([
    'serve',
    '--workers',
    '2',
    '--port',
    '0',
    '--store',
    `embedded:${folder}`,
  ]);
  const refusal = /come from another secret than this process has/;
  t.match(foreign, { code: 1, stderr: refusal }, 'a process with another secret does not serve');
});
