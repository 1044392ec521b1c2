import t, { type Test } from 'tap';
import { NO_REDIS } from '../../src/store/fixtures/redis-server.js';
import { ApiClient, exchange } from '../harness/client.js';
import type { RunningServer } from '../harness/server.js';
import { followerBehindProxy } from './fixtures/behind-proxy.js';

/** So long has a follower heard nothing that it has asked again how far the journal is, twice. Milliseconds. */
const BEHIND_MS = 1200;

/** A leader, and a follower that can be cut off from the Redis server they share. */
async function twoNodes(t: Test) {
  const { redis, store, proxy, follower, here } = await followerBehindProxy(t);
  const organization = new URL(store).searchParams.get('organization')!;
  const journal = `parley:{${organization}}:@journal`;
  return { redis, proxy, journal, follower, here, there: here.at(follower.url) };
}

async function healthOf(url: string) {
  const { status, body } = await exchange(url, 'GET', '/health');
  return { status, lagMs: Number(body['lag_ms'] ?? 0), position: Number(body['position'] ?? 0) };
}

async function contents(client: ApiClient): Promise<string[]> {
  const asked = { anchor: 'newest', num_before: 10, num_after: 0, apply_markdown: false };
  const { messages } = await client.ok('GET', '/messages', asked);
  // Behind the welcome of the first start.
  return (messages as { content: string }[]).slice(1).map(({ content }) => content);
}

/** Position of the journal's newest entry. */
async function newest({ redis, journal }: Awaited<ReturnType<typeof twoNodes>>): Promise<string> {
  const found = await redis.command('XREVRANGE', journal, '+', '-', 'COUNT', '1');
  return (found as [string, unknown][])[0]![0];
}

/** Removes one entry of three that a follower has not seen, and lets it go on. @param lost which one */
async function loses(t: Test, lost: 'second' | 'last'): Promise<void> {
  const nodes = await twoNodes(t);
  const { redis, proxy, journal, follower, here, there } = nodes;
  await here.say('before');
  const queue = await there.register({ event_types: ['message'] });
  await here.say('seen');
  const events = await there.poll(queue.queue_id, queue.last_event_id);
  t.match(events, [{ message: { content: 'seen' } }]);
  const cursor = events.at(-1)!.id;

  proxy.cut();
  while ((await healthOf(follower.url)).lagMs < BEHIND_MS);
  await here.say('first');
  await here.say('second');
  const second = await newest(nodes);
  await here.say('last');
  const last = await newest(nodes);
  t.equal(await redis.command('XDEL', journal, lost === 'second' ? second : last), 1);
  proxy.heal(false);

  await reaches(follower, last);
  const all = ['before', 'seen', 'first', 'second', 'last'];
  t.same(await contents(there), all, 'no list lacks any');
  const refused = await there.call('GET', '/events', {
    queue_id: queue.queue_id,
    last_event_id: cursor,
    dont_block: true,
  });
  t.match(refused.body, { code: 'BAD_EVENT_QUEUE_ID' }, 'no queue skips an event');

  // Where the newest is missing, nobody but the leader knows where the next one begins.
  await here.say('next');
  await reaches(follower, await newest(nodes));
  t.same(await contents(there), [...all, 'next']);
  const again = await there.register({ event_types: ['message'] });
  await here.say('afterwards');
  t.match(await there.poll(again.queue_id, again.last_event_id), [
    { message: { content: 'afterwards' } },
  ]);
  t.ok(follower.running, 'the follower has not ended');
}

/** Resolves when a node serves with everything up to an entry. */
async function reaches({ url }: RunningServer, entry: string): Promise<void> {
  for (;;) {
    const { status, position } = await healthOf(url);
    if (status === 200 && position >= parseInt(entry, 10)) return;
  }
}

void t.test('Redis', { skip: NO_REDIS ?? false }, async (t) => {
  await t.test('a follower loads again where an entry is missing that it has not seen', (t) =>
    loses(t, 'second'),
  );
  await t.test('a follower loads again where the newest entry is missing', (t) => loses(t, 'last'));
});
