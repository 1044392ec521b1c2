import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pauseFor } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { seedOrganization } from '../../../bench/seed/seed.js';
import { ApiClient } from '../harness/client.js';
import { someTime } from '../harness/crowd/crash-crowd.js';
import { randomOfRun, scaled } from '../harness/scale.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer, storeFolder } from '../harness/server.js';
import { takesLess } from '../../fixtures/machine-load.js';

const CRASHES = scaled(3, 20);
const WRITERS = 4;
const MESSAGES = scaled(12_000, 200_000);
const SEARCHES = 20;
/** What others may wait, milliseconds. */
const LIMIT_MS = 10;
const FOLLOWS = /^Parley follows on http:\/\/[\d.]+:(\d+)/m;

/** Contents of what a search finds, the newest first. */
async function found(client: ApiClient, operand: string, most = 5000): Promise<string[]> {
  const page = await client.ok('GET', '/messages', {
    ...{ anchor: 'newest', num_before: most, num_after: 0, apply_markdown: false },
    narrow: [{ operator: 'search', operand }],
  });
  const messages = page['messages'] as { content: string }[];
  return messages.map(({ content }) => content).reverse();
}

const ALL = { anchor: 'newest', num_before: 5000, num_after: 0 };
const INDEXED = 'parley_search_indexed_messages';
const METRICS = { PARLEY_METRICS: '127.0.0.1:0' };

/** A figure of a server that was started with {@link METRICS}. */
async function figure(server: RunningServer, name: string): Promise<number> {
  const url = (await server.printed(/^Metrics are served on (\S+)$/m))[1]!;
  const text = await (await fetch(url)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? NaN);
}

/** Messages from which on a server has an index. */
const FEWEST = 100;

/** Resolves when the search index has everything that is there. */
async function settled(server: RunningServer): Promise<void> {
  while ((await figure(server, 'parley_search_lag_entries')) !== 0) await pauseFor(5);
}

const login = (server: RunningServer) => ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);

void t.test(`after each of ${CRASHES} crashes searches find what was acknowledged`, async (t) => {
  const random = randomOfRun(t);
  let server = await RunningServer.start(t, { env: METRICS });
  let owner = await login(server);
  const acknowledged: string[] = [];
  for (let round = 0; round < CRASHES; round++) {
    let ended = false;
    const write = async (writer: number): Promise<void> => {
      for (let i = 0; !ended; i++) {
        const content = `needle round${round} writer${writer} number${i}`;
        await owner.say(content);
        acknowledged.push(content);
      }
    };
    const writers = Array.from({ length: WRITERS }, (_, i) => write(i).catch(() => undefined));
    await someTime(random, 150, 900);
    ended = true;
    await server.kill();
    await Promise.all(writers);
    server = await server.restart(t);
    owner = await login(server);
    for (let look = 0; look < 2; look++) {
      const contents = new Set(await found(owner, 'needle'));
      const missing = acknowledged.filter((content) => !contents.has(content));
      t.same(missing, [], `all of ${acknowledged.length}, ${look === 0 ? 'at once' : 'indexed'}`);
      const some = acknowledged[Math.floor(random() * acknowledged.length)];
      if (some) t.same(await found(owner, some.replaceAll(/(\S+)/g, '"$1"')), [some]);
      await settled(server);
    }
  }
});

/** Server with many messages, and a file that tells the longest block of its event loop. */
async function watchedServer(t: Test) {
  const folder = storeFolder(t);
  const report = join(folder, 'longest');
  const probe = new URL('../../../bench/harness/measuring/loop-watch.js', import.meta.url).href;
  const env = {
    PARLEY_LOOP_WATCH: report,
    ...METRICS,
    NODE_OPTIONS: `--import=${probe}`,
  };
  const small = await RunningServer.serve(t, folder, { env });
  const setUp = await login(small);
  await setUp.call('POST', '/users/me/subscriptions', { subscriptions: [{ name: 'many' }] });
  await small.stop();
  const plan = { users: 10, outsiders: 0, messages: MESSAGES, queues: 0, channel: 'many' };
  await seedOrganization(`embedded:${folder}`, folder, plan);
  const server = await small.restart(t);
  const longestBlock = async (): Promise<number> => {
    rmSync(report, { force: true });
    while (!existsSync(report)) await pauseFor(5);
    return Number(readFileSync(report, 'utf8'));
  };
  /** Resolves when the index has all messages. */
  const indexed = async (): Promise<void> => {
    while (!((await figure(server, INDEXED)) >= MESSAGES)) {
      await pauseFor(50);
    }
  };
  return { server, owner: await login(server), longestBlock, indexed };
}

