import { connect } from 'node:net';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { USER_SETTINGS } from '../../../schemas/users/user-settings.js';
import type { ApiClient } from '../harness/client.js';
import { startOrganization } from '../harness/organization.js';
import { QueueReader } from '../harness/queue-reader.js';
import type { RunningServer } from '../harness/server.js';
import { SocketReader } from '../harness/socket-reader.js';
import { scaled } from '../harness/scale.js';

/** Events of the flood; a queue holds 10,000. */
const EVENTS = scaled(14_000, 100_000);
/** Requests under way at a time. */
const AT_ONCE = 50;
const MIB = 1024 * 1024;
/** Rounds of a flood of which one must add little: garbage is collected in one of them, a leak grows in each. */
const ROUNDS = 4;

/** Makes `count` events with `make`, several at a time. */
async function flood(count: number, make: (i: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < count) await make(next++);
    }),
  );
}

/** Floods a server that is full already, again and again until a round adds less than `mostMib` of memory. */
async function staysFlat(
  t: Test,
  server: RunningServer,
  mostMib: number,
  round: () => Promise<unknown>,
): Promise<void> {
  const grown: number[] = [];
  const filled = server.anonymousBytes;
  for (let before = filled; grown.length < ROUNDS; before = server.anonymousBytes) {
    await round();
    grown.push((server.anonymousBytes - before) / MIB);
    if (grown.at(-1)! < mostMib) break;
  }
  const rounds = grown.map((mib) => mib.toFixed(1)).join(', ');
  t.comment(`${(filled / MIB).toFixed(0)} MiB when full, then ${rounds} MiB more`);
  t.ok(grown.at(-1)! < mostMib, `memory stays flat: ${rounds} MiB more`);
}

/** Settings that one request can turn over, each with an event of its own. */
const SWITCHES = Object.entries(USER_SETTINGS)
  .filter(([, setting]) => typeof setting.default === 'boolean')
  .map(([name]) => name);

/** Turns every switch over, again and again, until that made so many events; returns how it left them. */
async function turnOver(client: ApiClient, events: number, on: boolean): Promise<boolean> {
  for (let made = 0; made < events; made += SWITCHES.length) {
    on = !on;
    await client.ok('PATCH', '/settings', Object.fromEntries(SWITCHES.map((name) => [name, on])));
  }
  return on;
}

void t.test(`a queue never polled while ${EVENTS} events are sent`, async (t) => {
  const { server, owner } = await startOrganization(t);
  const on = await turnOver(owner, 1, false);
  const types = { fetch_event_types: [], event_types: ['user_settings'] };
  const counted = await QueueReader.open(owner, types);
  const forgotten = await owner.register({ fetch_event_types: [] });
  const others = await Promise.all(
    Array.from({ length: 20 }, () => owner.register({ fetch_event_types: [] })),
  );
  const before = await owner.register({ fetch_event_types: [], event_types: ['realm'] });
  const half = EVENTS / 2;
  let left = await turnOver(owner, half, on);
  t.ok((await counted.now()).length >= half, 'as many events as were meant');
  // 0.2 to 4 MiB, and up to 23 in a round that a collection does not come to.
  await staysFlat(t, server, 5, async () => (left = await turnOver(owner, half, left)));
  t.match(await owner.call('GET', '/events', { queue_id: forgotten.queue_id, dont_block: true }), {
    status: 400,
    body: { code: 'BAD_EVENT_QUEUE_ID', queue_id: forgotten.queue_id },
  });
  for (const { queue_id } of others) {
    const { status } = await owner.call('GET', '/events', { queue_id, dont_block: true });
    if (status !== 400) t.fail(`queue ${queue_id} outlived its bound`);
  }
  t.same(
    await owner.poll(before.queue_id, before.last_event_id, { dontBlock: true }),
    [],
    'a queue that admits none of them is not touched',
  );
});

void t.test('a queue is dropped by size before it is by number', async (t) => {
  const { server, owner } = await startOrganization(t);
  const types = { event_types: ['message'], fetch_event_types: [] };
  const forgotten = await owner.register(types);
  const content = 'x'.repeat(9900);
  // 8 Mi characters are about 850 of these.
  await flood(700, (i) => owner.say(`${i} ${content}`));
  const { status } = await owner.call('GET', '/events', {
    queue_id: forgotten.queue_id,
    dont_block: true,
  });
  t.equal(status, 200, 'still there');
  await flood(200, (i) => owner.say(`${i} ${content}`));
  t.match(await owner.call('GET', '/events', { queue_id: forgotten.queue_id, dont_block: true }), {
    status: 400,
    body: { code: 'BAD_EVENT_QUEUE_ID' },
  });
  t.ok(server.running);
});

/** Opens a WebSocket by hand and stops reading: what the operating system buffers is all there is. */
async function deafSocket(client: ApiClient, port: number) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(
    [
      `GET /api/v1/events?event_types=${encodeURIComponent('["message"]')} HTTP/1.1`,
      'Host: test',
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      `Authorization: ${client.authorization}`,
      '',
      '',
    ].join('\r\n'),
  );
  // The head may come in pieces.
  let head = '';
  while (!head.includes('\r\n\r\n')) {
    head += String(((await once(socket, 'data')) as [Buffer])[0]);
  }
  socket.pause();
  if (!head.startsWith('HTTP/1.1 101 ')) throw new Error(head);
  return socket;
}

void t.test('a socket that stops reading does not grow the server', async (t) => {
  const { server, owner } = await startOrganization(t);
  const sockets = await Promise.all(
    Array.from({ length: 50 }, () => deafSocket(owner, server.port)),
  );
  t.teardown(() => sockets.forEach((socket) => socket.destroy()));
  const paused = await SocketReader.open(owner, { event_types: ['message'] });
  paused.pause();
  const content = 'x'.repeat(9900);
  // As many as the queues hold, then as many again, nearly.
  await flood(900, (i) => owner.say(`${i} ${content}`));
  // Texts of 7 MB, of which 14 to 26 MiB are garbage until the collection of all old objects.
  await staysFlat(t, server, 45, () => flood(700, (i) => owner.say(`${i} ${content}`)));
  paused.resume();
  t.equal(await paused.closed, 4001, 'its queue overflowed');
});
