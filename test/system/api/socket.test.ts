import { once } from 'node:events';
import t from 'tap';
import { WebSocket } from 'ws';
import { exchange, type ApiClient, type WireEvent } from '../harness/client.js';
import { QueueReader } from '../harness/queue-reader.js';
import { SocketReader } from '../harness/socket-reader.js';
import { startOrganization } from '../harness/organization.js';
import { NEVER_GIVEN } from '../harness/server.js';

const MESSAGES = { event_types: ['message'] };

function messages(events: readonly WireEvent[]): number[] {
  return events.map((event) => (event.message as { id: number }).id);
}

/** The HTTP answer to an upgrade that is refused. */
async function refusal(socket: WebSocket): Promise<{ status: number; code: unknown }> {
  const [, response] = (await once(socket, 'unexpected-response')) as [
    unknown,
    import('node:http').IncomingMessage,
  ];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode!, code: (JSON.parse(text) as { code: unknown }).code };
}

void t.test('a socket on a queue', async (t) => {
  const { owner, hamlet } = await startOrganization(t);

  await t.test('hello, then events as they come, acknowledged by a frame', async (t) => {
    const { queue_id, last_event_id } = await owner.register(MESSAGES);
    const socket = await SocketReader.open(owner, { queue_id, last_event_id });
    t.strictSame(socket.hello, {
      type: 'hello',
      queue_id,
      last_event_id,
      heartbeat_interval_seconds: 45,
    });
    const sent = [await owner.say('a'), await owner.say('b')];
    const events = await socket.take(2);
    t.same(messages(events), sent);
    socket.acknowledge(events[0]!.id);
    socket.close();
    await socket.closed;
    const left = await owner.poll(queue_id, -1, { dontBlock: true });
    t.same(left, events.slice(1), 'the same objects as a poll returns');
  });

  await t.test('it begins with what the queue holds and was not acknowledged', async (t) => {
    const { queue_id } = await owner.register(MESSAGES);
    const sent = [await owner.say('a'), await owner.say('b'), await owner.say('c')];
    const first = await SocketReader.open(owner, { queue_id });
    const events = await first.take(3);
    t.same(messages(events), sent);
    const second = await SocketReader.open(owner, { queue_id, last_event_id: events[0]!.id });
    t.same(await second.take(2), events.slice(1));
    t.equal(await first.closed, 4002, 'the newer socket took the queue');
    second.close();
  });

  await t.test('without queue_id a queue is registered', async (t) => {
    const socket = await SocketReader.open(owner, {
      event_types: ['message'],
      apply_markdown: true,
    });
    const id = await owner.say('**bold**');
    const [event] = await socket.take(1);
    t.match(event, { type: 'message', message: { id, content: /<strong>bold<\/strong>/ } });
    socket.close();
    await socket.closed;
    const queueId = String(socket.hello.queue_id);
    t.same(await owner.poll(queueId, -1, { dontBlock: true }), [event]);
  });

  await t.test('the subprotocol is taken when offered', async (t) => {
    const named = new WebSocket(`${owner.url.replace('http', 'ws')}/api/v1/events`, ['parley.v1'], {
      headers: { Authorization: owner.authorization },
    });
    await once(named, 'open');
    t.equal(named.protocol, 'parley.v1');
    named.terminate();
    const unnamed = owner.socket();
    await once(unnamed, 'open');
    t.equal(unnamed.protocol, '');
    unnamed.terminate();
  });

  await t.test('refusals before the upgrade are ordinary HTTP errors', async (t) => {
    const { queue_id } = await owner.register(MESSAGES);
    const nobody = { headers: {} };
    const wrong = { headers: { Authorization: 'Basic !!' } };
    t.same(await refusal(owner.socket({ queue_id }, nobody)), {
      status: 401,
      code: 'UNAUTHORIZED',
    });
    t.same(await refusal(owner.socket({ queue_id }, wrong)), { status: 401, code: 'UNAUTHORIZED' });
    const bad = { status: 400, code: 'BAD_EVENT_QUEUE_ID' };
    t.same(await refusal(hamlet.socket({ queue_id })), bad, "another user's queue");
    t.same(await refusal(owner.socket({ queue_id: 'x' })), bad);
    const future = await refusal(owner.socket({ queue_id, last_event_id: 2 ** 50 }));
    t.same(future, { status: 400, code: NEVER_GIVEN });
  });

  await t.test('a ticket opens one socket, once', async (t) => {
    const { ticket, expires_in } = await owner.ok('POST', '/events/ticket');
    t.equal(expires_in, 30);
    const open = () => owner.socket({ ...MESSAGES, ticket }, { headers: {} });
    const socket = new SocketReader(open());
    await socket.ready();
    const id = await owner.say('by ticket');
    t.same(messages(await socket.take(1)), [id]);
    socket.close();
    t.same(await refusal(open()), { status: 401, code: 'UNAUTHORIZED' }, 'only once');
    const invented = owner.socket({ ticket: 'x'.repeat(24) }, { headers: {} });
    t.same(await refusal(invented), { status: 401, code: 'UNAUTHORIZED' });
    const mine = await owner.register(MESSAGES);
    const theirs = String((await hamlet.ok('POST', '/events/ticket')).ticket);
    t.same(
      await refusal(owner.socket({ ticket: theirs, queue_id: mine.queue_id }, { headers: {} })),
      { status: 400, code: 'BAD_EVENT_QUEUE_ID' },
      'for its user only',
    );
    t.equal((await exchange(owner.url, 'POST', '/api/v1/events/ticket')).status, 401);
  });

  await t.test('frames that are not understood are answered; the socket stays open', async (t) => {
    const socket = await SocketReader.open(owner, MESSAGES);
    const bad = [
      'no json',
      '[]',
      'null',
      '{"type":"dance"}',
      '{"type":"ack"}',
      '{"type":"ack","last_event_id":"1"}',
      '{"type":"ack","last_event_id":1.5}',
      '{"type":"ack","last_event_id":1e15}',
      Buffer.from([1, 2, 3]),
    ];
    for (const frame of bad) {
      socket.send(frame);
      const answer = await socket.refusal();
      t.match(answer, { type: 'error', code: 'BAD_REQUEST', msg: /\S/ }, String(frame));
    }
    const id = await owner.say('still open');
    t.same(messages(await socket.take(1)), [id]);
    for (let i = 0; i < 200; i++) socket.send('x');
    t.equal(await socket.closed, 1008, 'too many bad frames');
  });

  await t.test('a frame over 64 KiB closes the socket', async (t) => {
    const socket = await SocketReader.open(owner, MESSAGES);
    const padding = (size: number) => `{"type":"ack","last_event_id":-1,"x":"${'x'.repeat(size)}"}`;
    socket.send(padding(60_000));
    const id = await owner.say('60 kB are fine');
    t.same(messages(await socket.take(1)), [id]);
    socket.send(padding(65 * 1024));
    t.equal(await socket.closed, 1009);
  });

  await t.test('deleting the queue closes the socket with 4001', async (t) => {
    const socket = await SocketReader.open(owner, MESSAGES);
    await owner.ok('DELETE', '/events', { queue_id: socket.hello.queue_id });
    t.equal(await socket.closed, 4001);
  });

  await t.test('the newest consumer wins, poll or socket', async (t) => {
    const { queue_id, last_event_id } = await owner.register(MESSAGES);
    const poll = await owner.hold(queue_id, last_event_id);
    const socket = await SocketReader.open(owner, { queue_id, last_event_id });
    t.same(await poll.events, [], 'the poll was answered');
    const newer = owner.poll(queue_id, last_event_id);
    t.equal(await socket.closed, 4002, 'the socket was closed');
    const id = await owner.say('for the poll');
    t.same(messages(await newer), [id]);
  });
});

