/** The same queue as server-sent events (socket.md#server-sent-events). */
import { connect } from 'node:net';
import t from 'tap';
import type { ApiClient, Body, Parameters, WireEvent } from '../harness/client.js';
import { startOrganization } from '../harness/organization.js';
import { NEVER_GIVEN } from '../harness/server.js';
import { SocketReader } from '../harness/socket-reader.js';
import { StreamReader, type StreamOptions } from '../harness/stream-reader.js';

const MESSAGES = { event_types: ['message'] };

const messages = (events: readonly WireEvent[]): number[] =>
  events.map((event) => (event.message as { id: number }).id);

async function opened(
  client: ApiClient,
  parameters: Parameters,
  options: StreamOptions = {},
): Promise<StreamReader> {
  const stream = await StreamReader.open(client, parameters, options);
  if (stream instanceof StreamReader) return stream;
  throw new Error(`${stream.status} ${JSON.stringify(stream.body)}`);
}

async function refusal(
  client: ApiClient,
  parameters: Parameters,
  options: StreamOptions = {},
): Promise<{ status: number; code: unknown }> {
  const stream = await StreamReader.open(client, parameters, options);
  if (stream instanceof StreamReader) throw new Error('The stream was opened');
  return { status: stream.status, code: stream.body['code'] };
}

/** The data of the event that says that the stream must not be opened again. */
async function lastWord(stream: StreamReader): Promise<Body> {
  for (;;) {
    const { name, data } = await stream.next();
    if (name === 'end') return JSON.parse(data) as Body;
  }
}

