import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { seedOrganization, type Account } from '../../../bench/seed/seed.js';
import { ApiClient } from '../harness/client.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer } from '../harness/server.js';

/** Enough for a reply of megabytes, more than a connection takes at once. */
const PEOPLE = 20_000;
const FORM = 'client_gravatar=false&slim_presence=true&include_subscribers=true';

interface Large {
  readonly server: RunningServer;
  readonly accounts: readonly Account[];
  readonly streamId: number;
}

async function largeOrganization(t: Test): Promise<Large> {
  const small = await RunningServer.start(t);
  const owner = await ApiClient.login(small.url, OWNER_EMAIL, OWNER_PASSWORD);
  await owner.call('POST', '/users/me/subscriptions', { subscriptions: [{ name: 'everybody' }] });
  await small.stop();
  const plan = { users: PEOPLE, outsiders: 0, messages: 0, queues: 0, channel: 'everybody' };
  const { accounts } = await seedOrganization(`embedded:${small.folder}`, small.folder, plan);
  const server = await small.restart(t);
  const again = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
  const { body } = await again.call('GET', '/get_stream_id', { stream: 'everybody' });
  return { server, accounts, streamId: Number(body.stream_id) };
}

/** Sends a registration, without reading what comes. */
async function ask(t: Test, { server }: Large, { authorization }: Account): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  socket.pause();
  socket.write(
    `POST /api/v1/register HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n` +
      `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${FORM.length}\r\n` +
      `Connection: close\r\n\r\n${FORM}`,
  );
  return socket;
}

interface Reply {
  readonly result: string;
  readonly queue_id: string;
  readonly last_event_id: number;
  readonly realm_users: readonly { readonly user_id: number; readonly full_name: string }[];
  readonly realm_user_groups: readonly { readonly name: string; readonly members: number[] }[];
  readonly subscriptions: readonly {
    readonly stream_id: number;
    readonly subscribers: number[];
    readonly subscriber_count: number;
  }[];
}

/** Reads the whole reply. */
async function read(socket: Socket): Promise<{ reply: Reply; bytes: number }> {
  const chunks: Buffer[] = [];
  let [size, wanted, body] = [0, Infinity, 0];
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (wanted === Infinity) {
      const text = Buffer.concat(chunks).toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      body = end + 4;
      wanted = body + Number(/content-length: (\d+)/i.exec(text)![1]);
    }
    if (size >= wanted) socket.destroy();
  });
  socket.resume();
  await once(socket, 'close');
  const whole = Buffer.concat(chunks);
  const reply = JSON.parse(whole.subarray(body, wanted).toString()) as Reply;
  return { reply, bytes: size };
}

void t.test(`registrations in an organization of ${PEOPLE}`, async (t) => {
  const large = await largeOrganization(t);
  const { server, accounts, streamId } = large;
  const ids = accounts.map(({ userId }) => userId);

  await t.test('the reply is whole, and the same to all', async (t) => {
    const { reply, bytes } = await read(await ask(t, large, accounts[0]!));
    t.ok(bytes > 8_000_000, `${bytes} bytes`);
    t.equal(reply.result, 'success');
    const people = reply.realm_users.map(({ user_id }) => user_id);
    t.equal(people.length, PEOPLE + 1);
    t.same(people.slice(-PEOPLE), ids);
    const members = reply.realm_user_groups.find(({ name }) => name === 'role:members')!;
    t.same(members.members, ids);
    const channel = reply.subscriptions.find(({ stream_id }) => stream_id === streamId)!;
    t.equal(channel.subscriber_count, PEOPLE + 1);
    t.same(channel.subscribers.slice(-PEOPLE), ids);
    const { reply: other } = await read(await ask(t, large, accounts[1]!));
    t.same(other.realm_users, reply.realm_users);
  });

  await t.test('a slow reader gets what was so when it asked, and then the events', async (t) => {
    const slow = await ask(t, large, accounts[2]!);
    const client = await ApiClient.login(server.url, OWNER_EMAIL, OWNER_PASSWORD);
    const queue = await read(await ask(t, large, accounts[3]!));
    await client.call('PATCH', `/users/${ids[7]}`, { full_name: 'Changed' });
    const { reply } = await read(slow);
    const name = reply.realm_users.find(({ user_id }) => user_id === ids[7])!.full_name;
    t.equal(name, `Bench user ${ids[7]}`);
    const { reply: later } = await read(await ask(t, large, accounts[2]!));
    t.equal(later.realm_users.find(({ user_id }) => user_id === ids[7])!.full_name, 'Changed');
    t.ok(later.last_event_id > queue.reply.last_event_id);
    const response = await fetch(
      `${server.url}/api/v1/events?queue_id=${reply.queue_id}&last_event_id=${reply.last_event_id}`,
      { headers: { authorization: accounts[2]!.authorization } },
    );
    t.match(await response.json(), {
      events: [{ type: 'realm_user', op: 'update', person: { full_name: 'Changed' } }],
    });
  });

  await t.test('when all come back at once, some of whom go away', async (t) => {
    const sockets = await Promise.all(
      accounts.slice(10, 50).map((account) => ask(t, large, account)),
    );
    for (const gone of sockets.splice(0, 10)) gone.destroy();
    const replies = await Promise.all(sockets.map(read));
    t.ok(replies.every(({ reply }) => reply.realm_users.length === PEOPLE + 1));
    t.equal(new Set(replies.map(({ reply }) => reply.queue_id)).size, sockets.length);
    t.ok(server.residentBytes < 800_000_000, `${server.residentBytes} bytes`);
  });
  t.equal((await server.stop()).code, 0);
});
