import t from 'tap';
import type { EventRouteParts } from '../../../../src/http/events/event-route-parts.js';
import { pollRoute } from '../../../../src/http/events/event-routes.js';
import { QueueAccess } from '../../../../src/resources/queues/event-queues.js';
import { sessionOf } from '../../../../src/resources/kernel/route.js';
import { answer, basic, startToy } from '../toy-server.js';
import { startEventServer } from './event-server.js';

void t.test(
  'a poll without a queue registers one and can be told apart from its events',
  async (t) => {
    const { poll, say, node } = await startEventServer(t);
    const first = await poll('dont_block=true&nonsense=1');
    t.match(first, {
      status: 200,
      body: { result: 'success', events: [], ignored_parameters_unsupported: ['nonsense'] },
    });
    const id = first.body.queue_id as string;
    t.ok(node.memory.collections.get('queue')?.has(id), 'durable before it is told');
    await say(1);
    const second = await poll(`queue_id=${id}&last_event_id=-1`);
    t.match(second, { status: 200, body: { queue_id: id, events: [{ type: 'note', n: 1 }] } });
  },
);

void t.test('a held poll is answered by an event', async (t) => {
  const { poll, say, node } = await startEventServer(t);
  const queue = await node.register(1);
  const held = poll(`queue_id=${queue.queueId}&last_event_id=${queue.newestId}`);
  while (!queue.consumer) await new Promise((done) => setImmediate(done));
  await say(1);
  t.match(await held, { status: 200, body: { events: [{ n: 1 }] } });
});

void t.test('a poll as clients usually write it is answered as any other', async (t) => {
  const { toy, say, node } = await startEventServer(t);
  // Ids are those of the journal, so both queues get the same ones.
  const [usual, other] = [await node.register(1), await node.register(1)];
  const foreign = await node.register(2);
  for (const n of [1, 2, 3]) await say(n);
  const ids = usual.pending().map(({ id }) => id);
  t.strictSame(
    other.pending().map(({ id }) => id),
    ids,
  );
  const told = async (query: string, queueId: string) => {
    const reply = await toy.api(`/events?${query}`);
    const { date: _date, 'x-request-id': _id, ...headers } = Object.fromEntries(reply.headers);
    const text = (await reply.text()).replaceAll(queueId, 'the queue');
    return { status: reply.status, headers, text };
  };
  const cursors = [
    '-1',
    '0',
    '00',
    '-01',
    ids[0]!,
    `0${ids[0]}`,
    ids[1]!,
    ids[2]! + 1,
    10 ** 15 - 1,
  ];
  for (const cursor of cursors) {
    for (const rest of ['&dont_block=true', '&dont_block=false', '']) {
      for (const [first, second] of [
        [usual.queueId, other.queueId],
        [foreign.queueId, foreign.queueId],
        ['nothing', 'nothing'],
      ] as const) {
        const asUsual = `queue_id=${first}&last_event_id=${cursor}${rest}`;
        // Another order takes the long way.
        const otherwise = `last_event_id=${cursor}&queue_id=${second}${rest}`;
        t.strictSame(await told(asUsual, first), await told(otherwise, second), asUsual);
        node.clock.advance(1000);
      }
      t.equal(usual.length, other.length, 'events that were acknowledged');
      t.equal(other.touchedAt - usual.touchedAt, 0, 'last use');
    }
  }
  t.equal(usual.length, 1);
});

void t.test('a poll of an unknown or foreign queue, or a bad cursor, is refused', async (t) => {
  const { poll, node } = await startEventServer(t);
  const queue = await node.register(1);
  const foreign = await node.register(2);
  for (const id of ['nothing', foreign.queueId]) {
    t.match(await poll(`queue_id=${id}&last_event_id=-1`), {
      status: 400,
      body: { code: 'BAD_EVENT_QUEUE_ID', msg: `Bad event queue ID: ${id}`, queue_id: id },
    });
  }
  t.match(await poll(`queue_id=${queue.queueId}&last_event_id=${queue.newestId + 1}`), {
    status: 400,
    body: { code: 'BAD_REQUEST', msg: `Event ${queue.newestId + 1} was not in this queue` },
  });
});

void t.test('a poll after a restart waits for the replay', async (t) => {
  const { node, toy, poll, say } = await startEventServer(t);
  const queue = await node.register(1);
  await say(1);
  await say(2);
  const ids = queue.pending().map(({ id }) => id);
  const next = await node.restart();
  const parts = { ...toy, events: new QueueAccess(next.queues, next.runtime) };
  const other = await startToy(t, {
    specials: [pollRoute(parts as unknown as EventRouteParts)],
  });
  const path = `/events?queue_id=${queue.queueId}&last_event_id=${ids[0]}`;
  t.match(await answer(await other.api(path)), { status: 200, body: { events: [{ n: 2 }] } });
  t.ok(poll);
});

