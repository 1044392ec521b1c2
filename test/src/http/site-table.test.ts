import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { hostNameIn } from '../../../src/http/site-table.js';
import { RequestLog } from '../../../src/http/request-log.js';
import type { HttpServerOptions } from '../../../src/http/server.js';
import { basic, echo, startToy, type Toy } from './toy-server.js';

const NOT_FOUND = { result: 'error', msg: 'Not Found', code: 'BAD_REQUEST' };

/** Answers of a server, by the head of a request. */
async function ask(port: number, head: readonly string[]): Promise<{ head: string; body: string }> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`${head.join('\r\n')}\r\nConnection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  const end = text.indexOf('\r\n\r\n');
  return { head: text.slice(0, end), body: text.slice(end + 4) };
}

/** A server of two organizations with the same user: `a.example` answers with its toy's routes, `b.example` with one. */
async function startTwo(t: Test, options: Partial<HttpServerOptions> = {}): Promise<Toy> {
  return startToy(t, options, (server, authenticator, site) => {
    const health = () => 'ready' as const;
    const other = server.site({ limiter: null, health });
    const route = echo({ method: 'GET', path: '/only-b', access: 'anonymous' });
    const messages = { ...echo({ method: 'GET', path: '/messages' }), call: () => ({ of: 'b' }) };
    other.serve({ health, routes: [route, messages], authenticator });
    server.name(site, ['a.example', 'www.a.example']);
    server.name(other, ['b.example']);
    t.throws(() => server.name(other, ['a.example']), /Another site has the host name a\.example/);
    t.throws(() => server.name(other, null), /Another site/);
  });
}

void t.test('names are compared without case, port and the dot of the root', async (t) => {
  t.equal(hostNameIn('Chat.Example.COM:8443'), 'chat.example.com');
  t.equal(hostNameIn('chat.example.com.:443'), 'chat.example.com');
  t.equal(hostNameIn(' chat.example.com '), 'chat.example.com');
  t.equal(hostNameIn('[2001:DB8::1]:80'), '[2001:db8::1]');
  t.equal(hostNameIn(''), '');
});

void t.test('a request is served by the site of its host name alone', async (t) => {
  const { port, server } = await startTwo(t);
  const get = (host: string, path: string, ...more: string[]) =>
    ask(port, [`GET ${path} HTTP/1.1`, `Host: ${host}`, ...more]);
  const auth = `Authorization: ${basic()}`;
  for (const host of ['a.example', 'A.Example:80', 'a.example.', 'www.a.example']) {
    const { body } = await get(host, '/api/v1/messages', auth);
    t.match(JSON.parse(body), { operation: 'GET /messages' }, host);
    t.same(JSON.parse((await get(host, '/api/v1/only-b')).body), NOT_FOUND);
  }
  t.match(JSON.parse((await get('B.example', '/api/v1/messages', auth)).body), { of: 'b' });
  t.match(JSON.parse((await get('b.example', '/api/v1/only-b')).body), { result: 'success' });
  const replies = [...server.replies].filter(({ operation }) => operation === 'GET /messages');
  t.same(
    replies.map((one) => [[...one.byStatus()], one.latencies()!.count]),
    [[[[200, 5]], 5]],
    'the figures of the process are sums',
  );
});

void t.test(
  'an unknown host name is 404, whatever is asked; its health is the process',
  async (t) => {
    const { port, server } = await startTwo(t);
    const auth = `Authorization: ${basic()}`;
    for (const host of ['Host: c.example', 'Host: a.example.c', 'Host: 127.0.0.1']) {
      for (const path of ['/api/v1/messages', '/api/v1/none', '/json/messages', '/', '/login/']) {
        const { head, body } = await ask(port, [`GET ${path} HTTP/1.1`, host, auth]);
        t.match(head, /^HTTP\/1\.1 404 /);
        t.same(JSON.parse(body), NOT_FOUND, `${host} ${path}`);
      }
      const page = await ask(port, ['GET / HTTP/1.1', host, 'Accept: text/html']);
      t.match(page.head, /^HTTP\/1\.1 404 [^]*content-type: text\/html/i);
      t.match(page.body, '<p role="alert">Not Found</p>');
      const health = await ask(port, ['GET /health HTTP/1.1', host]);
      t.same(JSON.parse(health.body), { result: 'success', msg: '', status: 'ready' });
    }
    const counted = [...server.replies].find(({ operation }) => operation === 'unknown host')!;
    t.same(
      [...counted.byStatus()],
      [
        [200, 3],
        [404, 18],
      ],
    );
  },
);

void t.test('of a trusted proxy alone the name that its client asked for counts', async (t) => {
  const auth = `Authorization: ${basic()}`;
  const asked = async (port: number, forwarded: string): Promise<object> => {
    const head = ['GET /api/v1/messages HTTP/1.1', 'Host: a.example', auth];
    return JSON.parse((await ask(port, [...head, forwarded])).body) as object;
  };
  const trusting = await startTwo(t, { trustedProxies: ['127.0.0.1'] });
  t.match(await asked(trusting.port, 'X-Forwarded-Host: B.example:443'), { of: 'b' });
  t.match(await asked(trusting.port, 'X-Forwarded-Host: a.example, b.example'), { of: 'b' });
  t.match(await asked(trusting.port, 'X-Forwarded-For: 192.0.2.1'), { address: '192.0.2.1' });
  const { port } = await startTwo(t, { trustedProxies: ['192.0.2.7'] });
  t.match(await asked(port, 'X-Forwarded-Host: b.example'), { operation: 'GET /messages' });
});

void t.test('of two lines of X-Forwarded-Host the last one counts', async (t) => {
  const { port } = await startTwo(t, { trustedProxies: ['127.0.0.1'] });
  const head = ['GET /api/v1/messages HTTP/1.1', 'Host: a.example', `Authorization: ${basic()}`];
  const lines = ['X-Forwarded-Host: a.example', 'X-Forwarded-Host: c.example, b.example'];
  t.match(JSON.parse((await ask(port, [...head, ...lines])).body), { of: 'b' });
});

void t.test('an unknown host name is in the log, as plain text, and hides no others', async (t) => {
  const lines: object[] = [];
  const take = (line: object): void => void lines.push(line);
  const requests = new RequestLog({ debug: take, info: take, warn: take }, false, 1e9, 'n1');
  const { port } = await startTwo(t, { requests });
  const get = (host: string) => ask(port, ['GET /api/v1/none HTTP/1.1', `Host: ${host}`]);
  await get(`C.example"<b>${'x'.repeat(300)}`);
  t.match(lines, [{ host: /^c\.example\?\?b\?x{200,}$/, status: 404, path: '/api/v1/none' }]);
  for (let i = 0; i < 30; i++) await get(`${i}.example`);
  t.equal(lines.length, 20);
  await get('a.example');
  t.equal(lines.length, 21);
  t.notOk('host' in lines[20]!);
});

void t.test('what one site withdraws ends no request of another', async (t) => {
  const { port, site, poll, server } = await startTwo(t);
  const held = ask(port, [
    'GET /api/v1/events?queue_id=q HTTP/1.1',
    'Host: a.example',
    `Authorization: ${basic()}`,
  ]);
  await poll.until(() => poll.held.length === 1);
  const other = server.site({ limiter: null, health: () => 'ready' });
  const { serviceUnavailable } = await import('../../../src/errors/index.js');
  other.withdraw(serviceUnavailable('gone'));
  t.equal(server.pendingCount, 1);
  site.withdraw(serviceUnavailable('gone'));
  t.match(JSON.parse((await held).body), { msg: 'gone' });
  server.remove(site);
  const { head } = await ask(port, ['GET /api/v1/open HTTP/1.1', 'Host: a.example']);
  t.match(head, /^HTTP\/1\.1 404 /);
});
