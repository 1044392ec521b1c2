import { request } from 'node:http';
import t from 'tap';
import { ENDPOINTS, SERVED, validParameters } from '../harness/endpoints.js';
import { ApiClient, exchange, type Body, type Reply } from '../harness/client.js';
import { BrowserSession, loggedIn, OWN_PAGE } from '../harness/browser-session.js';
import { startOrganization } from '../harness/organization.js';
import { OWNER_EMAIL, OWNER_PASSWORD, RunningServer, storeFolder } from '../harness/server.js';

const HAMLET = 'hamlet@example.org';
const PASSWORD = 'willow-anchor-hamlet-47';

/** Of the tests that change nothing that others need. */
const { server, hamlet } = await startOrganization(t);

const stateOf = ({ status, body }: Reply) => [status, body.code ?? body.result];

void t.test('a login gives the browser a cookie that no script reads', async (t) => {
  const browser = new BrowserSession(server.url);
  const reply = await browser.logIn(HAMLET, PASSWORD);
  t.equal(reply.status, 200);
  t.match(reply.body, { email: HAMLET, user_id: hamlet.userId, csrf_token: /^[\w-]{60,}$/ });
  t.notOk('api_key' in reply.body, 'the page gets no key');
  const [session = '', device = ''] = reply.headers['set-cookie'] ?? [];
  const life = 'Path=/; Max-Age=1209600; HttpOnly; SameSite=Lax';
  t.match(session, new RegExp(`^parley-session-[\\da-f]{8}=[\\w-]+; ${life}$`));
  t.match(device, /^parley-device-[\da-f]{8}=[\w-]+; Path=\/; Max-Age=34560000; HttpOnly/);
  const me = await browser.call('GET', '/users/me');
  t.strictSame([me.status, me.body.email], [200, HAMLET]);
  t.equal(me.headers['set-cookie'], undefined, 'it is not renewed before a day has passed');

  const wrong = await new BrowserSession(server.url).logIn(HAMLET, 'not this one');
  t.strictSame(stateOf(wrong), [400, 'AUTHENTICATION_FAILED']);
  t.equal(wrong.headers['set-cookie'], undefined);
  const visitor = await new BrowserSession(server.url).call('GET', '/users/me');
  t.strictSame(stateOf(visitor), [401, 'UNAUTHORIZED']);
  t.equal(visitor.headers['www-authenticate'], 'Session realm="zulip"', 'and no dialog opens');
});

void t.test('over HTTPS the cookie belongs to this host alone', async (t) => {
  const { server } = await startOrganization(t, { args: ['--url', 'https://chat.example.org'] });
  const own = { Origin: 'https://chat.example.org' };
  const browser = new BrowserSession(server.url);
  const login = { username: HAMLET, password: PASSWORD };
  const { status, headers } = await browser.call('POST', '/sessions', login, own);
  t.equal(status, 200);
  for (const line of headers['set-cookie'] ?? []) {
    t.match(
      line,
      /^__Host-parley-(session|device)=[\w-]+; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/,
    );
  }
  t.equal((await browser.call('GET', '/users/me', {}, own)).status, 200);
  // A neighbour under the domain may set these, with a session of its own: to a browser none of them has the prefix.
  const iago = new BrowserSession(server.url);
  const his = { username: 'iago@example.org', password: 'willow-anchor-iago-47' };
  t.equal((await iago.call('POST', '/sessions', his, own)).status, 200);
  const name = '__Host-parley-session';
  const [planted, device] = [name, '__Host-parley-device'].map((one) => iago.cookies.get(one)!);
  const ask = (Cookie: string) =>
    exchange(server.url, 'GET', '/json/users/me', { headers: { ...own, Cookie } });
  for (const white of ['\u00a0', '\u2000', '\u3000', '\ufeff']) {
    const bytes = Buffer.from(white).toString('latin1');
    const line = `${bytes}${name}=${planted}`;
    const from = encodeURIComponent(white);
    const no = [401, 'UNAUTHORIZED'];
    t.strictSame(stateOf(await ask(line)), no, `alone, after ${from}`);
    t.strictSame(stateOf(await ask(`a=b; ${line}`)), no, `in the middle, after ${from}`);
    const other = `${bytes}__Host-parley-device=${device}`;
    t.strictSame(stateOf(await ask(`${line}; ${other}`)), no, `both of them, after ${from}`);
    const known = `__Host-parley-device=${browser.cookies.get('__Host-parley-device')!}`;
    t.strictSame(stateOf(await ask(`${line}; ${known}`)), no, `after a logout, ${from}`);
    const { body } = await ask(`${line}; ${browser.cookie}; ${line}`);
    t.equal(body.email, HAMLET, `whoever is logged in stays it, ${from}`);
  }
  const plain = { Origin: 'http://chat.example.org', Host: 'chat.example.org' };
  t.strictSame(stateOf(await browser.call('GET', '/users/me', {}, plain)), [403, 'CSRF_FAILED']);
});

