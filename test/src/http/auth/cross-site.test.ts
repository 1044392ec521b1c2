import t from 'tap';
import { CrossSiteGuard } from '../../../../src/http/auth/cross-site.js';
import { RawConnection } from '../raw-connection.js';
import { basic, echo, ROUTES, startToy } from '../toy-server.js';

const OWN = 'https://chat.example.org';
const LISTED = 'https://app.example.net';
const EVIL = 'https://evil.example';

void t.test('whose page caused a request', async (t) => {
  const guard = new CrossSiteGuard({ own: () => OWN, allowed: [LISTED] });
  for (const [origin, fetchSite, foreign, why] of [
    ['', '', false, 'no browser'],
    ['', 'none', false, 'typed by a person'],
    ['', 'same-origin', false, 'our page'],
    [OWN, 'same-origin', false, 'our page, with its origin'],
    [OWN, '', false, 'an older browser'],
    ['http://chat.local:9991', '', false, 'the host that was asked'],
    ['https://chat.local:9991', '', false, 'the same behind TLS'],
    [OWN, 'cross-site', false, 'our public page asks another address of ours'],
    [LISTED, 'cross-site', false, 'a listed page'],
    [LISTED, '', false, 'a listed page in an older browser'],
    [EVIL, '', true, 'a stranger'],
    [EVIL, 'cross-site', true, 'a stranger'],
    ['https://evil.example.org', 'same-site', true, 'a neighbour'],
    ['', 'same-site', true, 'a link or picture on a neighbour'],
    ['', 'cross-site', true, 'a link or picture elsewhere'],
    ['null', '', true, 'a page in a sandbox'],
    ['null', 'cross-site', true, 'a page in a sandbox'],
    ['http://chat.local:9992', '', true, 'another port'],
    ['https://chat.example.org.evil.example', '', true, 'a name that begins alike'],
    ['https://xchat.example.org', '', true, 'a name that ends alike'],
    ['https://chat.local:9991', 'cross-site', true, 'the browser knows better than the name'],
  ] as const) {
    const headers = { origin, fetchSite, fetchMode: '', host: 'chat.local:9991' };
    t.equal(guard.isForeign(headers, null), foreign, `${why}: ${origin} ${fetchSite}`);
  }
  const plain = { origin: 'http://chat.local', fetchSite: '', fetchMode: '', host: 'Chat.Local' };
  t.equal(guard.isForeign(plain, 'https'), true, 'plain HTTP is another origin than HTTPS');
  t.equal(guard.isForeign(plain, 'http'), false);
  t.equal(guard.isForeign({ ...plain, host: '' }, null), true);
});

void t.test(
  'where pages of all origins may call, browsers may not call by themselves',
  async (t) => {
    const open = new CrossSiteGuard({ own: () => OWN, allowed: ['*'] });
    for (const [origin, fetchSite, fetchMode, foreign, why] of [
      [EVIL, '', '', false, 'an older browser'],
      [EVIL, 'cross-site', 'cors', false, 'a script that sends its own header'],
      ['null', 'cross-site', 'cors', false, 'a script in a sandbox or in a file'],
      ['null', '', '', false, 'the same in an older browser'],
      ['chrome-extension://abcdef', 'none', 'cors', false, 'an extension'],
      ['tauri://localhost', 'cross-site', 'cors', false, 'the shell of an app'],
      [OWN, 'same-origin', 'navigate', false, 'our page'],
      ['', 'none', 'navigate', false, 'typed by a person'],
      [EVIL, 'cross-site', 'navigate', true, 'a form'],
      [EVIL, 'cross-site', 'no-cors', true, 'a beacon'],
      [EVIL, 'cross-site', 'websocket', true, 'a WebSocket'],
      ['', 'cross-site', 'no-cors', true, 'a picture'],
      ['', 'cross-site', 'navigate', true, 'a link'],
    ] as const) {
      const headers = { origin, fetchSite, fetchMode, host: 'chat.local:9991' };
      t.equal(open.isForeign(headers, null), foreign, `${why}: ${origin} ${fetchMode}`);
    }
  },
);