void t.test('the same ids as a poller of a second queue', async (t) => {
  const { owner, hamlet } = await startOrganization(t);
  const reader = await QueueReader.open(hamlet);
  const socket = await SocketReader.open(hamlet);
  await act(owner, hamlet);
  const last = (event: WireEvent): boolean =>
    event.type === 'message' && (event.message as { content: string }).content === 'the end';
  const polled = await reader.until(last);
  const pushed = await socket.until(last);
  t.same(pushed, polled, 'ids, order and bodies');
  t.ok(polled.length > 15);
  socket.close();
});

void t.test('switching between poll and socket at every event', async (t) => {
  const { owner, hamlet } = await startOrganization(t);
  const { queue_id, last_event_id } = await hamlet.register(MESSAGES);
  const count = 40;
  const sending = (async () => {
    const sent: number[] = [];
    for (let i = 0; i < count; i++) sent.push(await owner.say(`message ${i}`));
    return sent;
  })();
  const seen: WireEvent[] = [];
  let cursor = last_event_id;
  for (let socketTurn = false; seen.length < count; socketTurn = !socketTurn) {
    if (socketTurn) {
      const socket = await SocketReader.open(hamlet, { queue_id, last_event_id: cursor });
      const [event] = await socket.take(1);
      cursor = event!.id;
      // Sometimes the cursor travels in a frame, sometimes with the next request.
      if (seen.length % 4 === 1) socket.acknowledge(cursor);
      socket.close();
      seen.push(event!);
    } else {
      const [event] = await hamlet.poll(queue_id, cursor);
      cursor = event!.id;
      seen.push(event!);
    }
  }
  t.same(messages(seen), await sending, 'each event exactly once, in order');
  const ids = seen.map((event) => event.id);
  t.ok(
    ids.every((id, i) => i === 0 || id > ids[i - 1]!),
    'by ids that increase',
  );
});

