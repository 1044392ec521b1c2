import t from 'tap';
import { NodeReply, parseHead } from '../../../../src/http/forwarding/node-reply.js';

const HEAD =
  'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-RateLimit-Limit: 200\r\n' +
  'Parley-Position: 42\r\nDate: Sun, 22 Nov 2026 20:33:12 GMT\r\nuWebSockets: 20\r\nContent-Length: 12';

function replyOf(size: number) {
  const done: string[] = [];
  const flow = {
    resume: () => void done.push('resume'),
    discard: () => void done.push('discard'),
  };
  const reply = new NodeReply(parseHead(`HTTP/1.1 200 OK\r\nContent-Length: ${size}`), flow);
  return { reply, done };
}

void t.test('the head of a reply, without what each node adds itself', async (t) => {
  t.same(parseHead(HEAD), {
    status: 200,
    statusLine: '200 OK',
    lines: 'Content-Type: application/json\r\nX-RateLimit-Limit: 200\r\nParley-Position: 42',
    size: 12,
    position: 42,
    isUnprocessed: false,
    closes: false,
  });
  const refused = 'HTTP/1.1 503 Service Unavailable\r\nA: b\r\nParley-Unprocessed: 1\r\n';
  t.match(parseHead(`${refused}Connection: close\r\nContent-Length: 0`), {
    status: 503,
    lines: 'A: b',
    position: null,
    isUnprocessed: true,
    closes: true,
  });
  t.match(parseHead('HTTP/1.1 204 No Content\r\nAllow: GET'), { size: 0, lines: 'Allow: GET' });
  const noKey = 'HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0';
  t.equal(parseHead(noKey).isUnprocessed, true, 'a node with another key');
  t.equal(parseHead(noKey.replace('\r\n', '\r\nA: b\r\n')).isUnprocessed, false);
});

void t.test('what is no reply of a node', async (t) => {
  for (const text of [
    'HTTP/1.0 200 OK\r\nContent-Length: 1',
    'HTTP/1.1 100 Continue\r\nContent-Length: 1',
    'HTTP/1.1 200 OK\r\nContent-Length: x',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked',
    'hello',
    '',
  ]) {
    t.throws(() => parseHead(text), text);
  }
});

void t.test('a body is read from any offset of what was not read yet', async (t) => {
  const { reply } = replyOf(10);
  t.equal(reply.receive(Buffer.from('0123')), true);
  t.equal((await reply.read(0)).toString(), '0123');
  t.equal((await reply.read(2)).toString(), '23', 'the client took a part only');
  const later = reply.read(4);
  reply.receive(Buffer.from('456789'));
  t.equal((await later).toString(), '456789');
  t.equal((await reply.read(9)).toString(), '9');
  t.equal(reply.isComplete, true);
  t.equal((await reply.read(10)).length, 0);
});

void t.test('no more than 256 KiB wait for a slow client', async (t) => {
  const { reply, done } = replyOf(1024 * 1024);
  const chunk = Buffer.alloc(128 * 1024);
  t.equal(reply.receive(chunk), true);
  t.equal(reply.receive(chunk), false, 'pause');
  await reply.read(128 * 1024);
  t.same(done, []);
  const next = reply.read(256 * 1024);
  t.same(done, ['resume']);
  t.equal(reply.receive(chunk), true);
  t.equal((await next).length, chunk.length);
});

void t.test('a reply that breaks off, and one that nobody reads', async (t) => {
  const { reply, done } = replyOf(5);
  reply.receive(Buffer.from('abc'));
  t.equal((await reply.read(0)).toString(), 'abc');
  const next = reply.read(3);
  reply.fail(new Error('broken'));
  await t.rejects(next, { message: 'broken' });
  await t.rejects(reply.text(), { message: 'broken' });
  reply.discard();
  t.same(done, ['resume', 'discard']);
  const whole = replyOf(3);
  whole.reply.receive(Buffer.from('abc'));
  whole.reply.discard();
  t.same(whole.done, [], 'the connection of a whole one is kept');
});
