import t, { type Test } from 'tap';
import { goOn, olderStore, type Expected } from '../../fixtures/older-store.js';
import { ApiClient, type Body } from '../harness/client.js';
import { openStore } from '../../../src/store/open.js';
import { RunningServer, storeFolder, storeOf } from '../harness/server.js';

/** Addresses hold the port of the server that made the store. */
function withoutAddresses(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value).replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'http://server'),
  );
}

/**
 * Their event ids were beyond what 32-bit clients read: the queues of that software end once, and those that come after them
 * go on at the next start.
 */
async function registeredAnew(
  t: Test,
  server: RunningServer,
  former: Pick<Expected['queues'][string], 'email' | 'key' | 'queue_id' | 'cursor'>,
): Promise<Expected['queues'][string]> {
  const { email, key, queue_id, cursor } = former;
  const client = new ApiClient(server.url, email, key, 0);
  const poll = { queue_id, last_event_id: cursor, dont_block: true };
  t.match(await client.call('GET', '/events', poll), {
    status: 400,
    body: { code: 'BAD_EVENT_QUEUE_ID', queue_id },
  });
  const queue = await client.register({ event_types: ['message', 'user_status'] });
  await client.ok('POST', '/users/me/status', { status_text: 'back' });
  const next = { queue_id: queue.queue_id, cursor: Number(queue.last_event_id) };
  t.ok(next.cursor < 1000, 'ids count from the upgrade');
  const { events } = (await client.ok('GET', '/events', {
    ...{ queue_id: next.queue_id, last_event_id: next.cursor, dont_block: true },
  })) as unknown as Expected['queues'][string];
  t.match(events, [{ type: 'user_status', id: Number }]);
  return { email, key, ...next, events };
}

void t.test('a store of commit 6a5ad3e goes on: keys and messages', async (t) => {
  const folder = storeFolder(t);
  const expected = olderStore('6a5ad3e', folder);
  const queues = new Map<string, Expected['queues'][string]>();
  for (const start of ['first', 'second']) {
    const server = await RunningServer.serve(t, folder);
    for (const [name, queue] of Object.entries(expected.queues)) {
      const known = queues.get(name);
      if (!known) {
        queues.set(name, await registeredAnew(t, server, queue));
        continue;
      }
      const { email, key, queue_id, cursor, events } = known;
      const client = new ApiClient(server.url, email, key, 0);
      const poll = { queue_id, last_event_id: cursor, dont_block: true };
      const { body } = await client.call('GET', '/events', poll);
      t.same((body.events as unknown[]).slice(0, 1), events, `${name} at the ${start} start`);
    }
    const { email, key } = expected.queues['ann']!;
    const ann = new ApiClient(server.url, email, key, 0);
    const page = { anchor: 'newest', num_before: 1000, num_after: 0 };
    const { body } = await ann.call('GET', '/messages', page);
    const seen = new Map(
      (
        body.messages as { id: number; content: string; flags: string[]; reactions: unknown[] }[]
      ).map(({ id, content, flags, reactions }) => [
        id,
        { id, content, flags, reactions: reactions.length },
      ]),
    );
    for (const message of expected.ann.messages) t.same(seen.get(message.id), message);
    const sent = await ann.call('POST', '/messages', {
      type: 'channel',
      to: 'kitchen',
      topic: 'upgrade',
      content: `after the ${start} start`,
    });
    t.equal(sent.status, 200);
    await server.stop();
  }
});

/** Iago only ever reported to be idle, a second after he joined: that version showed him as active then. */
function shownNow(presences: Record<string, Record<string, Body>>): unknown {
  const { 'iago@example.org': iago, ...others } = presences;
  if (!iago) return others;
  const idle = ([client, shown]: [string, Body]) =>
    [client, { ...shown, status: 'idle', timestamp: Number(shown.timestamp) + 1 }] as const;
  return { ...others, 'iago@example.org': Object.fromEntries(Object.entries(iago).map(idle)) };
}

void t.test('what became snapshots goes on: a store of commit b98fb38d', async (t) => {
  const folder = storeFolder(t);
  const { queues, things } = olderStore('b98fb38d', folder);
  await goOn(`embedded:${folder}`);
  const registered = new Map<string, Expected['queues'][string]>();
  for (const start of ['first', 'second']) {
    const server = await RunningServer.serve(t, folder);
    for (const [name, former] of Object.entries(queues)) {
      const known = registered.get(name) ?? (await registeredAnew(t, server, former));
      registered.set(name, known);
      const { email, key, queue_id, cursor, events } = known;
      const client = new ApiClient(server.url, email, key, 0);
      const poll = { queue_id, last_event_id: cursor, dont_block: true };
      const { body } = await client.call('GET', '/events', poll);
      t.same((body.events as unknown[]).slice(0, 1), events, `${name}, ${start} start`);
      const { scheduled, reminders, presences } = things[name]!;
      const told = await client.ok('GET', '/scheduled_messages');
      t.same(told.scheduled_messages, scheduled);
      const reminded = await client.ok('GET', '/reminders');
      t.same(withoutAddresses(reminded.reminders), withoutAddresses(reminders));
      t.same((await client.ok('GET', '/realm/presence')).presences, shownNow(presences as never));
    }
    const versions: Record<string, unknown> = {};
    await server.stop();
    const store = await openStore(storeOf(folder));
    for (const collection of ['queue', 'scheduled_message', 'reminder']) {
      for await (const batch of store.scan(collection)) {
        for (const { document } of batch) {
          t.same(Object.keys(document).sort(), ['context', 'machine', 'value', 'version']);
          versions[collection] = document.version;
        }
      }
    }
    await store.close();
    t.same(versions, { queue: 4, scheduled_message: 2, reminder: 2 });
  }
});
