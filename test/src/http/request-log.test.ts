import t, { type Test } from 'tap';
import { RequestLog, safePath, type LoggedRequest } from '../../../src/http/request-log.js';
import { startNodes } from './forwarding/nodes.js';
import { RawConnection } from './raw-connection.js';
import { basic, ROUTES, startToy, toyEndpoint } from './toy-server.js';

type ToyOptions = Parameters<typeof startToy>[1];

type Line = readonly [level: string, message: string, context: Record<string, unknown>];

/** A log that keeps its lines, over a clock that the test steps. */
function logOf({ isEach = false, slowMs = 1000 }: { isEach?: boolean; slowMs?: number } = {}) {
  const lines: Line[] = [];
  const take = (level: string) => (context: object, message: string) =>
    void lines.push([level, message, context as Record<string, unknown>]);
  const sink = { debug: take('debug'), info: take('info'), warn: take('warn') };
  const clock = { ms: 1000 };
  const log = new RequestLog(sink, isEach, slowMs, 'n1', () => clock.ms);
  log.start();
  log.tick(0);
  /** Time passes as it does where the loop runs. */
  const pass = (ms: number): void => {
    for (let left = ms; left > 0; left -= 100) {
      clock.ms += Math.min(left, 100);
      log.tick(0);
    }
  };
  return { log, lines, clock, pass };
}

const REQUEST: LoggedRequest = {
  organization: null,
  id: 'n1-0',
  method: 'POST',
  operation: 'send-message',
  path: '/api/v1/messages',
  status: 200,
  code: '',
  isHealthReply: false,
  user: 8,
  address: () => '192.0.2.1',
  times: [1000, 1000, 1000],
};

/** The server of the tests of HTTP with such a log. */
async function start(t: Test, log: ReturnType<typeof logOf>, options: ToyOptions = {}) {
  t.teardown(() => log.log.stop());
  return startToy(t, { ...options, requests: log.log });
}

void t.test('a refusal is logged at info: its class, by whom, from where', async (t) => {
  const log = logOf();
  const { api } = await start(t, log);
  const refused = await api('/refuse?secret=1');
  t.equal(refused.headers.get('x-request-id'), 'n1-0', 'the reply has the id of the line');
  t.same(log.lines, [
    [
      'info',
      'a request was refused',
      {
        request: 'n1-0',
        method: 'GET',
        operation: 'GET /refuse',
        path: '/api/v1/refuse',
        status: 400,
        code: 'BAD_REQUEST',
        user: 1,
        from: '127.0.0.1',
      },
    ],
  ]);
  await api('/messages', { headers: { Authorization: basic('iago@example.com', 'wrong') } });
  t.match(log.lines[1], ['info', 'a request was refused', { status: 401, code: 'UNAUTHORIZED' }]);
  t.notOk('user' in log.lines[1]![2], 'nobody is known');
});

void t.test(
  'where a process has several organizations, a line names that of the request',
  async (t) => {
    const log = logOf();
    const { api, logged } = await start(t, log, { organization: 'birch' });
    await api('/refuse');
    t.match(log.lines, [['info', 'a request was refused', { organization: 'birch', status: 400 }]]);
    await api('/fault');
    t.match(logged, [{ organization: 'birch', error_id: 'fault-1', path: '/api/v1/fault' }]);
  },
);

void t.test('a request that is answered has no line and no id', async (t) => {
  const log = logOf();
  const { api } = await start(t, log);
  const reply = await api('/messages');
  t.equal(reply.headers.get('x-request-id'), null);
  t.same(log.lines, []);
});

void t.test('each request has a line at debug', async (t) => {
  const log = logOf({ isEach: true });
  const { api } = await start(t, log);
  const reply = await api('/messages');
  t.equal(reply.headers.get('x-request-id'), 'n1-0');
  t.match(log.lines, [
    ['debug', 'a request', { request: 'n1-0', operation: 'GET /messages', status: 200, user: 1 }],
  ]);
});

void t.test('a fault has one line, with the id of the reply', async (t) => {
  const log = logOf();
  const { api, logged } = await start(t, log);
  const reply = await api('/fault');
  t.equal(reply.headers.get('x-request-id'), 'fault-1');
  t.match(logged, [{ error_id: 'fault-1', user: 1, from: '127.0.0.1' }]);
  t.same(log.lines, []);
});

