/** Events in fewer bytes: streams and polls for clients that take gzip, sockets for those that ask. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { createGunzip, gunzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import { emitAny } from '../../../fixtures/emit-any.js';
import { RawConnection } from '../raw-connection.js';
import { basic } from '../toy-server.js';
import { startEventServer, type EventServer } from './event-server.js';

/** As long as the event of a message of a sentence. */
const TEXT = 'The build of this morning is green again, shall we go on with the release? '.repeat(
  5,
);

/** Gives the user an event. */
async function tell({ node }: EventServer, fields: object): Promise<void> {
  node.runtime.transact((tx) => emitAny(tx, 'note', { to: 'users', users: [1] }, { ...fields }));
  await node.journal.barrier();
}

/** A request of a client that decodes nothing by itself. */
async function open(
  t: Test,
  { toy }: EventServer,
  query: string,
  headers: Record<string, string>,
): Promise<IncomingMessage> {
  const request = get({
    ...{ port: toy.port, path: `/api/v1/events?${query}`, agent: false },
    headers: { Authorization: basic(), ...headers },
  });
  t.teardown(() => request.destroy());
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
}

const STREAM = { Accept: 'text/event-stream', 'Accept-Encoding': 'gzip, deflate, br' };

/** A stream's bytes as they came, and its text as far as they say it. */
function reading(response: IncomingMessage) {
  const chunks: Buffer[] = [];
  const gunzip = createGunzip();
  let text = '';
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  response.pipe(gunzip);
  gunzip.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return {
    chunks,
    ended: once(gunzip, 'end'),
    text: () => text,
    until: async (words: string): Promise<void> => {
      while (!text.includes(words)) await once(gunzip, 'data');
    },
  };
}

