import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { freshUrl, NO_REDIS, startRedis } from '../../src/store/fixtures/redis-server.js';
import type { ApiClient, WireEvent } from '../harness/client.js';
import { startOrganization, type SmallOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';
import { randomOfRun, scaled } from '../harness/scale.js';
import type { ServerOptions } from '../harness/server.js';
import { underLoad } from '../../fixtures/machine-load.js';

const MESSAGES = scaled(120, 1000);
const CRASHES = scaled(2, 12);
/** Requests under way at once. */
const AT_ONCE = 50;
/** The server lives between these after it is ready, milliseconds: a delivery takes a few of them. */
const SHORTEST = 5;
const LONGEST = scaled(60, 150);
const PATIENCE_MS = 60_000;

// Loaded machines take long to start processes.
t.setTimeout(scaled(300_000, 900_000));

/** Schedules everything for two neighbouring seconds, to a channel and to people. */
async function scheduleAll({ owner, hamlet }: SmallOrganization, at: number): Promise<void> {
  const { streams } = await owner.ok('GET', '/streams');
  const [channel] = streams as { stream_id: number }[];
  const post = (i: number): Promise<unknown> =>
    owner.ok('POST', '/scheduled_messages', {
      content: `scheduled ${i}`,
      scheduled_delivery_timestamp: at + (i % 2),
      ...(i % 3 === 0
        ? { type: 'direct', to: [hamlet.userId] }
        : { type: 'channel', to: channel!.stream_id, topic: 'crash' }),
    });
  for (let i = 0; i < MESSAGES; i += AT_ONCE) {
    const count = Math.min(AT_ONCE, MESSAGES - i);
    await Promise.all(Array.from({ length: count }, (_, j) => post(i + j)));
  }
}

/** How often each text is among the messages that the client can read. */
async function delivered(client: ApiClient): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const { messages } = await client.ok('GET', '/messages', {
    anchor: 'newest',
    num_before: 5000,
    num_after: 0,
    apply_markdown: false,
  });
  for (const { content } of messages as { content: string }[]) {
    if (content.startsWith('scheduled ')) found.set(content, (found.get(content) ?? 0) + 1);
  }
  return found;
}

/** Asks again while the server has no role: on a busy machine it may lose and retake it. */
async function whenServed<T>(ask: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + PATIENCE_MS; ;) {
    try {
      return await ask();
    } catch (error) {
      if (!String(error).includes(': 503 ') || Date.now() > end) throw error;
      await pause(100);
    }
  }
}

async function crash(t: Test, options: ServerOptions): Promise<void> {
  const random = randomOfRun(t);
  const organization = await startOrganization(t, options);
  const { owner } = organization;
  let { server } = organization;
  const types = { event_types: ['message', 'scheduled_messages'] };
  const queue = await QueueReader.open(owner, types);
  const at = Math.ceil((Date.now() + underLoad(scaled(8000, 20_000))) / 1000);
  await scheduleAll(organization, at);
  t.ok(Date.now() < at * 1000, 'all were scheduled in time');
  const seen: WireEvent[] = [];
  await pause(at * 1000 - Date.now());

  const progress: number[] = [];
  for (let i = 0; i < CRASHES; i++) {
    await pause(SHORTEST + random() * (LONGEST - SHORTEST));
    await server.kill();
    server = await server.restart(t);
    queue.move(owner.at(server.url));
    seen.push(...(await whenServed(() => queue.now())));
    progress.push(seen.filter(({ type }) => type === 'message').length);
  }
  t.comment(`delivered after each crash: ${progress.join(' ')}`);

  const removed = (): number => seen.filter(({ op }) => op === 'remove').length;
  const end = Date.now() + PATIENCE_MS;
  while (removed() < MESSAGES && Date.now() < end) {
    seen.push(...(await whenServed(() => queue.next())));
  }
  t.equal(removed(), MESSAGES, 'each schedule was told to have ended');

  const found = await delivered(owner.at(server.url));
  t.equal(found.size, MESSAGES, 'each was delivered');
  t.same(
    [...found].filter(([, count]) => count !== 1),
    [],
    'none twice',
  );
  const texts = seen
    .filter(({ type }) => type === 'message')
    .map(({ message }) => (message as { content: string }).content);
  t.equal(texts.length, MESSAGES, 'as many events as messages');
  t.equal(new Set(texts).size, MESSAGES, 'one of each');
  const left = await owner.at(server.url).ok('GET', '/scheduled_messages');
  t.same(left.scheduled_messages, [], 'nothing waits any more');
  const partly = progress.filter((count) => count > 0 && count < MESSAGES).length;
  t.comment(`${partly} of ${CRASHES} crashes came in the middle of the deliveries`);
}

const title = `${MESSAGES} messages come due amid ${CRASHES} crashes: each is sent exactly once`;

void t.test(`embedded: ${title}`, (t) => crash(t, {}));

void t.test(`Redis: ${title}`, { skip: NO_REDIS ?? false }, async (t) => {
  const redis = await startRedis(t, '--appendonly', 'yes', '--appendfsync', 'always');
  await crash(t, { store: freshUrl(redis.port), env: { PARLEY_LEASE: '2' } });
});
