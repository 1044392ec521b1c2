import t from 'tap';
import { RawConnection } from './raw-connection.js';
import { answer, basic, echo, ROUTES, startToy } from './toy-server.js';

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

void t.test('unknown paths are 404 in JSON, before credentials', async (t) => {
  const { port } = await startToy(t);
  const paths = ['/api/v1/nothing', '/api/v1/messages/', '/api/v1/Messages', '/api/v1', '/', '/x'];
  for (const path of [...paths, '/api/v1/messages/x', '/api/v1/messages/99999999999999999999']) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    t.equal(response.headers.get('content-type'), 'application/json');
    t.same(
      await answer(response),
      { status: 404, body: { result: 'error', msg: 'Not Found', code: 'BAD_REQUEST' } },
      path,
    );
  }
});

void t.test('repeated slashes in a path are one', async (t) => {
  const { api, port } = await startToy(t);
  for (const path of ['//api/v1/messages', '/api//v1/messages', '/api/v1///messages']) {
    const url = `http://127.0.0.1:${port}${path}?anchor=7`;
    const reply = await answer(await fetch(url, { headers: { Authorization: basic() } }));
    t.match(reply, { status: 200, body: { params: { anchor: 7 } } }, path);
  }
  t.equal((await api('/messages/')).status, 404, 'a slash at the end makes another path');
});

void t.test('another method is 405 with the allowed ones, before credentials', async (t) => {
  const { api } = await startToy(t);
  const response = await api('/messages', { method: 'DELETE', auth: null });
  t.equal(response.headers.get('allow'), 'GET, HEAD, POST');
  t.same(await answer(response), {
    status: 405,
    body: {
      result: 'error',
      msg: 'Method Not Allowed',
      code: 'BAD_REQUEST',
      allowed_methods: ['GET', 'HEAD', 'POST'],
    },
  });
  t.equal((await api('/open', { method: 'POST', auth: null })).status, 405, 'without a body');
  const lower = await RawConnection.open(Number(new URL(response.url).port));
  lower.request('get', '/api/v1/open');
  t.equal((await lower.response())?.status, 405, 'methods are case-sensitive');
  lower.destroy();
});

void t.test('OPTIONS tells methods and CORS rules without credentials', async (t) => {
  const { api, port } = await startToy(t);
  const response = await api('/messages/5', { method: 'OPTIONS', auth: null });
  t.equal(response.status, 204);
  t.equal(response.headers.get('allow'), 'PATCH, DELETE');
  t.equal(response.headers.get('access-control-allow-origin'), '*');
  t.equal(response.headers.get('access-control-allow-methods'), 'PATCH, DELETE');
  t.equal(
    response.headers.get('access-control-allow-headers'),
    'Authorization, Content-Type, Last-Event-ID, Parley-Position',
  );
  t.equal(response.headers.get('access-control-max-age'), '7200');
  const exposed = (origin: string | null) =>
    api('/open', { headers: origin === null ? {} : { Origin: origin } }).then(({ headers }) =>
      headers.get('access-control-expose-headers'),
    );
  t.equal(
    await exposed('https://app.example.org'),
    'Parley-Position, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id',
  );
  t.equal(await exposed(null), null, 'programs that are no browsers need none');
  t.equal((await api('/nothing', { method: 'OPTIONS' })).status, 404);

  const connection = await RawConnection.open(port);
  for (let i = 0; i < 2; i++) {
    connection.request('OPTIONS', '/api/v1/open');
    t.equal((await connection.response({ head: true }))?.status, 204, 'the connection lives on');
  }
  connection.destroy();
});

void t.test('HEAD is GET without the body, and keeps the connection', async (t) => {
  const { port } = await startToy(t);
  const connection = await RawConnection.open(port);
  connection.request('GET', '/api/v1/open', 'User-Agent: x');
  const get = await connection.response();
  for (let i = 0; i < 2; i++) {
    connection.request('HEAD', '/api/v1/open', 'User-Agent: x');
    const head = await connection.response({ head: true });
    t.equal(head?.status, 200);
    t.equal(head?.headers.get('content-length'), get?.headers.get('content-length'));
    t.equal(head?.headers.get('content-type'), 'application/json');
  }
  connection.request('GET', '/api/v1/open');
  t.equal((await connection.response())?.status, 200, 'nothing of a body was left on the line');
  connection.destroy();
});

