import t from 'tap';
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

/** The events as the contract has them now: objects of users say whether they share their presence. */
function asNow(events: unknown): unknown {
  return JSON.parse(JSON.stringify(events), (_key, value: unknown) =>
    typeof value === 'object' &&
    value !== null &&
    'is_imported_stub' in value &&
    'date_joined' in value
      ? { ...value, presence_enabled: true }
      : value,
  );
}

void t.test('a store of commit 6a5ad3e goes on: keys, messages, queues and cursors', async (t) => {
  const folder = storeFolder(t);
  const expected = olderStore('6a5ad3e', folder);
  for (const start of ['first', 'second']) {
    const server = await RunningServer.serve(t, folder);
    for (const [name, queue] of Object.entries(expected.queues)) {
      const client = new ApiClient(server.url, queue.email, queue.key, 0);
      const { body, status } = await client.call('GET', '/events', {
        queue_id: queue.queue_id,
        last_event_id: queue.cursor,
        dont_block: true,
      });
      t.equal(status, 200, `${name} at the ${start} start`);
      const events = (body.events as Expected['queues'][string]['events']).slice(
        0,
        queue.events.length,
      );
      t.same(withoutAddresses(events), asNow(withoutAddresses(queue.events)), name);
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
  for (const start of ['first', 'second']) {
    const server = await RunningServer.serve(t, folder);
    for (const [name, { email, key, queue_id, cursor, events }] of Object.entries(queues)) {
      const client = new ApiClient(server.url, email, key, 0);
      const poll = { queue_id, last_event_id: cursor, dont_block: true };
      const { body } = await client.call('GET', '/events', poll);
      t.same(withoutAddresses(body.events), withoutAddresses(events), `${name}, ${start} start`);
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