void t.test('a socket goes on after a crash with its cursor', async (t) => {
  const { server, owner, hamlet } = await startOrganization(t);
  const socket = await SocketReader.open(hamlet, MESSAGES);
  const { queue_id } = socket.hello;
  const sent = [await owner.say('a'), await owner.say('b'), await owner.say('c')];
  const [first, ...others] = await socket.take(3);
  socket.acknowledge(first!.id);
  await server.kill();
  t.equal(await socket.closed, 1006, 'without a word');
  const again = await server.restart(t);
  const cursor = { queue_id, last_event_id: first!.id };
  const next = await SocketReader.open(hamlet.at(again.url), cursor);
  t.same(await next.take(2), others, 'the same events by the same ids');
  const later = await owner.at(again.url).say('d');
  const [last] = await next.take(1);
  t.same(messages([first!, ...others, last!]), [...sent, later]);
  t.ok(last!.id > others[1]!.id);
  next.close();
});

void t.test('sockets that open while others close stay open', async (t) => {
  const { owner, hamlet } = await startOrganization(t);
  const lost: string[] = [];
  for (let i = 0; i < 200; i++) {
    const socket = await SocketReader.open(hamlet, MESSAGES);
    const id = await owner.say('a');
    const events = await socket.take(1).catch((error: unknown) => {
      lost.push(String(error));
      return [];
    });
    if (events.length > 0 && messages(events)[0] !== id) t.fail('another message');
    // Not awaited: the next one opens meanwhile.
    socket.close();
  }
  t.same(lost, []);
});

/** Some of everything that gives events. */
async function act(owner: ApiClient, hamlet: ApiClient): Promise<void> {
  await owner.createUser('zoe');
  await owner.ok('POST', '/users/me/subscriptions', {
    subscriptions: [{ name: 'verona' }],
    principals: [hamlet.userId, owner.userId],
  });
  const id = await owner.say('hello @**Hamlet**', 'verona', 'a');
  await hamlet.ok('POST', '/messages/flags', { messages: [id], op: 'add', flag: 'starred' });
  await owner.ok('POST', '/typing', { op: 'start', to: [hamlet.userId] });
  await owner.ok('POST', '/users/me/presence', { status: 'active', new_user_input: true });
  await hamlet.ok('PATCH', '/settings', { twenty_four_hour_time: true, timezone: 'Europe/Rome' });
  await hamlet.ok('DELETE', '/users/me/subscriptions', { subscriptions: ['verona'] });
  await owner.tell([hamlet.userId], 'direct');
  await owner.say('the end');
}
