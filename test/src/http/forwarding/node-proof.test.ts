import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import t from 'tap';
import { ConnectionProof, ListenerProof } from '../../../../src/http/forwarding/node-proof.js';
import { basic } from '../toy-server.js';
import { greeting, startFollower } from './nodes.js';

const KEY = 'the key of the nodes';
const HERE = { host: '10.0.0.1', port: 9981 };

function setUp() {
  const clock = { now: 0 };
  const listener = new ListenerProof(KEY, HERE, () => clock.now);
  const connect = (key = KEY, address = HERE): ConnectionProof => new ConnectionProof(key, address);
  const proofOf = (line: string): string => line.trim().slice('Parley-Node-Proof: '.length);
  const admits = (line: string): boolean => listener.admits(proofOf(line));
  return { clock, listener, connect, admits };
}

void t.test('each side proves that it has the key, and neither sends it', (t) => {
  const { listener, connect, admits } = setUp();
  const connection = connect();
  const answer = greeting(listener, connection.hello);
  t.ok(connection.accepts(answer));
  const sent = [connection.next(), connection.next(), connection.next()];
  t.ok(admits(sent[0]!));
  t.ok(admits(sent[1]!));
  t.notOk(admits(sent[0]!), 'sent again');
  t.notOk(admits(sent[1]!), 'sent again');
  t.ok(admits(sent[2]!));
  t.notMatch([connection.hello, answer, ...sent].join(), KEY);
  t.end();
});

void t.test('who has another key, or is elsewhere, proves nothing', (t) => {
  const { listener, connect, admits } = setUp();
  t.notOk(
    connect('another').accepts(greeting(listener, connect('another').hello)),
    'another number',
  );
  const other = connect('another');
  t.notOk(other.accepts(greeting(listener, other.hello)));
  t.notOk(admits(other.next()));
  const liar = new ListenerProof('another', HERE);
  const connection = connect();
  t.notOk(connection.accepts(greeting(liar, connection.hello)));
  t.notOk(connection.accepts(''));
  const relayed = connect(KEY, { ...HERE, host: '10.0.0.66' });
  t.notOk(
    relayed.accepts(greeting(listener, relayed.hello)),
    'a proof that another node passes on',
  );
  const mirrored = connect();
  const challenge = /Challenge: (\S+)/.exec(mirrored.hello)![1];
  t.notOk(
    mirrored.accepts(`Parley-Node-Challenge: ${challenge}\r\nParley-Node-Proof: ${challenge}`),
  );
  t.equal(listener.answer('short'), null);
  t.equal(listener.answer('x'.repeat(23)), null);
  t.end();
});

void t.test('a challenge is used soon, at the process that made it', (t) => {
  const { clock, listener, connect, admits } = setUp();
  const [first, second] = [connect(), connect()];
  for (const one of [first, second]) t.ok(one.accepts(greeting(listener, one.hello)));
  clock.now = 30_000;
  t.ok(admits(first.next()));
  clock.now = 30_001;
  t.notOk(admits(second.next()), 'older than half a minute');
  clock.now = 10_000_000;
  t.ok(admits(first.next()), 'a connection that stands');
  const restarted = new ListenerProof(KEY, HERE, () => clock.now);
  t.notOk(restarted.admits(first.next().trim().slice('Parley-Node-Proof: '.length)));
  t.end();
});

void t.test('a node that proves nothing gets nothing of a client', async (t) => {
  const answers = [
    () => 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
    (hello: string) => greeting(new ListenerProof('another', HERE), hello),
    // Its own challenge and a proof of the right form.
    () =>
      'HTTP/1.1 200 OK\r\nParley-Node-Challenge: a\r\nParley-Node-Proof: b\r\nContent-Length: 2\r\n\r\n{}',
    () => 'HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n',
  ];
  for (const answer of answers) {
    let received = '';
    const impostor = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        received += chunk.toString();
        socket.write(answer(chunk.toString()));
      });
      t.teardown(() => socket.destroy());
    }).listen(0, '127.0.0.1');
    await once(impostor, 'listening');
    t.teardown(() => impostor.close());
    const { api, forward, leadership } = await startFollower(t, { waitMs: 300 });
    leadership.passTo((impostor.address() as AddressInfo).port);
    const body = new URLSearchParams({ content: 'a secret' });
    const reply = await api('/messages', {
      method: 'POST',
      headers: { Authorization: basic() },
      body,
    });
    t.equal(reply.status, 503);
    t.match(forward.problem, /is it another server\?$/);
    t.match(received, /^GET \/internal\/hello HTTP/);
    t.notMatch(received, /Authorization|secret|the key of the nodes/);
  }
});
