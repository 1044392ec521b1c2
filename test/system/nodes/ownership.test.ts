/** The rows of architecture.md#ownership: what each owner has survives its death at the worst moment. */
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import type { ApiClient } from '../harness/client.js';
import { NodeGroup, type CampaignNode } from '../harness/campaign/node-group.js';
import { QueueReader } from '../harness/queue-reader.js';
import { underLoad } from '../../fixtures/machine-load.js';

/** Idle timeout of queues here, seconds: longer than a failover. */
const IDLE_SECONDS = 4;
/** A node that died is forgotten within this and some checks, milliseconds. */
const LATE_MS = 10_000;
const TOPIC_MESSAGES = 600;
/** Messages of one request at once. */
const AT_ONCE = 50;

/** Three nodes for all tests, each of which kills one. */
let shared: NodeGroup | undefined;

/** The nodes, of which one leads and two follow. */
async function nodes(): Promise<{ group: NodeGroup; owner: ApiClient }> {
  shared ??= await NodeGroup.start(t, 'embedded', 3, { env: { PARLEY_LOG: 'error' } });
  const dead = shared.nodes.filter(({ server }) => !server.running);
  await Promise.all(dead.map((node) => node.start()));
  await shared.settled();
  return { group: shared, owner: await shared.owner() };
}

/** Kills a node and puts another process in its place. */
async function replace(node: CampaignNode): Promise<void> {
  await node.server.kill();
  await node.start();
}

async function isThere(client: ApiClient, queueId: string): Promise<boolean> {
  const { status } = await client.call('GET', '/events', {
    ...{ queue_id: queueId, last_event_id: -1, dont_block: true },
  });
  return status === 200;
}

async function contents(client: ApiClient): Promise<string[]> {
  const { messages } = await client.ok('GET', '/messages', {
    ...{ anchor: 'newest', num_before: 5000, num_after: 0, apply_markdown: false },
  });
  return (messages as { content: string }[]).map(({ content }) => content);
}

// Loaded machines take long to start processes.
t.setTimeout(240_000);

void t.test('event queue: its node dies with events that its client has not had', async (t) => {
  const { group, owner } = await nodes();
  const [home, other] = group.followers.map(({ url }) => owner.at(url));
  const reader = await QueueReader.open(home!, { event_types: ['message'] });
  const [node] = group.followers;
  const sent: string[] = [];
  for (let i = 0; i < 20; i++) {
    sent.push(`event ${i}`);
    await owner.at(group.leader!.url).say(sent[i]!);
  }
  await node!.server.kill();
  reader.move(other!);
  const seen: unknown[] = [];
  while (seen.length < sent.length) {
    for (const { message } of await reader.next()) {
      seen.push((message as { content: string } | undefined)?.content);
    }
  }
  t.same(seen, sent);
});

void t.test('its expiry: a queue that a follower holds outlives the leader', async (t) => {
  const { group, owner } = await nodes();
  const home = owner.at(group.followers[0]!.url);
  const { queue_id: queueId, last_event_id: last } = await home.register({
    event_types: ['message'],
    idle_queue_timeout: IDLE_SECONDS,
  });
  // A node that takes the lead answers what waits there with nothing, upon which clients poll again.
  const untilEvents = async (): ReturnType<typeof home.poll> => {
    const events = await home.poll(queueId, last);
    return events.length > 0 ? events : untilEvents();
  };
  const held = untilEvents();
  held.catch(() => undefined);
  await pause(IDLE_SECONDS * 1000 - 500);
  // The leader that is to hear now that the queue is held.
  const [keeper] = group.followers;
  await group.leader!.server.kill();
  await pause(2 * IDLE_SECONDS * 1000);
  await owner.at(keeper!.url).say('held');
  t.match(await held, [{ type: 'message', message: { content: 'held' } }]);
});