const ROUTES: readonly [method: string, path: string, parameters: Body][] = [
  ['GET', '/users/me', {}],
  ['GET', '/events', { queue_id: 'none', last_event_id: 0 }],
  ['POST', '/users/me/alert_words', { alert_words: ['x'] }],
  ['POST', '/users/me/alert_words', { alert_words: ['x'], method: 'DELETE' }],
  ['PATCH', '/settings', { enter_sends: true }],
  ['DELETE', '/users/me/alert_words', { alert_words: ['x'] }],
  ['POST', '/user_uploads', {}],
  ['POST', '/users/me/api_key/regenerate', {}],
  ['POST', '/logout', {}],
];

void t.test('only what a page of this server asks counts, whatever the method', async (t) => {
  const browser = await loggedIn(server, HAMLET, PASSWORD);
  const other = await loggedIn(server, HAMLET, PASSWORD);
  const host = new URL(server.url).host;
  const own = { Origin: server.url };
  const evil = { Origin: 'https://evil.example' };
  const token = { 'X-CSRFToken': browser.token };
  const site = (value: string) => ({ 'Sec-Fetch-Site': value });
  const refused: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'nothing at all': {},
    'the token of another session': { 'X-CSRFToken': other.token },
    'a token that is none': { 'X-CSRFToken': 'x'.repeat(80) },
    'another site': { ...evil, ...site('cross-site') },
    'another site, with the token': { ...evil, ...site('cross-site'), ...token },
    'another site of an old browser, with the token': { ...evil, ...token },
    'a neighbour under the same domain': { ...site('same-site'), ...token },
    'a neighbour on another port': { Origin: 'http://127.0.0.1:1', ...site('same-site'), ...token },
    'another port, of an old browser': { Origin: 'http://127.0.0.1:1', ...token },
    'a frame without an origin': { Origin: 'null', ...site('cross-site'), ...token },
    'a file, of an old browser': { Origin: 'null', ...token },
    'its own origin, and a browser that knows better': { ...own, ...site('cross-site') },
  };
  for (const [method, path, parameters] of ROUTES) {
    for (const [who, headers] of Object.entries(refused)) {
      const reply = await browser.call(method, path, parameters, headers);
      t.strictSame(stateOf(reply), [403, 'CSRF_FAILED'], `${method} ${path}: ${who}`);
    }
  }
  const accepted: typeof refused = {
    'its own page': site('same-origin'),
    'an address that was typed': site('none'),
    'its own page, of an old browser': own,
    'the token, of an old browser': token,
    'the host that it was asked for': { Origin: `http://${host}` },
  };
  for (const [method, path, parameters] of ROUTES.slice(0, -2)) {
    for (const [who, headers] of Object.entries(accepted)) {
      const reply = await browser.call(method, path, parameters, headers);
      t.not(reply.status, 403, `${method} ${path}: ${who}`);
      t.not(reply.status, 401, `${method} ${path}: ${who}`);
    }
  }
  for (const [who, headers] of Object.entries(refused)) {
    const login = { username: HAMLET, password: PASSWORD };
    const reply = await new BrowserSession(server.url).call('POST', '/sessions', login, headers);
    t.strictSame(stateOf(reply), [403, 'CSRF_FAILED'], `a login by ${who}`);
    t.equal(reply.headers['set-cookie'], undefined);
  }
});

