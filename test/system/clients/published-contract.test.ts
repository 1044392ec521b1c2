import t from 'tap';
import { ContractError, exchange, type Body } from '../harness/client.js';
import { eventFault, replyFault } from '../harness/contract.js';
import { askOrganization } from '../harness/organization.js';
import { run, RunningServer } from '../harness/server.js';
import { openApiDocument } from '../../../schemas/openapi/document.js';

/** The published schema of a success. */
function successSchema(method: string, path: string): Body {
  const paths = openApiDocument('http://127.0.0.1').paths as Record<string, Record<string, Body>>;
  const { responses } = paths[path]![method]!;
  const { content } = (responses as Record<string, Body>)['200']!;
  return (content as Record<string, { schema: Body }>)['application/json']!.schema;
}

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
      coding: reply.headers.get('content-encoding'),
      cache: reply.headers.get('cache-control'),
      tag: reply.headers.get('etag'),
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
    const part = await get(path);
    t.equal(part.status, 200, path);
    if (!path.startsWith('/docs/')) continue;
    t.match(part.coding, /^(?:br|gzip)$/, 'compressed');
    t.match(path, /\?[\w-]{10}$/, 'under an address that changes with the contents');
    t.match(part.cache, /immutable/, 'so it is kept for ever');
  }
  const { tag } = await get('/api/v1/openapi.json');
  const again = { headers: { 'If-None-Match': tag! } };
  t.equal((await fetch(`${server.url}/api/v1/openapi.json`, again)).status, 304, 'not sent twice');
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

void t.test('the reply to register is described, field by field', async (t) => {
  const { owner } = await askOrganization(t);
  const schema = successSchema('post', '/api/v1/register');
  const known = schema.properties as Record<string, { description?: string }>;
  const whole = await owner.register();
  // The legacy twin is left out for those who name its successor, and only for those.
  const seen = Object.keys(whole).filter((name) => !['result', 'msg'].includes(name));
  t.same(
    seen.filter((name) => !known[name]?.description),
    [],
    'nothing comes without a word',
  );
  const own = Object.keys(known).filter(
    (name) => !['result', 'msg', 'ignored_parameters_unsupported'].includes(name),
  );
  t.same(
    own.filter((name) => !seen.includes(name)),
    [],
    'nothing is described that does not come',
  );
  const poor = own.filter((name) => {
    const words = new Set(known[name]!.description!.toLowerCase().match(/[a-z]+/g) ?? []);
    for (const word of name.split('_')) words.delete(word);
    return words.size < 3;
  });
  t.same(poor, [], 'in words of its own');
});

void t.test('npm run openapi writes the same', async (t) => {
  const { code, stdout } = await run(['openapi', 'https://chat.parley.dev']);
  t.equal(code, 0);
  t.match(JSON.parse(stdout), { openapi: '3.1.0', servers: [{ url: 'https://chat.parley.dev' }] });
});

// [c:published-as-is]
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
  const missing = { result: 'error', msg: 'Draft does not exist', code: 'BAD_REQUEST' };
  t.equal(replyFault('DELETE', '/api/v1/drafts/7', 404, missing), null, '404 where it is declared');
  t.ok(replyFault('GET', '/api/v1/server_settings', 403, missing), 'no 403 without credentials');
  t.ok(replyFault('DELETE', '/api/v1/messages/7', 404, missing), 'nor 404 elsewhere');
  const nowhere = { ...missing, msg: 'Not Found' };
  t.equal(replyFault('GET', '/api/v1/messages/x', 404, nowhere), null, 'a path of nothing');
  const event = { id: 1, type: 'heartbeat' };
  t.equal(eventFault(event), null);
  t.ok(eventFault({ type: 'heartbeat' }));
  t.ok(eventFault({ ...event, more: 1 }));
  t.ok(eventFault({ id: 1, type: 'novelty' }));
  const poll = { ...success, queue_id: 'q', events: [{ id: 1, type: 'novelty' }] };
  t.ok(replyFault('GET', '/api/v1/events?queue_id=q', 200, poll));
  t.ok(new ContractError('x') instanceof Error);
});
