import t from 'tap';
import { RawConnection } from '../../src/http/raw-connection.js';
import { exchange, FORM, form, type Parameters } from '../harness/client.js';
import { SERVED } from '../harness/endpoints.js';
import { startOrganization } from '../harness/organization.js';
import { OWNER_EMAIL } from '../harness/server.js';

// [c:no-such-path-or-method]
void t.test('a path or method that does not exist is refused with 404 or 405', async (t) => {
  const { server, owner } = await startOrganization(t);
  const headers = { Authorization: owner.authorization };
  const ask = (method: string, path: string) => exchange(server.url, method, path, { headers });

  // [c:unknown-paths]
  await t.test('unknown paths are 404 in JSON, before anybody asks for credentials', async (t) => {
    for (const path of ['/api/v1/nothing', '/api/v1/users/', '/api/v1/Users', '/api/v1', '/x']) {
      const { status, body } = await exchange(server.url, 'GET', path);
      t.equal(status, 404, path);
      t.strictSame(body, { result: 'error', msg: 'Not Found', code: 'BAD_REQUEST' }, path);
    }
    // A number in a path that is none does not match; an address does.
    t.equal((await ask('GET', '/api/v1/messages/word')).status, 404);
    t.equal((await ask('GET', `/api/v1/messages/${'9'.repeat(30)}`)).status, 404);
  });

  await t.test('known paths name the methods they have', async (t) => {
    const paths = new Map<string, Set<string>>();
    for (const { path, method } of SERVED) {
      // Of two forms of a path with a parameter, which one is meant depends on the value.
      const known = path.replace(/\{[^}]+\}/g, '1');
      if (known !== '/users/1') paths.set(known, (paths.get(known) ?? new Set()).add(method));
    }
    for (const [path, methods] of paths) {
      const options = await exchange(server.url, 'OPTIONS', `/api/v1${path}`);
      t.equal(options.status, 204, path);
      t.equal(options.text, '');
      t.equal(options.headers['access-control-allow-origin'], '*');
      const allowed = options.headers.allow!.split(', ');
      for (const method of methods) t.ok(allowed.includes(method), `${method} ${path}`);
      for (const method of ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']) {
        if (methods.has(method)) continue;
        const {
          status,
          body,
          headers: received,
        } = await exchange(server.url, method, `/api/v1${path}`);
        t.equal(status, 405, `${method} ${path}, without credentials`);
        t.match(body, { result: 'error', msg: 'Method Not Allowed', code: 'BAD_REQUEST' });
        const named = (body.allowed_methods as string[]).filter((one) => one !== 'HEAD');
        t.same(named.sort(), [...methods].sort());
        t.ok(received.allow);
      }
    }
  });

  await t.test('a form field can override the method', async (t) => {
    const { queue_id } = await owner.register({ fetch_event_types: [] });
    const overridden = await owner.call('POST', '/events', { method: 'DELETE', queue_id });
    t.strictSame(overridden.body, { result: 'success', msg: '' });
  });

  await t.test('HEAD is GET without a body', async (t) => {
    const connection = await RawConnection.open(server.port);
    connection.request('HEAD', '/api/v1/server_settings');
    const head = (await connection.response({ head: true }))!;
    t.equal(head.status, 200);
    t.equal(head.body, '');
  });

  // [c:answers-json]
  await t.test('every answer is JSON that nobody stores', async (t) => {
    for (const reply of [
      await ask('GET', '/api/v1/users/me'),
      await ask('GET', '/api/v1/nothing'),
      await exchange(server.url, 'GET', '/api/v1/users/me'),
    ]) {
      t.match(reply.headers['content-type'], /^application\/json/);
      t.equal(
        reply.headers['cache-control'],
        'max-age=0, no-cache, no-store, must-revalidate, private',
      );
    }
  });
});