void t.test('the cookie counts for /json, files and pictures, and nowhere else', async (t) => {
  const browser = await loggedIn(server, HAMLET, PASSWORD);
  const refusal = [401, 'UNAUTHORIZED'];
  for (const { method, path, operation, access } of SERVED) {
    if (access === 'anonymous') continue;
    const filled = path.replace(/\{\w+\+?\}/g, '1');
    const reply = await browser.send(method, `/api/v1${filled}`);
    t.strictSame(stateOf(reply), refusal, operation);
  }
  const ticket = await browser.call('POST', '/events/ticket');
  t.strictSame(stateOf(ticket), [400, 'BAD_REQUEST'], 'it would open a socket without the cookie');
  const upgrade = { ...OWN_PAGE, Connection: 'Upgrade', Upgrade: 'websocket' };
  const { queue_id } = await hamlet.register({});
  const query = { queue_id, last_event_id: -1, dont_block: true };
  const socket = await browser.call('GET', '/events', query, upgrade);
  t.strictSame(stateOf(socket), [200, 'success'], 'below /json a handshake is a poll');

  const boundary = 'x';
  const upload = await exchange(server.url, 'POST', '/json/user_uploads', {
    headers: {
      ...OWN_PAGE,
      Cookie: browser.cookie,
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
    },
    body: `--${boundary}\r\nContent-Disposition: form-data; name="f"; filename="a.txt"\r\n\r\n"A"\r\n--${boundary}--\r\n`,
  });
  t.equal(upload.status, 200);
  const file = String(upload.body.url);
  const opened = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
  // Not `fetch`, which has words of its own for these headers.
  const get = (headers: Record<string, string>, path = file, method = 'GET') =>
    new Promise<number>((resolve, reject) => {
      request(
        server.url + path,
        { method, headers: { Cookie: browser.cookie, ...headers } },
        (reply) => {
          reply.resume();
          resolve(reply.statusCode!);
        },
      )
        .on('error', reject)
        .end();
    });
  t.equal(await get(OWN_PAGE), 200, 'a picture in the chat');
  t.equal(await get({}), 200, 'and where the browser says nothing');
  t.equal(await get({ 'Sec-Fetch-Site': 'cross-site', ...opened }), 200, 'a link in a mail');
  for (const from of ['cross-site', 'same-site']) {
    t.equal(await get({ 'Sec-Fetch-Site': from, 'Sec-Fetch-Mode': 'no-cors' }), 403, from);
    const framed = { ...opened, 'Sec-Fetch-Dest': 'iframe', 'Sec-Fetch-Site': from };
    t.equal(await get(framed), 403, `${from}, in a frame`);
  }
  t.equal(await get({ Cookie: '' }), 401, 'a visitor');
  t.equal(await get(OWN_PAGE, `/avatar/${hamlet.userId}`), 302);
  t.equal(await get({ Cookie: '' }, `/avatar/${hamlet.userId}`), 401);
  t.equal(await get({ ...OWN_PAGE, Authorization: 'Basic eA==' }), 401, 'a key goes before it');

  const asked = {
    'Tus-Resumable': '1.0.0',
    'Upload-Length': '5',
    'Upload-Metadata': 'filename YS50eHQ=',
  };
  const begin = (headers: Record<string, string>) =>
    get({ ...asked, ...headers }, '/api/v1/tus/', 'POST');
  t.equal(await begin(OWN_PAGE), 201, 'an upload in pieces');
  t.equal(await begin({ 'X-CSRFToken': browser.token }), 201, 'of an old browser');
  t.equal(await begin({}), 403);
  t.equal(await begin({ 'Sec-Fetch-Site': 'cross-site', 'X-CSRFToken': browser.token }), 403);
  t.equal(await begin({ ...OWN_PAGE, Cookie: '' }), 401);
});

