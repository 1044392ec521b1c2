/** Organizations that leave memory and come back: nobody sees a difference, but for what it costs. */
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { readCommand } from '../../../src/cli/command-line.js';
import type { Config } from '../../../src/config/config.js';
import { clock, rounds, untilHolds } from '../../../src/testing/clock.js';
import {
  at as placed,
  carryOut,
  configOf,
  create,
  DEADLINE_MS,
  placeFor,
  serve as started,
  status,
  type Served,
} from '../../fixtures/several.js';
import { agent, ApiClient, exchange } from '../../system/harness/client.js';
import { OWNER_EMAIL } from '../../system/harness/server.js';

/** What takes longer on the machine has gone wrong. Milliseconds. */
const PATIENCE_MS = 20_000;
/** Nobody else can take the role: renewals would only make the time go on in more steps. Milliseconds. */
const LEASE_MS = 86_400_000;

function run(config: Config, ...words: string[]): Promise<unknown> {
  return carryOut(readCommand(['organizations', ...words, ...placed(config)], {}));
}

/** Serves by the clock of tests, which goes on when nothing is under way. */
async function serve(t: Test, config: Config): Promise<Served> {
  const holder: { served?: Served } = {};
  const timed = {
    settle: async (): Promise<void> => {
      await rounds(3);
      if (!holder.served) return;
      const { app } = holder.served;
      const roles = [app.role, ...app.residents.all.map((one) => one.role)];
      const isStill = (): boolean =>
        !app.residents.areMoving && roles.every(({ figures }) => (figures?.pending ?? 0) === 0);
      await untilHolds(isStill, PATIENCE_MS);
    },
  };
  clock.use(timed);
  t.teardown(() => clock.delete(timed));
  const served = await started(t, { ...config, leaseMs: LEASE_MS });
  holder.served = served;
  return served;
}

async function health(url: string): Promise<string> {
  return ((await exchange(url, 'GET', '/health')).body as { status: string }).status;
}

/** A process with organizations, and who owns them. */
async function several(t: Test, ...names: readonly string[]) {
  const folder = join(placeFor(t), 'data');
  const config = configOf(folder);
  const served = await serve(t, config);
  const owners: ApiClient[] = [];
  for (const name of names) {
    const { password } = await create(config, name);
    owners.push(await ApiClient.login(served.at(`${name}.test`), OWNER_EMAIL, password));
  }
  return { folder, config, served, owners };
}

void t.test('one that nobody uses sleeps, and its next request wakes it', async (t) => {
  const { config, served, owners } = await several(t, 'birch', 'cedar');
  const [birch, cedar] = [owners[0]!, owners[1]!];
  const { queue_id } = await birch.register({ event_types: ['message'], idle_queue_timeout: 7200 });
  await birch.ok('POST', '/users/me/subscriptions', { subscriptions: [{ name: 'plans' }] });
  await birch.say('before', 'plans');
  await clock.advance('14 minutes');
  t.equal(await health(birch.url), 'ready');
  await cedar.ok('GET', '/users/me');
  await clock.advance('2 minutes');
  t.equal(await health(birch.url), 'asleep');
  t.equal(await health(cedar.url), 'ready', 'the other one was used');
  t.match(await exchange(birch.url, 'GET', '/health'), { status: 200 }, 'which wakes nobody');
  t.match(await run(config, 'show', 'birch'), {
    ...{ state: 'active', health: 'asleep' },
    // The oldest record of what administrators changed is kept for a year.
    wakes: /^\d{4}-/,
  });
  t.match(served.app.residents.counts, { loaded: 1, asleep: 1 });

  const all = await Promise.all([
    birch.ok('GET', '/users/me'),
    birch.say('after', 'plans'),
    birch.ok('GET', '/server_settings'),
  ]);
  t.equal(all[0]['user_id'], birch.userId, 'requests that come together wait together');
  t.equal(served.app.residents.counts.wakes, 1);
  t.equal(await health(birch.url), 'ready');
  const query = { queue_id, last_event_id: -1, dont_block: true };
  const { events } = await birch.ok('GET', '/events', query);
  const contents = (events as { message: { content: string } }[]).map((one) => one.message.content);
  t.match(contents.slice(-2), [/before/, /after/]);
});