// [c:credentials-wrong]
void t.test('missing or wrong credentials are refused with 401', async (t) => {
  const { server, owner, hamlet } = await startOrganization(t);
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
  const wrongKey = `${owner.key.slice(0, -1)}${owner.key.endsWith('a') ? 'b' : 'a'}`;
  const cases: [string | undefined, string][] = [
    [undefined, 'Not logged in: API authentication or user session required'],
    ['Basic', 'Invalid authorization header for basic auth'],
    ['Basic a b', 'Invalid authorization header for basic auth'],
    ['Basic !!!!', 'Invalid authorization header for basic auth'],
    [basic('nocolon'), 'Invalid authorization header for basic auth'],
    [`Bearer ${owner.key}`, 'This endpoint requires HTTP basic authentication.'],
    [basic(`${owner.email}:short`), 'Malformed API key'],
    [basic(`${owner.email}:${wrongKey}`), 'Invalid API key'],
    [basic(`${owner.email}:${hamlet.key}`), 'Invalid API key'],
    [basic(`nobody@example.org:${owner.key}`), 'Invalid API key'],
  ];
  for (const [header, msg] of cases) {
    const { status, body, headers } = await exchange(server.url, 'GET', '/api/v1/users/me', {
      headers: header === undefined ? {} : { Authorization: header },
    });
    t.equal(status, 401, msg);
    t.strictSame(body, { result: 'error', msg, code: 'UNAUTHORIZED' }, String(header));
    t.equal(headers['www-authenticate'], 'Basic realm="zulip"');
  }
  for (const accepted of [
    basic(`  ${owner.email.toUpperCase()} : ${owner.key} `),
    owner.authorization.replace('Basic', 'bAsIc'),
  ]) {
    const { status } = await exchange(server.url, 'GET', '/api/v1/users/me', {
      headers: { Authorization: accepted },
    });
    t.equal(status, 200, accepted);
  }
});

// [c:fetch-key-alike]
void t.test('fetch_api_key refuses a wrong password and an unknown user alike', async (t) => {
  const { server } = await startOrganization(t);
  const fetchKey = (parameters: Parameters) =>
    exchange(server.url, 'POST', '/api/v1/fetch_api_key', {
      headers: { ...FORM, Authorization: 'Basic not looked at' },
      body: form(parameters),
    });
  const wrong = {
    status: 401,
    body: {
      result: 'error',
      msg: 'Your username or password is incorrect',
      code: 'AUTHENTICATION_FAILED',
    },
  };
  t.match(await fetchKey({ username: OWNER_EMAIL, password: 'wrong' }), wrong);
  t.match(await fetchKey({ username: 'nobody@example.org', password: 'wrong' }), wrong);
  t.match(await fetchKey({ username: 'nobody', password: 'wrong' }), {
    status: 400,
    body: { code: 'BAD_REQUEST', msg: 'Enter a valid email address.' },
  });
  t.match(await fetchKey({ username: OWNER_EMAIL }), {
    status: 400,
    body: { code: 'REQUEST_VARIABLE_MISSING', var_name: 'password' },
  });
});

void t.test(
  'requests beyond the limit are refused with 429 and say when to come back',
  async (t) => {
    const { server, owner, hamlet } = await startOrganization(t, { rateLimit: 'on' });
    const first = await hamlet.call('GET', '/users/me');
    t.equal(first.headers['x-ratelimit-limit'], '200');
    t.equal(first.headers['x-ratelimit-remaining'], '199');
    t.match(first.headers['x-ratelimit-reset'], /^\d{10}$/);
    for (let i = 0; i < 199; i++) {
      const { status } = await hamlet.call('GET', '/users/me');
      if (status !== 200) t.fail(`call ${i} was refused`);
    }
    const refused = await hamlet.call('GET', '/users/me');
    t.match(refused, {
      status: 429,
      body: { result: 'error', msg: 'API usage exceeded rate limit', code: 'RATE_LIMIT_HIT' },
    });
    const wait = refused.body['retry-after'] as number;
    t.ok(wait > 0 && wait < 65, `${wait} s`);
    t.equal(Number(refused.headers['retry-after']), wait);
    t.equal((await owner.call('GET', '/users/me')).status, 200, 'others are not concerned');

    const attempt = (): Promise<{ status: number }> =>
      exchange(server.url, 'POST', '/api/v1/fetch_api_key', {
        headers: FORM,
        body: form({ username: 'victim@example.org', password: 'guess' }),
      });
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push((await attempt()).status);
    t.same(statuses, [401, 401, 401, 401, 401, 429], 'five attempts at a login');
  },
);