/** A leader and a node that follows it, on one store. */
async function twoNodes(t: Parameters<typeof storeFolder>[0]) {
  const folder = storeFolder(t);
  const leader = await RunningServer.serve(t, folder, { args: ['--url', 'http://parley.example'] });
  const follower = RunningServer.spawn(folder, { args: ['--url', 'http://parley.example'] });
  t.teardown(() => follower.kill());
  await follower.printed(/^Parley follows on/m);
  await follower.listening();
  const owner = await ApiClient.login(leader.url, OWNER_EMAIL, OWNER_PASSWORD);
  const hamlet = await owner.createUser('hamlet');
  return { leader, follower, owner, hamlet };
}

void t.test(
  'a session that has ended is over, with any copy of its cookie, on any node',
  async (t) => {
    const { leader, follower, owner, hamlet } = await twoNodes(t);
    const nodes = [leader, follower];
    /** What a thief of the cookies gets on each node; what follows has what is durable when it answers. */
    const replayed = async (browser: BrowserSession) => {
      const copies = nodes.map(({ url }) => browser.copied(url));
      // The follower has what the leader has when it has answered a request that names its position.
      const { headers } = await owner.at(leader.url).call('POST', '/users/me/alert_words', {
        alert_words: [String(Math.random())],
      });
      const position = { ...OWN_PAGE, 'Parley-Position': String(headers['parley-position']) };
      return Promise.all(
        copies.map(async (copy) => (await copy.call('GET', '/users/me', {}, position)).status),
      );
    };
    const login = (node = leader) => loggedIn(node, HAMLET, PASSWORD);

    const first = await login(follower);
    t.strictSame(await replayed(first), [200, 200], 'a login at one node counts at the other');
    const elsewhere = first.copied(follower.url);
    t.equal((await elsewhere.call('POST', '/register', {})).status, 200);

    const ended = first.copied();
    t.equal((await first.call('POST', '/logout')).status, 200);
    t.notOk(first.cookie.includes('parley-session'), 'the browser forgets it');
    t.strictSame(await replayed(ended), [401, 401], 'after a logout');

    const [kept, gone] = [await login(), await login()];
    const { body } = await kept.call('GET', '/users/me/sessions');
    const list = body.sessions as { id: number; is_current: boolean; device: string }[];
    t.strictSame(
      list.map(({ is_current }) => is_current).sort(),
      [false, true],
      'the list says which is this one',
    );
    const id = list.find(({ is_current }) => !is_current)!.id;
    t.equal(
      (await owner.call('DELETE', `/users/me/sessions/${id}`)).status,
      404,
      'of somebody else',
    );
    t.equal((await kept.call('DELETE', `/users/me/sessions/${id}`)).status, 200);
    t.strictSame(await replayed(gone), [401, 401], 'one of the list');
    t.strictSame(await replayed(kept), [200, 200], 'the other goes on');

    const stolen = kept.copied();
    const second = await login();
    const changed = await kept.call('PATCH', '/settings', {
      old_password: PASSWORD,
      new_password: 'another-willow-anchor-48',
    });
    t.equal(changed.status, 200);
    t.ok(changed.headers['set-cookie'], 'the reply brings the cookie of a new session');
    t.strictSame(await replayed(kept), [200, 200], 'the browser that changed the password');
    t.strictSame(await replayed(stolen), [401, 401], 'a copy of its former cookie');
    t.strictSame(await replayed(second), [401, 401], 'another browser');

    t.equal((await hamlet.call('DELETE', '/users/me/sessions')).status, 200);
    t.strictSame(await replayed(kept), [401, 401], 'after "log out everywhere"');

    const last = await loggedIn(leader, HAMLET, 'another-willow-anchor-48');
    t.strictSame(await replayed(last), [200, 200]);
    await owner.ok('DELETE', `/users/${hamlet.userId}`);
    t.strictSame(await replayed(last), [401, 401], 'after a deactivation');
    await owner.ok('POST', `/users/${hamlet.userId}/reactivate`);
    t.strictSame(await replayed(last), [401, 401], 'which a reactivation does not undo');
  },
);