void t.test('a stream for who takes gzip: each event can be read as it comes', async (t) => {
  const server = await startEventServer(t);
  const { node } = server;
  const queues = [await node.register(1), await node.register(1)];
  const streams = [];
  for (const { queueId } of queues) {
    const response = await open(t, server, `queue_id=${queueId}&last_event_id=-1`, STREAM);
    t.match(response.headers, { 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    const stream = reading(response);
    await stream.until('"hello"');
    streams.push(stream);
  }
  const before = streams.map(({ chunks }) => chunks.length);
  await tell(server, { text: TEXT });
  for (const one of streams) await one.until(TEXT);
  const sent = streams.map(({ chunks }, i) => Buffer.concat(chunks.slice(before[i])));
  t.same(sent[0], sent[1], 'compressed once for both');
  t.ok(sent[0]!.length < 200, 'in fewer bytes');
  await tell(server, { text: 'short' });
  for (const one of streams) await one.until('"short"');
  for (const queue of queues) node.queues.end(queue, 'delete');
  for (const one of streams) {
    // The checksum and the length at the end are right: the decoder ends without an error.
    await one.ended;
    t.match(one.text(), /\n\nevent: end\ndata: .*"close_code":4001.*\n\n$/);
  }
});

void t.test('a stream for who takes none is as it was', async (t) => {
  const server = await startEventServer(t);
  const { queueId } = await server.node.register(1);
  const response = await open(t, server, `queue_id=${queueId}&last_event_id=-1`, {
    Accept: 'text/event-stream',
  });
  t.equal(response.headers['content-encoding'], undefined);
  const [first] = (await once(response, 'data')) as [Buffer];
  t.match(first.toString(), /^event: hello\n/);
});

void t.test('a key is not compressed', async (t) => {
  const server = await startEventServer(t);
  const { queueId } = await server.node.register(1);
  const response = await open(t, server, `queue_id=${queueId}&last_event_id=-1`, STREAM);
  const stream = reading(response);
  await stream.until('"hello"');
  await tell(server, { bot: { api_key: 'k'.repeat(32) }, text: TEXT });
  await stream.until(TEXT);
  t.ok(Buffer.concat(stream.chunks).includes(`"api_key":"${'k'.repeat(32)}"`), 'bytes as they are');
  await tell(server, { text: `${TEXT} "api_key": words of somebody` });
  await stream.until('words of somebody');
  t.notOk(Buffer.concat(stream.chunks).includes('words of somebody'));
});

void t.test('a poll from 1,024 units on, for who takes gzip', async (t) => {
  const server = await startEventServer(t);
  const { node } = server;
  const [queue, other, alone] = [
    await node.register(1),
    await node.register(1),
    await node.register(1),
  ];
  const poll = async (queueId: string, coding: string, more = '') => {
    const query = `queue_id=${queueId}&last_event_id=-1&dont_block=true${more}`;
    const response = await open(t, server, query, { 'Accept-Encoding': coding });
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { coding: response.headers['content-encoding'], bytes: Buffer.concat(chunks) };
  };
  await tell(server, { text: TEXT });
  for (const { queueId } of [queue, other]) {
    t.equal((await poll(queueId, 'gzip')).coding, undefined, 'too short');
  }
  await tell(server, { text: TEXT });
  await tell(server, { text: TEXT });
  for (const { queueId } of [queue, other]) {
    const plain = await poll(queueId, 'identity');
    const compressed = await poll(queueId, 'gzip, deflate');
    t.equal(plain.coding, undefined);
    t.equal(compressed.coding, 'gzip');
    t.equal(gunzipSync(compressed.bytes).toString(), plain.bytes.toString(), 'the same text');
    t.ok(plain.bytes.includes(queueId));
    t.ok(compressed.bytes.length < plain.bytes.length / 2);
  }
  const ignored = await poll(alone.queueId, 'gzip', '&nonsense=1');
  t.equal(ignored.coding, 'gzip');
  t.match(JSON.parse(gunzipSync(ignored.bytes).toString()), {
    queue_id: alone.queueId,
    ignored_parameters_unsupported: ['nonsense'],
    events: { length: 3 },
  });
});

/** A socket that counts what comes. */
async function socketOf(t: Test, { toy, node }: EventServer, query: string, offers: boolean) {
  const { queueId } = await node.register(1);
  const url = `ws://127.0.0.1:${toy.port}/api/v1/events?queue_id=${queueId}&last_event_id=-1${query}`;
  const headers = { Authorization: basic() };
  const client = new WebSocket(url, { headers, perMessageDeflate: offers });
  t.teardown(() => client.terminate());
  const frames: string[] = [];
  client.on('message', (data: Buffer) => frames.push(data.toString()));
  await once(client, 'message');
  const { _socket: wire } = client as unknown as { _socket: Socket };
  return {
    client,
    frames,
    /** Bytes of the next frame on the wire. */
    next: async (before: () => Promise<void>): Promise<number> => {
      const { bytesRead } = wire;
      const message = once(client, 'message');
      await before();
      await message;
      return wire.bytesRead - bytesRead;
    },
  };
}

void t.test('a socket that asks for it gets each frame compressed by itself', async (t) => {
  const server = await startEventServer(t);
  const asking = await socketOf(t, server, '&compression=message', true);
  const offering = await socketOf(t, server, '', true);
  const silent = await socketOf(t, server, '&compression=message', false);
  t.match(asking.client.extensions, 'permessage-deflate');
  t.equal(offering.client.extensions, '');
  t.equal(silent.client.extensions, '');
  const say = () => tell(server, { text: TEXT });
  const [compressed, plain] = [await asking.next(say), await offering.next(say)];
  t.ok(compressed < plain / 2, `${compressed} bytes of ${plain}`);
  t.ok(silent.frames.length > 0);
  const key = await asking.next(() => tell(server, { api_key: 'k'.repeat(32), text: TEXT }));
  t.ok(key > TEXT.length, 'a key is not compressed');
  t.match(JSON.parse(asking.frames.at(-1)!), { events: [{ api_key: 'k'.repeat(32) }] });
  // What a client sends compressed is understood.
  asking.client.send(JSON.stringify({ type: 'ack', last_event_id: 0, padding: 'x'.repeat(2000) }));
  const refused = await asking.next(async () => asking.client.send('[]'.padEnd(3000)));
  t.ok(refused > 0);
  t.match(JSON.parse(asking.frames.at(-1)!), { type: 'error', msg: 'Unknown frame type' });
});

void t.test('an offer that may not be accepted is declined in the handshake', async (t) => {
  const { toy, node } = await startEventServer(t);
  const { queueId } = await node.register(1);
  const path = `/api/v1/events?queue_id=${queueId}&last_event_id=-1&compression=message`;
  const handshake = [
    ...['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
    ...['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', `Authorization: ${basic()}`],
  ];
  for (const [offers, isTaken] of [
    ['permessage-deflate; unknown=1', false],
    ['permessage-deflate; server_max_window_bits=10', false],
    ['permessage-deflate; unknown=1, permessage-deflate', true],
  ] as const) {
    const connection = await RawConnection.open(toy.port);
    connection.request('GET', path, ...handshake, `Sec-WebSocket-Extensions: ${offers}`);
    const reply = await connection.response({ head: true });
    t.equal(reply?.status, 101, offers);
    t.equal(reply?.headers.has('sec-websocket-extensions'), isTaken, offers);
    connection.destroy();
  }
});

void t.test('no other compression is known', async (t) => {
  const server = await startEventServer(t);
  const { queueId } = await server.node.register(1);
  const client = server.open(`queue_id=${queueId}&compression=all`);
  await client.until(() => client.refused !== undefined);
  t.equal(client.refused, 400);
});