void t.test('server-sent events of a queue', async (t) => {
  const { owner, hamlet } = await startOrganization(t);

  await t.test('hello, then events as they come, each id the cursor behind it', async (t) => {
    const { queue_id, last_event_id } = await owner.register(MESSAGES);
    const stream = await opened(owner, { queue_id, last_event_id });
    t.equal(stream.headers.get('content-type'), 'text/event-stream');
    t.equal(stream.headers.get('cache-control'), 'no-store');
    t.equal(stream.headers.get('access-control-allow-origin'), '*');
    t.equal(stream.headers.get('x-accel-buffering'), 'no');
    const { name, data, id } = await stream.next();
    t.same([name, id], ['hello', undefined]);
    t.strictSame(JSON.parse(data), {
      type: 'hello',
      queue_id,
      last_event_id,
      heartbeat_interval_seconds: 45,
    });
    const sent = [await owner.say('a'), await hamlet.say('b\nc')];
    const events = await stream.take(2);
    t.same(messages(events), sent);
    stream.close();
    const left = await owner.poll(queue_id, -1, { dontBlock: true });
    t.same(left, events, 'the same objects as a poll returns, none acknowledged');
  });

  await t.test('Last-Event-ID is the cursor, and wins over last_event_id', async (t) => {
    const { queue_id, last_event_id } = await owner.register(MESSAGES);
    for (const text of ['a', 'b', 'c']) await owner.say(text);
    const first = await opened(owner, { queue_id, last_event_id });
    await first.next();
    const events = await first.take(3);
    const again = await opened(
      owner,
      { queue_id, last_event_id },
      { lastEventId: String(events[0]!.id) },
    );
    t.equal((await again.next()).name, 'hello');
    t.same(await again.take(2), events.slice(1));
    t.strictSame(await lastWord(first), {
      close_code: 4002,
      code: 'QUEUE_SUPERSEDED',
      msg: 'A newer consumer took the queue',
      queue_id,
    });
    t.ok(await first.ended());
    const senseless = await opened(owner, { queue_id }, { lastEventId: 'x' });
    await senseless.next();
    t.same(await senseless.take(2), events.slice(1), 'what is no id of ours is no cursor');
    senseless.close();
  });

  await t.test('events are acknowledged beside the stream', async (t) => {
    const { queue_id, last_event_id } = await owner.register(MESSAGES);
    const stream = await opened(owner, { queue_id, last_event_id });
    await stream.next();
    for (const text of ['a', 'b', 'c']) await owner.say(text);
    const events = await stream.take(3);
    const ack = (id: number, client = owner) =>
      client.call('POST', '/events/ack', { queue_id, last_event_id: id });
    const refused = await ack(events[2]!.id + 1);
    t.equal(refused.status, 400);
    t.equal(refused.body.msg, `Event ${events[2]!.id + 1} was not in this queue`);
    t.equal((await ack(events[1]!.id, hamlet)).body.code, 'BAD_EVENT_QUEUE_ID');
    t.strictSame((await ack(events[1]!.id)).body, { result: 'success', msg: '' });
    t.equal((await ack(events[0]!.id)).status, 200, 'an earlier one does no harm');
    const next = await owner.say('d');
    t.same(messages(await stream.take(1)), [next], 'the stream goes on');
    stream.close();
    const left = await owner.poll(queue_id, events[1]!.id, { dontBlock: true });
    t.same(messages(left), [...messages(events.slice(2)), next]);
  });

  await t.test('without queue_id a queue is registered', async (t) => {
    const stream = await opened(owner, { ...MESSAGES, apply_markdown: true });
    const hello = JSON.parse((await stream.next()).data) as Body;
    const id = await owner.say('**bold**');
    const [event] = await stream.take(1);
    t.match(event, { type: 'message', message: { id, content: /<strong>bold<\/strong>/ } });
    await owner.ok('DELETE', '/events', { queue_id: hello['queue_id'] });
    t.match(await lastWord(stream), { close_code: 4001, code: 'BAD_EVENT_QUEUE_ID' });
  });

  await t.test('a client goes from poll to stream to socket and back', async (t) => {
    const { queue_id, last_event_id } = await owner.register(MESSAGES);
    const sent = [await owner.say('by poll')];
    let events = await owner.poll(queue_id, last_event_id);
    t.same(messages(events), sent);
    const stream = await opened(owner, { queue_id, last_event_id: events[0]!.id });
    await stream.next();
    const second = await owner.say('by stream');
    events = await stream.take(1);
    t.same(messages(events), [second]);
    const socket = await SocketReader.open(owner, { queue_id, last_event_id: events[0]!.id });
    t.match(await lastWord(stream), { close_code: 4002 });
    const third = await owner.say('by socket');
    events = await socket.take(1);
    t.same(messages(events), [third]);
    const back = await opened(owner, { queue_id, last_event_id: events[0]!.id });
    t.equal(await socket.closed, 4002);
    await back.next();
    t.same(await owner.poll(queue_id, events[0]!.id, { dontBlock: true }), []);
    t.match(await lastWord(back), { close_code: 4002 }, 'a poll takes the queue, too');
  });

  await t.test('refusals are ordinary HTTP errors', async (t) => {
    const { queue_id } = await owner.register(MESSAGES);
    const bad = { status: 400, code: 'BAD_EVENT_QUEUE_ID' };
    const nobody = { status: 401, code: 'UNAUTHORIZED' };
    t.same(await refusal(owner, { queue_id }, { isAuthorized: false }), nobody);
    t.same(await refusal(hamlet, { queue_id }), bad, "another user's queue");
    t.same(await refusal(owner, { queue_id: 'x' }), bad);
    t.same(await refusal(owner, { queue_id }, { lastEventId: String(2 ** 49) }), {
      status: 400,
      code: NEVER_GIVEN,
    });
  });

  await t.test('a ticket opens one stream, once', async (t) => {
    const { ticket } = await owner.ok('POST', '/events/ticket');
    const stream = await opened(owner, { ...MESSAGES, ticket }, { isAuthorized: false });
    await stream.next();
    const id = await owner.say('by ticket');
    t.same(messages(await stream.take(1)), [id]);
    stream.close();
    const again = await refusal(owner, { ...MESSAGES, ticket }, { isAuthorized: false });
    t.same(again, { status: 401, code: 'UNAUTHORIZED' });
  });

  await t.test('a client that does not read gets everything once it does', async (t) => {
    const { queue_id, last_event_id } = await hamlet.register(MESSAGES);
    const url = new URL(hamlet.url);
    const slow = connect(Number(url.port), url.hostname);
    slow.write(
      `GET /api/v1/events?queue_id=${queue_id}&last_event_id=${last_event_id} HTTP/1.1\r\n` +
        `Host: x\r\nAccept: text/event-stream\r\nAuthorization: ${hamlet.authorization}\r\n\r\n`,
    );
    slow.pause();
    const text = 'x'.repeat(9900);
    const sent: number[] = [];
    // More than the system takes for one connection (4 MiB here), and less than a queue may hold (8 MiB).
    for (let i = 0; i < 600; i += 40) {
      const batch = Array.from({ length: 40 }, () => owner.say(text));
      sent.push(...(await Promise.all(batch)));
    }
    const seen: number[] = [];
    let unread = '';
    const all = new Promise<void>((resolve) => {
      slow.on('data', (chunk: Buffer) => {
        // Without the lengths of HTTP's chunks, which may come anywhere.
        const blocks = (unread + chunk.toString('latin1'))
          .replace(/\r\n[\da-f]+\r\n/g, '')
          .split('\n\n');
        unread = blocks.pop()!;
        for (const block of blocks) {
          const data = /^data: (\{"events".*)$/m.exec(block)?.[1];
          if (data) seen.push(...messages((JSON.parse(data) as { events: WireEvent[] }).events));
        }
        if (seen.length >= sent.length) resolve();
      });
    });
    slow.resume();
    await all;
    slow.destroy();
    t.same(
      seen,
      [...sent].sort((a, b) => a - b),
    );
  });

  await t.test('a deactivated user is told not to come back', async (t) => {
    const rosa = await owner.createUser('rosa');
    const stream = await opened(rosa, MESSAGES);
    await stream.next();
    await owner.ok('DELETE', `/users/${rosa.userId}`);
    t.match(await lastWord(stream), { close_code: 4003, code: 'UNAUTHORIZED' });
    t.ok(await stream.ended());
  });
});

void t.test('a server that stops completes the streams, and their clients come back', async (t) => {
  const { server, owner } = await startOrganization(t);
  const { queue_id, last_event_id } = await owner.register(MESSAGES);
  const stream = await opened(owner, { queue_id, last_event_id });
  await stream.next();
  await server.stop();
  t.ok(await stream.ended(), 'without an event that says not to come back');
});