void t.test('a stream ends with its session', async (t) => {
  const browser = await loggedIn(server, HAMLET, PASSWORD);
  const { body } = await browser.call('POST', '/register', { event_types: ['message'] });
  const query = `queue_id=${String(body.queue_id)}&last_event_id=-1`;
  const stream = await fetch(`${server.url}/json/events?${query}`, {
    headers: { ...OWN_PAGE, Cookie: browser.cookie, Accept: 'text/event-stream' },
  });
  t.equal(stream.headers.get('content-type'), 'text/event-stream');
  const read = stream.text();
  await browser.copied().call('POST', '/logout');
  t.match(await read, /^event: hello\nretry: \d{4}\ndata: .*\n+$/, 'its client is to come back');
  const again = await fetch(`${server.url}/json/events?${query}`, {
    headers: { ...OWN_PAGE, Cookie: browser.cookie, Accept: 'text/event-stream' },
  });
  t.equal(again.status, 401);
});

void t.test('the key is for who gives the password again', async (t) => {
  const browser = await loggedIn(server, HAMLET, PASSWORD);
  const key = (password: string) => browser.call('POST', '/fetch_api_key', { password });
  // Not 401, upon which the web app leaves for the login page.
  t.strictSame(stateOf(await key('wrong')), [400, 'AUTHENTICATION_FAILED']);
  t.strictSame(stateOf(await key(OWNER_PASSWORD)), [400, 'AUTHENTICATION_FAILED']);
  t.match((await key(PASSWORD)).body, { api_key: hamlet.key, email: HAMLET });
  const renewed = await browser.call('POST', '/users/me/api_key/regenerate');
  t.equal(renewed.status, 200);
  t.not(renewed.body.api_key, hamlet.key);
  t.equal((await browser.call('GET', '/users/me')).status, 200, 'the session goes on');
});

/** What a reply is, without what differs between two servers: tokens and times. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(formOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, ['result', 'code', 'msg'].includes(name) ? one : formOf(one)]),
  );
}

/** These differ, or are not offered to sessions. */
const DIFFERENT: ReadonlySet<string> = new Set([
  ...['fetch-api-key', 'create-socket-ticket'],
  // A mail that was sent just before may be on its way.
  'get-waiting-mails',
  // They end what everything else is tried with.
  ...['end-session', 'end-all-sessions'],
]);

void t.test('every endpoint answers below /json as it does with a key', async (t) => {
  const run = async (by: 'key' | 'session') => {
    const { server, owner } = await startOrganization(t);
    const messageId = await owner.say('hello');
    const { queue_id } = await owner.register({ event_types: ['reaction'] });
    const { body } = await owner.call('GET', '/streams');
    const [stream] = body.streams as { stream_id: number }[];
    const ids = { userId: owner.userId, streamId: stream!.stream_id, messageId, queueId: queue_id };
    const browser = await loggedIn(server, OWNER_EMAIL, OWNER_PASSWORD);
    const valid = validParameters(ids);
    const replies: [string, number, unknown][] = [];
    for (const { operation, method, path } of ENDPOINTS) {
      if (DIFFERENT.has(operation)) continue;
      const left: Record<string, unknown> = { ...valid[operation] };
      const filled = path.replace(/\{(\w+)\+?\}/g, (_, name: string) => {
        const value = encodeURIComponent(String(left[name]));
        delete left[name];
        return value;
      });
      const reply =
        by === 'key'
          ? await owner.call(method, filled, left)
          : await browser.call(method, filled, left);
      const text = JSON.stringify(reply.body).replaceAll(queue_id, 'QUEUE');
      replies.push([operation, reply.status, formOf(JSON.parse(text))]);
    }
    return replies;
  };
  const [byKey, bySession] = [await run('key'), await run('session')];
  t.ok(byKey.length > 150, `${byKey.length} endpoints`);
  t.strictSame(bySession, byKey);
});
