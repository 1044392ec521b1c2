import { once } from 'node:events';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import type { RequestContext } from '../../../src/http/request-context.js';
import type { DecodedRequest } from '../../../src/resources/kernel/route.js';
import { PROXIES, startProxyServer, tap, type ProxyKind } from './proxy-process.js';
import { RawConnection } from './raw-connection.js';
import { basic, echo, ROUTES, startToy, toyEndpoint } from './toy-server.js';

const AUTH = `Authorization: ${basic()}`;
const FORM = 'Content-Type: application/x-www-form-urlencoded';
const CHUNKED = 'Transfer-Encoding: chunked';
/** Where the tests' client comes from; the proxies' own address is the first of the network. */
const CLIENT = '127.0.0.2';

/** A server that notes the bodies it carried out, behind a wiretap and a proxy. */
async function start(t: Test, kind: ProxyKind) {
  const done: unknown[] = [];
  const routes = [
    ...ROUTES,
    echo({ method: 'GET', path: '/address', access: 'anonymous' }),
    {
      endpoint: toyEndpoint({ method: 'POST', path: '/write' }),
      call: async (request: DecodedRequest) => {
        await new Promise((resolve) => setImmediate(resolve));
        done.push((request as RequestContext).ignored);
        return {};
      },
    },
  ];
  const toy = await startToy(t, { routes, trustedProxies: ['127.0.0.1'] }, (server) => {
    server.register((app) =>
      app.ws('/api/v1/socket', {
        message: (socket, message, isBinary) => void socket.send(message, isBinary),
      }),
    );
  });
  const wire = await tap(t, toy.port);
  const port = await startProxyServer(t, kind, wire.port);
  const open = () => RawConnection.open(port, CLIENT);
  const ask = async (bytes: string) => {
    wire.taken();
    const connection = await open();
    connection.write(bytes);
    const reply = await connection.response();
    connection.destroy();
    return { status: reply?.status, body: reply?.body ?? '', passed: wire.taken() };
  };
  return { ...toy, proxyPort: port, done, open, ask, wire };
}

function request(method: string, path: string, body: string, ...headers: string[]): string {
  const length = body === '' ? [] : [`Content-Length: ${body.length}`];
  const lines = [`${method} /api/v1${path} HTTP/1.1`, 'Host: chat.example.org', AUTH, FORM];
  return `${[...lines, ...headers, ...length].join('\r\n')}\r\n\r\n${body}`;
}