void t.test('a preflight and the request after it get the same answer', async (t) => {
  for (const [allowed, origin, status] of [
    [['*'], EVIL, 200],
    [['*'], 'null', 200],
    [[LISTED], LISTED, 200],
    [[LISTED], OWN, 200],
    [[LISTED], EVIL, 403],
    [[LISTED], 'null', 403],
    [['tauri://localhost'], 'tauri://localhost', 200],
  ] as const) {
    const { port } = await startToy(t, { origins: { own: () => OWN, allowed } });
    const send = async (method: string, ...headers: string[]) => {
      const connection = await RawConnection.open(port);
      const from = [`Origin: ${origin}`, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: cors'];
      connection.request(method, '/api/v1/messages', ...from, ...headers);
      const reply = (await connection.response())!;
      connection.destroy();
      return [reply.status, reply.headers.get('access-control-allow-origin')];
    };
    const said = `${origin} where ${allowed.join()} may`;
    const asks = 'Access-Control-Request-Headers: authorization,content-type';
    const preflight = [asks, 'Access-Control-Request-Method: GET'];
    t.same(await send('OPTIONS', ...preflight), [status === 200 ? 204 : 403, '*'], said);
    t.same(await send('GET', `Authorization: ${basic()}`), [status, '*'], said);
    const without = ['Access-Control-Request-Method: GET'];
    t.same(await send('OPTIONS', ...without), [204, '*'], 'what needs no credentials stays open');
  }
});

const REFUSED = {
  result: 'error',
  msg: 'CSRF error: Origin not allowed',
  code: 'CSRF_FAILED',
  reason: 'Origin not allowed',
};

const FORM = 'Content-Type: application/x-www-form-urlencoded';

void t.test('credentials do not count in requests of other sites', async (t) => {
  let calls = 0;
  const counted = ROUTES.map((route) => ({
    ...route,
    call: (request: Parameters<typeof route.call>[0]) => {
      calls++;
      return route.call(request);
    },
  }));
  const origins = { own: () => OWN, allowed: [LISTED] };
  const { port } = await startToy(t, { routes: counted, origins });
  const send = async (method: string, path: string, headers: string[], body = '') => {
    const connection = await RawConnection.open(port);
    const length = body === '' ? [] : [`Content-Length: ${body.length}`, FORM];
    const lines = [`${method} /api/v1${path} HTTP/1.1`, 'Host: x', ...headers, ...length];
    connection.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
    const { status, body: text, headers: replied } = (await connection.response())!;
    connection.destroy();
    return { status, body: JSON.parse(text) as unknown, replied };
  };
  const auth = `Authorization: ${basic()}`;
  for (const from of [
    [`Origin: ${EVIL}`],
    [`Origin: ${EVIL}`, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors'],
    ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate'],
    ['Origin: null'],
  ]) {
    for (const [method, path, body] of [
      ['GET', '/messages', ''],
      ['POST', '/messages', 'content=hi'],
      ['PATCH', '/messages/5', 'content=hi'],
      ['DELETE', '/messages/5', ''],
      ['POST', '/messages/5', 'method=DELETE'],
      ['POST', '/messages/5', 'method=PATCH&content=x'],
    ] as const) {
      const { status, body: refusal } = await send(method, path, [auth, ...from], body);
      t.same([status, refusal], [403, REFUSED], `${method} ${path} ${from.join(' ')}`);
    }
  }
  t.equal(calls, 0, 'nothing was called');
  const wrong = await send('GET', '/messages', ['Authorization: Basic eDp5', `Origin: ${EVIL}`]);
  t.same(wrong.body, REFUSED, 'nor is it told whether they are right');
  const none = await send('GET', '/messages', [`Origin: ${EVIL}`]);
  t.equal(none.status, 401, 'without credentials it is the usual refusal');
  const open = await send('GET', '/open', [auth, `Origin: ${EVIL}`]);
  t.equal(open.status, 200, 'where credentials do not matter anybody may call');
  const login = await send('POST', '/login', [`Origin: ${EVIL}`], 'username=iago');
  t.equal(login.status, 200);
  for (const from of [`Origin: ${LISTED}`, `Origin: ${OWN}`, 'Origin: http://x', 'X: y']) {
    t.equal((await send('GET', '/messages', [auth, from])).status, 200, from);
    const posted = await send('POST', '/messages/5', [auth, from], 'method=DELETE');
    t.equal(posted.status, 200, from);
  }
  const preflight = [`Origin: ${EVIL}`, 'Access-Control-Request-Method: POST'];
  const connection = await RawConnection.open(port);
  connection.request('OPTIONS', '/api/v1/messages', ...preflight);
  const { status, headers } = (await connection.response())!;
  connection.destroy();
  t.same([status, headers.get('access-control-allow-origin')], [204, '*']);
});

void t.test('behind a trusted proxy the scheme of an origin counts', async (t) => {
  const origins = { own: () => OWN, allowed: [] };
  const { port } = await startToy(t, { origins, trustedProxies: ['127.0.0.1'] });
  const status = async (...headers: string[]) => {
    const connection = await RawConnection.open(port);
    connection.request('GET', '/api/v1/messages', `Authorization: ${basic()}`, ...headers);
    const { status } = (await connection.response())!;
    connection.destroy();
    return status;
  };
  const proxied = ['X-Forwarded-For: 198.51.100.7', 'X-Forwarded-Proto: https'];
  t.equal(await status(...proxied, 'Origin: https://test'), 200);
  t.equal(await status(...proxied, 'Origin: http://test'), 403);
  t.equal(await status('Origin: http://test'), 200);
});

void t.test('browsers get no challenge that makes them ask for a password', async (t) => {
  const page = echo({ method: 'GET', path: '/user_uploads/x' });
  const { port } = await startToy(t, { routes: [...ROUTES, page] });
  const challenge = async (...headers: string[]) => {
    const connection = await RawConnection.open(port);
    connection.request('GET', '/api/v1/messages', ...headers);
    const reply = (await connection.response())!;
    connection.destroy();
    t.equal(reply.status, 401);
    return reply.headers.get('www-authenticate');
  };
  const BASIC = 'Basic realm="zulip"';
  const OTHER = 'xBasic realm="zulip"';
  t.equal(await challenge(), BASIC);
  t.equal(await challenge('User-Agent: ZulipPython/0.9.1 (Debian GNU/Linux; 12)'), BASIC);
  t.equal(await challenge('Accept: */*', 'User-Agent: curl/8.0'), BASIC);
  t.equal(await challenge('User-Agent: Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0'), OTHER);
  t.equal(await challenge('Sec-Fetch-Site: same-origin'), OTHER);
  t.equal(await challenge('Origin: https://app.example.net'), OTHER);
  t.equal(await challenge('Accept: text/html,application/xhtml+xml'), OTHER);
});