void t.test('the id of a trusted proxy is taken, that of anybody else is not', async (t) => {
  for (const [trustedProxies, given, shown] of [
    [['127.0.0.1'], 'abc-123', 'abc-123'],
    [['127.0.0.1'], 'two words', 'n1-0'],
    [['127.0.0.1'], 'x'.repeat(129), 'n1-0'],
    [['192.0.2.1'], 'abc-123', 'n1-0'],
    [[], 'abc-123', 'n1-0'],
  ] as const) {
    const log = logOf();
    const { api } = await start(t, log, { trustedProxies });
    const reply = await api('/refuse', { headers: { 'X-Request-Id': given } });
    t.equal(reply.headers.get('x-request-id'), shown);
    t.match(log.lines, [['info', 'a request was refused', { request: shown }]]);
    const answered = await api('/messages', { headers: { 'X-Request-Id': given } });
    t.equal(answered.headers.get('x-request-id'), shown === given ? given : null);
  }
});

void t.test('a slow request is logged with its stages', async (t) => {
  const log = logOf();
  const slow = {
    endpoint: toyEndpoint({ method: 'POST', path: '/slow' }),
    call: async () => {
      // It waits for the store, say, while the loop runs.
      await new Promise((resolve) => setImmediate(resolve));
      log.pass(1200);
      return {};
    },
  };
  const { api } = await start(t, log, { routes: [...ROUTES, slow] });
  const reply = await api('/slow', { method: 'POST' });
  t.equal(reply.headers.get('x-request-id'), 'n1-0');
  t.match(log.lines, [
    [
      'warn',
      'a slow request',
      {
        operation: 'POST /slow',
        status: 200,
        ms: 1200,
        received_ms: 0,
        handled_ms: 0,
        replied_ms: 1200,
        user: 1,
        from: '127.0.0.1',
      },
    ],
  ]);
});

void t.test('a slow reply that is sent in chunks is logged too, and over', async (t) => {
  const log = logOf();
  const slow = {
    endpoint: toyEndpoint({ method: 'GET', path: '/slow-page' }),
    call: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      log.pass(1200);
      return { value: 'x'.repeat(200_000) };
    },
  };
  const { api, server, logged } = await start(t, log, { routes: [...ROUTES, slow] });
  const reply = await api('/slow-page', { headers: { 'accept-encoding': 'identity' } });
  t.equal((await reply.text()).length, 200_041);
  await api('/open', { auth: null });
  t.match(log.lines, [['warn', 'a slow request', { status: 200, from: '127.0.0.1' }]]);
  t.equal(log.lines.length, 1);
  t.same(logged, [], 'it is no fault');
  t.equal(server.pendingCount, 0, 'and nothing waits for it');
});

void t.test('a poll that waits is not slow, but one that is refused has its line', async (t) => {
  const log = logOf();
  const endpoint = toyEndpoint({ method: 'GET', path: '/waits' });
  const poll = {
    endpoint: { ...endpoint, operation: 'get-events' },
    call: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      log.pass(50_000);
      return {};
    },
  };
  const { api } = await start(t, log, { routes: [...ROUTES, poll] });
  const reply = await api('/waits');
  t.equal(reply.status, 200);
  t.equal(reply.headers.get('x-request-id'), null);
  t.same(log.lines, []);
  const events = { ...REQUEST, operation: 'get-events' };
  log.log.over(events);
  t.same(log.lines, [], 'whoever tells of it');
  log.log.over({ ...events, status: 400, code: 'BAD_EVENT_QUEUE_ID' });
  t.match(log.lines, [['info', 'a request was refused', { code: 'BAD_EVENT_QUEUE_ID' }]]);
  log.log.over(REQUEST);
  t.match(log.lines[1], ['warn', 'a slow request', { operation: 'send-message' }]);
});

void t.test(
  'a health check during a start is no failed request; at debug it has a line',
  async (t) => {
    for (const [isEach, lines] of [
      [false, []],
      [true, [['debug', 'a request', { path: '/health', status: 503 }]]],
    ] as const) {
      const refused: object[] = [];
      const troubles = { refused: (one: object) => void refused.push(one), slowRequest() {} };
      const log = logOf({ isEach });
      const { port } = await start(t, log, { health: () => 'starting', troubles });
      const reply = await fetch(`http://127.0.0.1:${port}/health`);
      t.equal(reply.status, 503);
      t.equal(log.lines.length, lines.length);
      t.match(log.lines, lines);
      t.same(refused, [], 'the console counts no refusal');
      const posted = await fetch(`http://127.0.0.1:${port}/health`, { method: 'POST' });
      t.equal(posted.status, 405);
      t.match(log.lines.at(-1), [
        'info',
        'a request was refused',
        { path: '/health', status: 405 },
      ]);
      t.match(refused, [{ status: 405 }]);
    }
  },
);