for (const kind of PROXIES) {
  const options = { skip: kind.missing ?? false };
  void t.test(`${kind.name} as documented`, options, async (t) => {
    const { ask, open, done, poll, proxyPort, wire } = await start(t, kind);

    await t.test('the client is known, whatever it claims', async (t) => {
      const address = async (...headers: string[]) =>
        (JSON.parse((await ask(request('GET', '/address', '', ...headers))).body) as Claim).address;
      t.equal(await address(), CLIENT);
      t.equal(await address('X-Forwarded-For: 198.51.100.7'), CLIENT);
      t.equal(await address('X-Forwarded-For: 1.1.1.1', 'X-Forwarded-For: 2.2.2.2'), CLIENT);
      t.equal(await address('Forwarded: for=198.51.100.7'), CLIENT);
    });

    await t.test('pages of the site may call, others may not', async (t) => {
      const status = async (origin: string) =>
        (await ask(request('GET', '/messages', '', `Origin: ${origin}`))).status;
      t.equal(await status('http://chat.example.org'), 200);
      t.equal(await status('https://chat.example.org'), 403, 'the proxy tells the scheme');
      t.equal(await status('http://evil.example'), 403);
    });

    await t.test('sockets, polls and large bodies', async (t) => {
      const socket = new WebSocket(`ws://127.0.0.1:${proxyPort}/api/v1/socket`, {
        headers: { Host: 'chat.example.org' },
      });
      await once(socket, 'open');
      socket.send('hello');
      const [message] = (await once(socket, 'message')) as [Buffer];
      t.equal(message.toString(), 'hello');
      socket.close();
      const waiting = ask(request('GET', '/events?queue_id=a', ''));
      await poll.until(() => poll.held.length === 1);
      poll.held[0]!.replyText200('{"events":[]}');
      t.same(await waiting.then(({ status, body }) => [status, body]), [200, '{"events":[]}']);
      const file = 'x'.repeat(3 * 1024 * 1024);
      const part = `--B\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n${file}\r\n`;
      const type = 'Content-Type: multipart/form-data; boundary=B';
      const upload = request('POST', '/upload', `${part}--B--\r\n`).replace(FORM, type);
      t.equal((await ask(upload)).status, 200);
    });

    await t.test('pipelined writes are carried out and answered, each', async (t) => {
      const connection = await open();
      connection.write(
        ['a', 'b', 'c'].map((name) => request('POST', '/write', `${name}=1`)).join(''),
      );
      for (let i = 0; i < 3; i++) t.equal((await connection.response())?.status, 200);
      connection.destroy();
      t.same(done.splice(0), [['a'], ['b'], ['c']]);
    });

    await t.test('a head in pieces reaches the server whole', async (t) => {
      const long = request('GET', `/open?x=${'y'.repeat(7000)}`, '');
      for (const cut of [6, 1448, 5000, long.length - 3]) {
        wire.taken();
        const connection = await open();
        connection.write(long.slice(0, cut));
        // An answer to another request: the proxy has read the first piece by then.
        t.equal((await ask(request('GET', '/open', ''))).status, 200);
        connection.write(long.slice(cut));
        t.equal((await connection.response())?.status, 200, `cut after ${cut} bytes`);
        connection.destroy();
      }
    });

    await t.test('odd requests are answered, or reach the server in order', async (t) => {
      const noHost = await ask(`GET /api/v1/open HTTP/1.1\r\n\r\n`);
      t.ok([200, 400].includes(noHost.status!), 'no Host');
      t.ok(noHost.passed === '' || /^host: /im.test(noHost.passed));
      const wholeUrl = 'GET http://chat.example.org/api/v1/open HTTP/1.1\r\nHost: chat.example.org';
      t.equal((await ask(`${wholeUrl}\r\n\r\n`)).status, 200, 'a whole URL');
      const health = kind.name === 'haproxy' ? '/proxy-health' : '/health';
      // Caddy answers for its site alone.
      const host = kind.name === 'caddy' ? 'Host: chat.example.org\r\n' : '';
      t.equal((await ask(`GET ${health} HTTP/1.0\r\n${host}\r\n`)).status, 200, 'HTTP/1.0');
      for (const [name, headers, body] of [
        ['two lengths', ['Content-Length: 3', 'Content-Length: 5'], 'a=1zz'],
        ['another coding', ['Transfer-Encoding: gzip, chunked'], '3\r\na=1\r\n0\r\n\r\n'],
      ] as const) {
        const { status, passed } = await ask(request('POST', '/write', '', ...headers) + body);
        t.ok(status! >= 400 && status! < 510, `${name}: ${status}`);
        t.equal(passed, '', name);
      }
      t.same(done, [], 'nothing of them was carried out');
      const bare = await ask(`${request('POST', '/write', '', CHUNKED)}3\na=1\n0\n\n`);
      t.notMatch(bare.passed, /[^\r]\n/, 'line feeds of chunks become whole line ends');
      const isRefused = bare.status === 400 || bare.status === 502;
      t.equal(done.length, isRefused ? 0 : 1);
      t.ok(isRefused || bare.status === 200);
      done.length = 0;
      const extended = '3;a=b\r\na=1\r\n0\r\nX-Sum: 1\r\n\r\n';
      const { status, passed } = await ask(request('POST', '/write', '', CHUNKED) + extended);
      t.notMatch(passed, 'a=b', 'extensions of chunks are left out');
      // HAProxy passes trailers on, which no request survives.
      const isPassedOn = kind.name === 'haproxy';
      t.equal(/x-sum/i.test(passed), isPassedOn, 'trailers');
      t.equal(status, isPassedOn ? 505 : 200);
      t.equal(done.length, isPassedOn ? 0 : 1);
    });
  });
}

interface Claim {
  readonly address: string;
}
