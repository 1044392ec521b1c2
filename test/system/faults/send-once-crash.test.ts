import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { freshUrl, NO_REDIS, startRedis } from '../../src/store/fixtures/redis-server.js';
import type { ApiClient } from '../harness/client.js';
import { startOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';
import { randomOfRun, scaled } from '../harness/scale.js';
import type { ServerOptions } from '../harness/server.js';

const CRASHES = scaled(2, 25);
/** After so many rounds without a lost answer the test has failed. */
const MOST_CRASHES = 10 * CRASHES;
/** Messages on their way when the server dies. */
const AT_ONCE = 20;
/** The server lives up to so long after they were sent, milliseconds. */
const LONGEST = 25;
const PATIENCE_MS = 60_000;

t.setTimeout(scaled(120_000, 600_000));

/** Sends as a client does that wants its message to be there once: again after a 503 or a dead connection. */
async function insist(client: ApiClient, queueId: string, localId: string): Promise<number> {
  const message = { type: 'channel', to: 'general', topic: 'once', content: localId };
  for (const end = Date.now() + PATIENCE_MS; ; await pause(20)) {
    const local = { queue_id: queueId, local_id: localId };
    const reply = await client
      .call('POST', '/messages', { ...message, ...local })
      .catch(() => null);
    if (reply?.status === 200) return Number(reply.body.id);
    if (reply && reply.status !== 503) throw new Error(reply.text);
    if (Date.now() > end) throw new Error(`${localId} was never sent`);
  }
}

async function crash(t: Test, options: ServerOptions): Promise<void> {
  const random = randomOfRun(t);
  const { owner, ...rest } = await startOrganization(t, options);
  let { server } = rest;
  const queue = await QueueReader.open(owner, { event_types: ['message'] });
  const { queueId } = queue;
  const answered = new Map<string, number>();
  let lost = 0;
  // A machine that answers all of a round before the kill makes another one necessary.
  for (let round = 0; round < CRASHES || (lost === 0 && round < MOST_CRASHES); round++) {
    const names = Array.from({ length: AT_ONCE }, (_, i) => `${round}.${i}`);
    const former = owner.at(server.url);
    const first = names.map((name) =>
      former
        .call('POST', '/messages', {
          type: 'channel',
          to: 'general',
          topic: 'once',
          content: name,
          queue_id: queueId,
          local_id: name,
        })
        .then(({ status, body }) => status === 200 && answered.set(name, Number(body.id)))
        .catch(() => (lost += 1)),
    );
    await pause(random() * LONGEST);
    await server.kill();
    await Promise.all(first);
    server = await server.restart(t);
    const again = owner.at(server.url);
    for (const [i, id] of (
      await Promise.all(names.map((name) => insist(again, queueId, name)))
    ).entries()) {
      const known = answered.get(names[i]!);
      if (known !== undefined && known !== id)
        t.equal(id, known, `${names[i]} answers the first id`);
      answered.set(names[i]!, id);
    }
  }
  t.comment(`${lost} requests lost their answer`);
  t.ok(lost > 0, 'some answers were lost');

  const client = owner.at(server.url);
  const { messages } = await client.ok('GET', '/messages', {
    anchor: 'newest',
    num_before: 5000,
    num_after: 0,
    narrow: [{ operator: 'topic', operand: 'once' }],
    apply_markdown: false,
  });
  const found = (messages as { content: string; id: number }[]).map(({ content, id }) => [
    content,
    id,
  ]);
  t.same(
    found.sort(),
    [...answered].sort(),
    'each message is there once, under the id that was answered',
  );
  queue.move(client);
  const told = (await queue.now()).map(({ local_message_id }) => String(local_message_id));
  t.same(told.sort(), [...answered.keys()].sort(), 'and one event tells of it');
}

const title = `${CRASHES} crashes amid messages with local_id: each retried one is there once`;

void t.test(`embedded: ${title}`, (t) => crash(t, {}));

void t.test(`Redis: ${title}`, { skip: NO_REDIS ?? false }, async (t) => {
  const redis = await startRedis(t, '--appendonly', 'yes', '--appendfsync', 'always');
  await crash(t, { store: freshUrl(redis.port), env: { PARLEY_LEASE: '2' } });
});