void t.test('its expiry: the queue of a follower that died is there for its timeout', async (t) => {
  const { group, owner } = await nodes();
  const [home] = group.followers;
  const leader = owner.at(group.leader!.url);
  const register = async (): Promise<string> => {
    const client = owner.at(home!.url);
    const { queue_id: queueId, last_event_id: last } = await client.register({
      event_types: ['message'],
      idle_queue_timeout: IDLE_SECONDS,
    });
    client.poll(queueId, last).catch(() => undefined);
    return queueId;
  };
  const [used, unused] = [await register(), await register()];
  await pause(2 * IDLE_SECONDS * 1000);
  await home!.server.kill();
  await pause(IDLE_SECONDS * 500);
  t.ok(await isThere(leader, used), 'not ended with its node');
  await pause(IDLE_SECONDS * 500 + LATE_MS);
  t.notOk(await isThere(leader, unused), 'ended when nobody came');
});

void t.test('presence session: the leader dies just after it was told', async (t) => {
  const { group, owner } = await nodes();
  const [client, other] = group.followers.map(({ url }) => owner.at(url));
  await client!.ok('POST', '/users/me/presence', { status: 'active', new_user_input: true });
  await replace(group.leader!);
  const { presence } = await other!.ok('GET', `/users/${owner.userId}/presence`);
  t.match(presence, { active_timestamp: Number });
  const { active_timestamp: at } = presence as { active_timestamp: number };
  t.ok(Date.now() / 1000 - at < 60, 'present within the last minute');
});

void t.test('scheduled message: the leader dies when it is due', async (t) => {
  const { group, owner } = await nodes();
  const client = owner.at(group.followers[0]!.url);
  const { streams } = await client.ok('GET', '/streams');
  const due = Math.ceil((Date.now() + underLoad(3000)) / 1000);
  const texts = Array.from({ length: 40 }, (_, i) => `scheduled ${i}`);
  for (const content of texts) {
    await client.ok('POST', '/scheduled_messages', {
      ...{ type: 'channel', to: (streams as { stream_id: number }[])[0]!.stream_id, topic: 'due' },
      ...{ content, scheduled_delivery_timestamp: due },
    });
  }
  await pause(due * 1000 - Date.now() + 3);
  await replace(group.leader!);
  await group.settled();
  const survivor = owner.at(group.leader!.url);
  const all = async (): Promise<string[]> =>
    (await contents(survivor)).filter((content) => content.startsWith('scheduled '));
  while ((await all()).length < texts.length) await pause(50);
  await pause(1000);
  t.same((await all()).sort(), [...texts].sort(), 'each is sent once');
});

void t.test('topic deletion: the leader dies between two batches', async (t) => {
  const { group, owner } = await nodes();
  const client = owner.at(group.followers[0]!.url);
  const ids: number[] = [];
  while (ids.length < TOPIC_MESSAGES) {
    const some = Array.from({ length: AT_ONCE }, (_, i) =>
      client.say(`long ${i}`, 'general', 'long'),
    );
    ids.push(...(await Promise.all(some)));
  }
  const reader = await QueueReader.open(client, {
    event_types: ['delete_message'],
    client_capabilities: { bulk_message_deletion: true },
  });
  const { streams } = await client.ok('GET', '/streams');
  const path = `/streams/${(streams as { stream_id: number }[])[0]!.stream_id}/delete_topic`;
  const told: number[] = [];
  const take = async (): Promise<void> => {
    for (const { message_ids: some } of await reader.next())
      told.push(...((some as number[]) ?? []));
  };
  const asked = client.call('POST', path, { topic_name: 'long' });
  await take();
  await group.leader!.server.kill();
  const { status } = await asked;
  t.ok(status === 200 || status === 503, `answered with ${status}`);
  t.comment(`${told.length} of ${ids.length} were deleted when the leader died`);
  for (;;) {
    const { status: again, body } = await client.call('POST', path, { topic_name: 'long' });
    if (again === 200 && body['complete'] === true) break;
    // Nothing is left of the topic.
    if (again === 400 || again === 404) break;
    await pause(50);
  }
  while (told.length < ids.length) await take();
  t.same(
    told.sort((a, b) => a - b),
    ids.sort((a, b) => a - b),
    'each is told once',
  );
  t.notOk((await contents(client)).some((content) => content.startsWith('long ')));
});