void t.test('refusals that go on are counted, not logged one by one', (t) => {
  const { log, lines, pass } = logOf();
  for (let i = 0; i < 50; i++) log.over({ ...REQUEST, status: 429, code: 'RATE_LIMIT_HIT' });
  log.over({ ...REQUEST, status: 404, code: 'BAD_REQUEST' });
  log.over({ ...REQUEST, status: 503, code: 'SERVICE_UNAVAILABLE' });
  t.equal(lines.length, 22, 'twenty, and one of each other kind');
  pass(10_100);
  t.same(lines.slice(22), [
    ['info', 'further requests were refused', { more: { RATE_LIMIT_HIT: 30 } }],
  ]);
  const times = [log.now, log.now, log.now] as const;
  log.over({ ...REQUEST, status: 429, code: 'RATE_LIMIT_HIT', times });
  t.equal(lines.length, 24, 'and begins anew');
  log.stop();
  t.end();
});

void t.test('an event loop that stands still is logged with what ran before', (t) => {
  const { log, lines, clock } = logOf();
  log.over({ ...REQUEST, status: 400, operation: 'update-message' });
  clock.ms += 1500;
  log.tick(1400);
  t.same(lines[1], ['warn', 'the event loop was blocked', { ms: 1400, after: 'update-message' }]);
  log.stop();
  t.end();
});

void t.test('a path is logged without what may be a key', (t) => {
  t.equal(safePath('/accounts/do_confirm/Qz81kLmPq0WwXyZ12345/'), '/accounts/do_confirm/…/');
  t.equal(safePath('/api/v1/messages/17/reactions'), '/api/v1/messages/17/reactions');
  t.equal(safePath(`/${'a/'.repeat(300)}`).length, 201);
  t.end();
});

void t.test('a client that leaves is logged at debug', async (t) => {
  const log = logOf({ isEach: true });
  let reached!: () => void;
  const begun = new Promise<void>((resolve) => (reached = resolve));
  const waits = {
    endpoint: toyEndpoint({ method: 'GET', path: '/waits' }),
    call: () => {
      reached();
      return new Promise<never>(() => undefined);
    },
  };
  const { server, port } = await start(t, log, { routes: [...ROUTES, waits] });
  const connection = await RawConnection.open(port);
  connection.request('GET', '/api/v1/waits', `Authorization: ${basic()}`);
  await begun;
  connection.destroy();
  while (server.pendingCount > 0) await new Promise((resolve) => setImmediate(resolve));
  t.match(log.lines, [['debug', 'a request', { status: 499, operation: 'GET /waits' }]]);
});

void t.test('a request that another node carries out has one id in the logs of both', async (t) => {
  const [leading, following] = [logOf(), logOf()];
  t.teardown(() => leading.log.stop());
  t.teardown(() => following.log.stop());
  const fault = {
    endpoint: toyEndpoint({ method: 'POST', path: '/fault' }),
    call: () => {
      throw new TypeError('secret detail');
    },
  };
  const faults: object[] = [];
  const service = { routes: [...ROUTES, fault], trustedProxies: ['127.0.0.1'] };
  const { follower } = await startNodes(
    t,
    {
      ...service,
      requests: leading.log,
      log: { error: (context: object) => void faults.push(context) },
    },
    { ...service, requests: following.log },
  );
  const send = async (path: string, headers: Record<string, string> = {}) => {
    const reply = await follower.api(path, { method: 'POST', headers });
    return [reply.status, reply.headers.get('x-request-id')];
  };
  t.same(await send('/messages?content=12345678901'), [400, 'n1-0']);
  t.same(await send('/messages?content=12345678901', { 'X-Request-Id': 'edge-7' }), [
    400,
    'edge-7',
  ]);
  const idsOf = ({ lines }: typeof leading) => lines.map(([, , { request }]) => request);
  t.same(idsOf(leading), ['n1-0', 'edge-7']);
  t.same(idsOf(following), ['n1-0', 'edge-7']);
  t.same(await send('/messages?content=fine'), [200, null], 'a reply without a line has none');
  const [, id] = await send('/fault');
  t.match(faults, [{ error_id: id }]);
});