void t.test('a body of several megabytes waits with its request, and arrives whole', async (t) => {
  const { config, owners } = await several(t, 'birch');
  const birch = owners[0]!;
  await clock.advance('1 minute');
  await run(config, 'sleep', 'birch');
  const content = 'abcdefghijklm'.repeat(250_000);
  const body = `--x\r\nContent-Disposition: form-data; name="file"; filename="large.txt"\r\n\r\n${content}\r\n--x--\r\n`;
  const headers = {
    Authorization: birch.authorization,
    'Content-Type': 'multipart/form-data; boundary=x',
  };
  const sent = await exchange(birch.url, 'POST', '/api/v1/user_uploads', { body, headers });
  t.equal(sent.status, 200);
  const link = await birch.ok('GET', String(sent.body['url']));
  t.match(link, { url: /large/ });
  await clock.advance('1 minute');
  await run(config, 'sleep', 'birch');
  const refused = await exchange(birch.url, 'POST', '/api/v1/user_uploads', {
    body,
    headers: { ...headers, Authorization: 'Basic bm9ib2R5Ong=' },
  });
  t.equal(refused.status, 401, 'who is refused has sent it in vain');
  t.equal(await status(birch.url), 200);
});

void t.test('a poll, a stream or a socket keeps it awake, and what is due soon does', async (t) => {
  const { config, owners } = await several(t, 'birch');
  const birch = owners[0]!;
  const { queue_id } = await birch.register({ event_types: ['message'] });
  await clock.advance('1 minute');
  const query = { queue_id, last_event_id: -1 };
  const poll = birch.call('GET', '/events', query);
  await clock.advance('3 seconds');
  await t.rejects(run(config, 'sleep', 'birch'), /birch stays in memory: somebody is connected/);
  await clock.advance('1 minute');
  await poll;
  const address = `${birch.url.replace('http', 'ws')}/api/v1/events?queue_id=${String(queue_id)}&last_event_id=-1`;
  const socket = new WebSocket(address, 'parley.v1', {
    agent,
    headers: { Authorization: birch.authorization },
  });
  await new Promise((resolve) => socket.once('open', resolve));
  await clock.advance('30 minutes');
  t.equal(await health(birch.url), 'ready');
  socket.terminate();
  await clock.advance('10 minutes');
  const soon = clock.wall.getTime() / 1000 + 9 * 60;
  await later(birch, soon);
  await clock.advance('8 minutes');
  t.equal(await health(birch.url), 'ready');
  await clock.advance('26 minutes');
  t.equal(await health(birch.url), 'asleep');
  const awoken = new WebSocket(address, 'parley.v1', {
    agent,
    headers: { Authorization: birch.authorization },
  });
  const answered = await new Promise((resolve) => {
    awoken.on('error', () => undefined);
    awoken.once('open', () => resolve('open'));
    awoken.once('unexpected-response', (_request, { statusCode }) => resolve(statusCode));
  });
  t.equal(answered, 400, 'its queue has expired meanwhile, which the upgrade that woke it is told');
});

/** Schedules a direct message to oneself. */
async function later(owner: ApiClient, at: number, content = 'planned'): Promise<void> {
  await owner.ok('POST', '/scheduled_messages', {
    ...{ type: 'direct', to: [owner.userId], content },
    scheduled_delivery_timestamp: Math.round(at),
  });
}

async function planned(owner: ApiClient): Promise<[content: string, at: number][]> {
  const narrow = [{ operator: 'is', operand: 'dm' }];
  const query = { anchor: 'oldest', num_before: 0, num_after: 500, narrow, apply_markdown: false };
  const { messages } = (await owner.ok('GET', '/messages', query)) as unknown as {
    messages: { content: string; timestamp: number }[];
  };
  return messages.map(({ content, timestamp }) => [content, timestamp]);
}

void t.test('a queue goes on over a sleep, and its idle time with it', async (t) => {
  const { owners } = await several(t, 'birch');
  const birch = owners[0]!;
  const register = (seconds: number) =>
    birch.register({ event_types: ['message'], idle_queue_timeout: seconds });
  const [short, long] = [await register(1800), await register(7200)];
  await clock.advance('20 minutes');
  t.equal(await health(birch.url), 'asleep');
  await clock.advance('15 minutes');
  const poll = (queue_id: unknown): Promise<{ status: number; body: object }> =>
    birch.call('GET', '/events', { queue_id, last_event_id: -1, dont_block: true });
  t.match(await poll(short.queue_id), { status: 400, body: { code: 'BAD_EVENT_QUEUE_ID' } });
  t.match(await poll(long.queue_id), { status: 200 });
  await clock.advance('110 minutes');
  t.equal(await health(birch.url), 'asleep');
  t.match(await poll(long.queue_id), { status: 200 }, 'it began anew with that poll');
});