void t.test(`others wait for ${LIMIT_MS} ms at most while ${SEARCHES} searches run`, async (t) => {
  const { owner, longestBlock, indexed } = await watchedServer(t);
  const narrows = ['nosuchword', 'bench', '-bench', '"for the bench"', 'b', '12', 'message ben'];
  const searchAll = (): Promise<unknown> =>
    Promise.all(
      Array.from({ length: SEARCHES }, (_, i) => {
        const operand = narrows[i % narrows.length]!;
        const negated = operand.startsWith('-');
        return owner.ok('GET', '/messages', {
          ...{ anchor: 'newest', num_before: 20, num_after: 0 },
          narrow: [{ operator: 'search', operand: operand.replace('-', ''), negated }],
        });
      }),
    );
  await indexed();
  // Code that runs for the first time is slower, and does so once in the life of a process.
  for (let i = 0; i < 10; i++) await searchAll();
  await takesLess(t, 'a block of the event loop while they run', LIMIT_MS, async () => {
    await longestBlock();
    await searchAll();
    return longestBlock();
  });
  t.same(await found(owner, 'nosuchword'), []);
});

void t.test('a follower finds what the leader wrote, edited, moved and deleted', async (t) => {
  const options = { env: METRICS };
  const leader = await RunningServer.start(t, options);
  const follower = RunningServer.spawn(leader.folder, options);
  t.teardown(() => follower.kill());
  await follower.printed(FOLLOWS);
  await follower.listening();
  const here = await login(leader);
  const there = await login(follower);
  const same = async (operand: string, expected: string[], what: string): Promise<void> => {
    // Twice: by testing what changed of late, and by the index.
    for (let look = 0; look < 2; look++) {
      t.same(await found(there, operand), expected, `${what}, at the follower`);
      t.same(await found(here, operand), expected, `${what}, at the leader`);
      await Promise.all([settled(leader), settled(follower)]);
    }
  };
  for (let i = 0; i < FEWEST; i++) await here.say('one of many', 'general', 'many');
  const id = await there.say('Crème brûlée tonight', 'general', 'pudding');
  await there.say('nothing of it', 'general', 'other');
  await same('creme', ['Crème brûlée tonight'], 'sent');
  await there.ok('PATCH', `/messages/${id}`, { content: 'Apple pie tonight' });
  await same('creme', [], 'no more after the edit');
  await same('"apple pie" pudding', ['Apple pie tonight'], 'edited');
  const quietly = {
    send_notification_to_new_thread: false,
    send_notification_to_old_thread: false,
  };
  await there.ok('PATCH', `/messages/${id}`, { topic: 'dessert', ...quietly });
  await same('pudding', [], 'no more after the move');
  await same('dessert', ['Apple pie tonight'], 'moved');
  await there.ok('DELETE', `/messages/${id}`);
  await same('apple', [], 'deleted');
  const indexes = await Promise.all([leader, follower].map((server) => figure(server, INDEXED)));
  t.ok(Math.min(...indexes) >= FEWEST, 'both have an index');
  await leader.kill();
  await follower.printed(/^Parley is listening on/m);
  await there.say('pear cake', 'general', 'other');
  t.same(await found(there, 'pear'), ['pear cake'], 'and where it leads');
});

void t.test(
  'few messages are found without an index, which begins with the hundredth',
  async (t) => {
    const server = await RunningServer.start(t, { env: METRICS });
    const owner = await login(server);
    const before = await found(owner, 'number');
    t.same(before, []);
    const there = (await owner.ok('GET', '/messages', ALL))['messages'] as unknown[];
    for (let i = there.length + 1; i < FEWEST; i++) await owner.say(`number ${i}`);
    t.same((await found(owner, 'number')).length, FEWEST - 1 - there.length);
    t.equal(await figure(server, INDEXED), 0);
    t.equal(await figure(server, 'parley_search_lag_entries'), 0);
    const last = await owner.say('number 100');
    while ((await figure(server, INDEXED)) < FEWEST) await pauseFor(5);
    await settled(server);
    t.same((await found(owner, 'number')).length, FEWEST - there.length);
    await owner.ok('DELETE', `/messages/${last}`);
    t.same((await found(owner, 'number')).length, FEWEST - 1 - there.length);
  },
);