void t.test('a method field in a POST form is the method', async (t) => {
  const { api } = await startToy(t);
  const post = (path: string, body: string, auth: string | null = basic()) =>
    api(path, { method: 'POST', headers: FORM, body, auth }).then(answer);

  t.match(await post('/messages/5', 'method=DELETE'), {
    status: 200,
    body: { operation: 'DELETE /messages/{message_id}', params: { message_id: 5 } },
  });
  t.match(await post('/messages/5', 'method=PATCH&content=x'), {
    body: { operation: 'PATCH /messages/{message_id}', params: { content: 'x' } },
  });
  t.match(await post('/messages', 'method=GET&anchor=4'), { body: { operation: 'GET /messages' } });
  t.match(await post('/messages/5', 'method=PUT'), { status: 405 });
  t.match(await post('/messages/5', 'content=x'), { status: 405 });
  t.match(await post('/messages/5', 'method=DELETE', null), { status: 401 }, 'credentials count');
  const query = await api('/messages?method=GET', {
    method: 'POST',
    headers: FORM,
    body: 'content=a',
  });
  t.match(await answer(query), { body: { operation: 'POST /messages' } }, 'in the form only');
});

void t.test('an override from an anonymous endpoint asks for credentials', async (t) => {
  const { api } = await startToy(t, {
    routes: [...ROUTES, echo({ method: 'DELETE', path: '/login' })],
  });
  const body = 'method=DELETE';
  const refused = await api('/login', { method: 'POST', headers: FORM, body, auth: null });
  t.equal(refused.status, 401);
  const passed = await api('/login', { method: 'POST', headers: FORM, body });
  t.match(await answer(passed), { status: 200, body: { user_id: 1 } });
});

void t.test('checks come in order: method, credentials, parameters', async (t) => {
  const { api } = await startToy(t);
  t.equal((await api('/messages?anchor=x', { method: 'PUT', auth: null })).status, 405);
  t.equal((await api('/messages?anchor=x', { auth: null })).status, 401);
  t.equal((await api('/messages?anchor=x')).status, 400);
});

void t.test(
  'what the native layer recognises is served as it is under another spelling',
  async (t) => {
    const { port } = await startToy(t);
    const connection = await RawConnection.open(port);
    t.teardown(() => connection.destroy());
    const credentials = `Authorization: ${basic()}`;
    const reply = async (method: string, path: string, ...headers: string[]) => {
      connection.request(method, path, credentials, ...headers);
      const { status, body } = (await connection.response({ head: method === 'HEAD' }))!;
      return { status, body };
    };
    const allowed = '{"result":"error","msg":"Method Not Allowed","code":"BAD_REQUEST"';
    for (const path of ['/api/v1/messages', '/api/v1/%6dessages']) {
      const found = await reply('GET', `${path}?anchor=7`);
      t.equal(found.status, 200, path);
      t.match(found.body, '"anchor":7');
      t.same(await reply('HEAD', path), { status: 200, body: '' });
      for (const method of ['PUT', 'get']) {
        const refused = await reply(method, path);
        t.equal(refused.status, 405, `${method} ${path}`);
        t.ok(refused.body.startsWith(allowed));
      }
      const foreign = await reply('GET', path, 'Sec-Fetch-Site: cross-site');
      t.equal(foreign.status, 403, 'of a page of another site');
      const posted = await reply('POST', path, 'Sec-Fetch-Site: cross-site', 'Content-Length: 0');
      t.equal(posted.status, 403, 'a form of a page of another site');
    }
    t.equal((await reply('GET', '/api/v1/users/me')).status, 404, 'without such an endpoint');
  },
);
