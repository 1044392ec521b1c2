import t from 'tap';
import { ContractError, exchange, type Body } from './harness/client.js';
import { eventFault, replyFault } from './harness/contract.js';
import { run, RunningServer } from './harness/server.js';

void t.test('the contract is served, as a document and as a page', async (t) => {
  const server = await RunningServer.start(t);
  const { status, headers, body } = await exchange(server.url, 'GET', '/api/v1/openapi.json');
  t.equal(status, 200);
  t.match(headers['content-type'], /^application\/json/);
  t.match(body, { openapi: '3.1.0', servers: [{ url: server.url }] });
  const get = async (path: string) => {
    const reply = await fetch(`${server.url}${path}`);
    return {
      status: reply.status,
      type: reply.headers.get('content-type'),
      text: await reply.text(),
    };
  };
  const page = await get('/docs');
  t.equal(page.status, 200);
  t.match(page.type, /^text\/html/);
  const fetched = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
  t.ok(fetched.length > 3);
  for (const path of fetched) {
    t.match(path, /^\//, 'nothing from elsewhere');
    t.equal((await get(path)).status, 200, path);
  }
  t.equal((await get('/docs/package.json')).status, 404);
  // Every published path is served with its method.
  for (const [path, item] of Object.entries(body.paths as Record<string, Body>)) {
    const concrete = path.replace(/\{\w+\}/g, '1');
    const options = await fetch(`${server.url}${concrete}`, { method: 'OPTIONS' });
    const allowed = options.headers.get('allow') ?? '';
    for (const method of Object.keys(item)) {
      t.ok(allowed.split(', ').includes(method.toUpperCase()), `${method} ${path}`);
    }
  }
});

void t.test('npm run openapi writes the same', async (t) => {
  const { code, stdout } = await run(['openapi', 'https://chat.parley.dev']);
  t.equal(code, 0);
  t.match(JSON.parse(stdout), { openapi: '3.1.0', servers: [{ url: 'https://chat.parley.dev' }] });
});

void t.test('what is not as published is found', async (t) => {
  const success = { result: 'success', msg: '' };
  t.equal(replyFault('GET', '/api/v1/realm/domains', 200, { ...success, domains: [] }), null);
  t.ok(replyFault('GET', '/api/v1/realm/domains', 200, success), 'a field is missing');
  t.ok(replyFault('GET', '/api/v1/realm/domains', 200, { ...success, domains: [{}] }));
  t.ok(replyFault('GET', '/api/v1/nowhere', 200, success));
  t.ok(replyFault('GET', '/api/v1/realm/domains', 400, { result: 'error', msg: 'x', code: 'NEW' }));
  t.ok(
    replyFault('GET', '/api/v1/realm/domains', 402, {
      result: 'error',
      msg: 'x',
      code: 'BAD_REQUEST',
    }),
  );
  const event = { id: 1, type: 'heartbeat' };
  t.equal(eventFault(event), null);
  t.ok(eventFault({ type: 'heartbeat' }));
  t.ok(eventFault({ ...event, more: 1 }));
  t.ok(eventFault({ id: 1, type: 'novelty' }));
  const poll = { ...success, queue_id: 'q', events: [{ id: 1, type: 'novelty' }] };
  t.ok(replyFault('GET', '/api/v1/events?queue_id=q', 200, poll));
  t.ok(new ContractError('x') instanceof Error);
});