void t.test(
  'one that is damaged is found when it wakes, and is out of service alone',
  async (t) => {
    const { folder, config, served, owners } = await several(t, 'birch', 'cedar');
    await clock.advance('1 minute');
    await run(config, 'sleep', 'birch');
    truncateSync(join(folder, 'organizations', 'birch', 'data.mdb'), 5000);
    t.equal(await status(served.at('birch.test')), 503);
    t.equal(await health(served.at('birch.test')), 'unavailable');
    await owners[1]!.ok('GET', '/users/me');
    await t.rejects(run(config, 'sleep', 'birch'), /birch stays in memory: it is not in service/);
  },
);

void t.test('of more than may be in memory, the one unused for longest leaves', async (t) => {
  const folder = join(placeFor(t), 'data');
  const config = configOf(folder, '--loaded-organizations', '2', '--sleep-after', 'off');
  const { at, app } = await serve(t, config);
  for (const name of ['birch', 'cedar', 'oak']) {
    await clock.advance('2 minutes');
    await create(config, name);
  }
  const states = async (): Promise<string[]> =>
    Promise.all(['birch', 'cedar', 'oak'].map((name) => health(at(`${name}.test`))));
  t.same(await states(), ['asleep', 'ready', 'ready']);
  for (const name of ['cedar', 'oak']) t.equal(await status(at(`${name}.test`)), 200);
  const refused = await exchange(at('birch.test'), 'GET', '/api/v1/server_settings');
  t.match(refused, {
    status: 503,
    headers: { 'retry-after': '10' },
    body: { code: 'SERVICE_UNAVAILABLE', msg: 'Too many organizations are in use' },
  });
  t.same(await states(), ['asleep', 'ready', 'ready']);
  await clock.advance('2 minutes');
  t.equal(await status(at('birch.test')), 200);
  t.equal(app.residents.counts.loaded, 2);
  t.equal((await states())[0], 'ready');
});

/** Numbers of a seed. */
function drawing(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

void t.test('whatever sleeps and wakes, what is planned comes once, and in time', async (t) => {
  const draw = drawing(Number(process.env['PARLEY_TEST_SEED'] ?? 48));
  const folder = join(placeFor(t), 'data');
  const config = configOf(folder, '--sleep-after', '2');
  let served = await serve(t, config);
  const names = ['birch', 'cedar', 'oak'];
  const keys: ApiClient[] = [];
  for (const name of names) {
    const { password } = await create(config, name);
    keys.push(await ApiClient.login(served.at(`${name}.test`), OWNER_EMAIL, password));
  }
  const owner = (i: number): ApiClient =>
    new ApiClient(served.at(`${names[i]!}.test`), OWNER_EMAIL, keys[i]!.key, keys[i]!.userId);
  const wanted: Map<string, number>[] = names.map(() => new Map<string, number>());
  let slept = 0;
  for (let step = 0; step < 40; step++) {
    const i = draw(names.length);
    const what = draw(10);
    if (what < 3) {
      const at = Math.round(clock.wall.getTime() / 1000) + 330 + draw(3600);
      const content = `planned ${step}`;
      await later(owner(i), at, content);
      wanted[i]!.set(content, at);
    } else if (what === 3) await owner(i).ok('GET', '/users/me');
    else if (what === 4) await run(config, 'sleep', names[i]!).catch(() => undefined);
    else if (what === 5) await run(config, 'wake', names[i]!);
    else if (what === 6 && draw(3) === 0) {
      await served.app.stop(DEADLINE_MS);
      served = await serve(t, config);
    } else await clock.advance(`${1 + draw(12)} minutes`);
    slept = Math.max(slept, served.app.residents.counts.asleep);
  }
  t.equal(slept, names.length, 'all slept at some time');
  await clock.advance('70 minutes');
  for (const [i, plans] of wanted.entries()) {
    const came = await planned(owner(i));
    t.same(came.map(([content]) => content).sort(), [...plans.keys()].sort(), names[i]!);
    for (const [content, at] of came) {
      const due = plans.get(content)!;
      t.ok(at >= due && at <= due + 5, `${content}, due at ${due}, came at ${at}`);
    }
  }
});