void t.test('a socket is the same queue, pushed', async (t) => {
  const { open, say, poll, node } = await startEventServer(t);
  const queue = await node.register(1);
  await say(1);
  const client = open(`queue_id=${queue.queueId}&last_event_id=${queue.pending()[0]!.id - 1}`);
  await client.until(() => client.frames.length === 2);
  t.equal(client.protocol, 'parley.v1');
  t.match(client.frames, [
    { type: 'hello', queue_id: queue.queueId, heartbeat_interval_seconds: 45 },
    { type: 'events', events: [{ n: 1 }] },
  ]);
  await say(2);
  await client.until(() => client.frames.length === 3);
  const [first, second] = queue.pending().map(({ id }) => id);
  client.send(JSON.stringify({ type: 'ack', last_event_id: first }));
  client.send(Buffer.from([1, 2, 3]));
  await client.until(() => client.frames.length === 4);
  t.match(client.frames[3], { type: 'error', code: 'BAD_REQUEST', msg: 'Frames must be text' });
  t.match(await poll(`queue_id=${queue.queueId}&last_event_id=${first}`), {
    body: { events: [{ n: 2, id: second }] },
  });
  await client.until(() => client.closed !== undefined);
  t.equal(client.closed, 4002);
});

void t.test('a socket without a queue registers one; closing it leaves the queue', async (t) => {
  const { open, say, node } = await startEventServer(t);
  const client = open('event_types=["note"]');
  await client.until(() => client.frames.length === 1);
  const queue = node.queues.get(client.frames[0]!.queue_id as string)!;
  t.same(queue.filter.event_types, ['note']);
  client.close();
  await client.until(() => client.closed !== undefined);
  while (queue.consumer) await new Promise((done) => setImmediate(done));
  t.equal(queue.consumer, null);
  await say(1);
  t.equal(queue.length, 1);
});

void t.test('a frame that is too large closes the socket', async (t) => {
  const { open } = await startEventServer(t);
  const client = open('');
  await client.until(() => client.frames.length === 1);
  client.send('x'.repeat(64 * 1024 + 1));
  await client.until(() => client.closed !== undefined);
  t.ok([1006, 1009].includes(client.closed!), `code ${client.closed}`);
});

void t.test('a ticket opens one socket, once, in time', async (t) => {
  const { open, tickets, node, toy } = await startEventServer(t);
  const iago = toy.authenticator.users.get(1)!;
  const { ticket } = tickets.issue(sessionOf(iago));
  const client = open(`ticket=${ticket}`, {});
  await client.until(() => client.frames.length === 1);
  const attempts: [query: string, headers: Record<string, string>][] = [
    [`ticket=${ticket}`, {}],
    ['ticket=nonsense', { Authorization: basic() }],
    ['', {}],
    ['', { Authorization: basic('iago@example.com', 'x'.repeat(32)) }],
  ];
  for (const [query, headers] of attempts) {
    const refused = open(query, headers);
    await refused.until(() => refused.refused !== undefined);
    t.equal(refused.refused, 401, query);
  }
  const late = tickets.issue(sessionOf(iago));
  node.clock.advance(30_000);
  const refused = open(`ticket=${late.ticket}`, {});
  await refused.until(() => refused.refused !== undefined);
  t.equal(refused.refused, 401);
});

void t.test('what ends a session ends the tickets that were drawn in it', async (t) => {
  const { open, tickets, toy } = await startEventServer(t);
  const iago = toy.authenticator.users.get(1)!;
  const changes: [string, Partial<typeof iago>][] = [
    ['another key, as after a password reset', { key_version: '2' }],
    ['another address', { email: 'new@example.com' }],
    ['deactivation', { is_active: false }],
  ];
  for (const [what, change] of changes) {
    const { ticket } = tickets.issue(sessionOf(iago));
    Object.assign(iago, change);
    const refused = open(`ticket=${ticket}`, {});
    await refused.until(() => refused.refused !== undefined || refused.frames.length > 0);
    t.equal(refused.refused, 401, what);
  }
});

void t.test('a queue that is not there refuses the upgrade', async (t) => {
  const { open, node } = await startEventServer(t);
  const foreign = await node.register(2);
  for (const id of ['nothing', foreign.queueId]) {
    const client = open(`queue_id=${id}`);
    await client.until(() => client.refused !== undefined);
    t.equal(client.refused, 400);
  }
});

void t.test('a page of another site opens a socket with a ticket only', async (t) => {
  const { open, tickets, toy } = await startEventServer(t);
  const origin = 'https://evil.example';
  const session = sessionOf(toy.authenticator.users.get(1)!);
  const Authorization = basic();
  const foreign = open('', { Authorization, Origin: origin });
  await foreign.until(() => foreign.refused !== undefined);
  t.equal(foreign.refused, 403);
  const sandboxed = open('', { Authorization, Origin: 'null' });
  await sandboxed.until(() => sandboxed.refused !== undefined);
  t.equal(sandboxed.refused, 403);
  const clients = [
    open(`ticket=${tickets.issue(session).ticket}`, { Origin: origin }),
    open('', { Authorization, Origin: `http://127.0.0.1:${toy.port}` }),
    open('', { Authorization }),
  ];
  for (const client of clients) {
    await client.until(() => client.frames.length > 0);
    t.match(client.frames, [{ type: 'hello' }]);
  }
});
