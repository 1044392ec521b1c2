import t, { type Test } from 'tap';
import { badRequest } from '../../../../src/errors/index.js';
import {
  createRequestLimiter,
  type RequestLimiter,
} from '../../../../src/http/limits/rate-limit.js';
import type { WebPage, WebPageRequest } from '../../../../src/resources/pages/page.js';
import { html } from '../../../../src/services/text/html.js';
import { RawConnection } from '../raw-connection.js';
import { startToy } from '../toy-server.js';

const shown = (request: WebPageRequest) => ({
  page: html`<p>${request.values.name}: ${request.fields.get('a')}</p>`,
  data: { name: request.values.name, a: request.fields.get('a') ?? null },
});

const PAGES: readonly WebPage[] = [
  { method: 'GET', path: '/hello/{name}/', call: async (request) => shown(request) },
  {
    method: 'POST',
    path: '/hello/{name}/',
    call: async (request) => {
      if (request.fields.get('a') === 'bad') throw badRequest('A is bad.');
      if (request.fields.get('a') === 'fault') throw new TypeError('secret detail');
      return shown(request);
    },
    again: ({ values }, error) => {
      if (values.name === 'gone') throw new Error('no form any more');
      return values.name === 'formless' ? undefined : html`<form>${error.message}</form>`;
    },
  },
  {
    method: 'GET',
    path: '/elsewhere',
    call: async () => ({ location: '/login/?a=b', refusal: badRequest('Log in.') }),
  },
  { method: 'GET', path: '/once', usesLink: true, call: async (request) => shown(request) },
];

const JSON_ACCEPT = { Accept: 'application/json' };
const HTML = 'text/html; charset=utf-8';

async function start(t: Test, limiter: RequestLimiter | null = null) {
  const pages = { all: PAGES, errorPage: (error: Error) => html`<main>${error.message}</main>` };
  const { port, logged } = await startToy(t, { pages, limiter });
  const get = (path: string, init?: RequestInit) =>
    fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', ...init });
  const post = (path: string, a: string, headers: Record<string, string> = {}) =>
    get(path, { method: 'POST', body: new URLSearchParams({ a }), headers });
  return { get, post, logged };
}

void t.test(
  'HTML for people, with headers that keep a page and its address to itself',
  async (t) => {
    const { get } = await start(t);
    const response = await get('/hello/J%C3%BCrgen%3C/?a=1', {
      headers: { Accept: 'text/html, */*' },
    });
    t.equal(response.status, 200);
    t.equal(await response.text(), '<p>Jürgen&lt;: 1</p>');
    t.match(Object.fromEntries(response.headers), {
      'content-type': HTML,
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; " +
        "base-uri 'none'; frame-ancestors 'none'",
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': /no-store/,
    });
    t.equal(response.headers.get('access-control-allow-origin'), null);
  },
);

void t.test('JSON for programs that accept it', async (t) => {
  const { get, post } = await start(t);
  for (const Accept of ['application/json', 'text/plain;q=0.5, application/json;q=0.9']) {
    const response = await get('/hello/x/', { headers: { Accept } });
    t.equal(response.headers.get('content-type'), 'application/json');
    t.same(await response.json(), { result: 'success', msg: '', name: 'x', a: null });
  }
  for (const Accept of ['*/*', 'application/jsonp', 'text/html']) {
    t.equal((await get('/hello/x/', { headers: { Accept } })).headers.get('content-type'), HTML);
  }
  const refused = await post('/hello/x/', 'bad', JSON_ACCEPT);
  t.equal(refused.status, 400);
  t.same(await refused.json(), { result: 'error', msg: 'A is bad.', code: 'BAD_REQUEST' });
});

void t.test('a refused form is shown again, or what is wrong with it', async (t) => {
  const { post, logged } = await start(t);
  const answers: string[][] = [];
  for (const name of ['x', 'formless', 'gone']) {
    const response = await post(`/hello/${name}/`, 'bad');
    t.equal(response.status, 400);
    t.equal(response.headers.get('content-type'), HTML);
    answers.push([name, await response.text()]);
  }
  t.same(answers, [
    ['x', '<form>A is bad.</form>'],
    ['formless', '<main>A is bad.</main>'],
    ['gone', '<main>A is bad.</main>'],
  ]);
  t.same(logged, []);
});

void t.test('a page knows what language the browser asks for', async (t) => {
  const asked: (string | null)[] = [];
  const call = async ({ language, fields }: WebPageRequest) => {
    asked.push(language);
    if (fields.has('a')) throw badRequest('No.');
    return { page: html`<p></p>`, data: {} };
  };
  const all: WebPage[] = ['GET' as const, 'POST' as const].map((method) => ({
    ...{ method, path: '/asks', call },
  }));
  const errorPage = (_error: Error, language: string | null) => html`<p>${language}</p>`;
  const { port } = await startToy(t, { pages: { all, errorPage }, limiter: null });
  const said: string[] = [];
  for (const accepted of ['ja-JP, en;q=0.5', 'pt, ar;q=0.1', 'pt']) {
    for (const body of [undefined, new URLSearchParams({ a: 'x' })]) {
      const response = await fetch(`http://127.0.0.1:${port}/asks`, {
        ...(body ? { method: 'POST', body } : {}),
        headers: { 'Accept-Language': accepted },
      });
      said.push(await response.text());
    }
  }
  t.strictSame(asked, ['ja', 'ja', 'ar', 'ar', null, null]);
  t.strictSame(said, ['<p></p>', '<p>ja</p>', '<p></p>', '<p>ar</p>', '<p></p>', '<p></p>']);
});

void t.test('a fault is logged and tells nothing', async (t) => {
  const { post, logged } = await start(t);
  const response = await post('/hello/formless/', 'fault');
  t.equal(response.status, 500);
  t.equal(response.headers.get('x-error-id'), 'fault-1');
  t.equal(await response.text(), '<main>Internal server error</main>');
  t.match(logged, [{ error_id: 'fault-1', path: '/hello/formless/' }]);
});

void t.test('people are sent elsewhere, programs are told why', async (t) => {
  const { get } = await start(t);
  const response = await get('/elsewhere');
  t.equal(response.status, 302);
  t.equal(response.headers.get('location'), '/login/?a=b');
  const told = await get('/elsewhere', { headers: JSON_ACCEPT });
  t.equal(told.status, 400);
  t.match(await told.json(), { msg: 'Log in.' });
});

void t.test(
  'a page refuses methods that it does not serve with 405, and answers HEAD without a body',
  async (t) => {
    const { get } = await start(t);
    const wrong = await get('/hello/x/', { method: 'PUT', headers: JSON_ACCEPT });
    t.equal(wrong.status, 405);
    t.equal(wrong.headers.get('allow'), 'GET, HEAD, POST');
    const head = await get('/hello/x/', { method: 'HEAD' });
    t.equal(head.status, 200);
    t.equal(await head.text(), '');
    const once = await get('/once', { method: 'HEAD' });
    t.equal(once.status, 405, 'a link is not used up by it');
    t.equal(once.headers.get('allow'), 'GET');
    t.equal((await get('/once')).status, 200);
    t.equal((await get('/hello/x')).status, 404);
    t.match(await (await get('/hello/x')).json(), { msg: 'Not Found' });
  },
);

void t.test('people are told in a page that there is none, programs in JSON', async (t) => {
  const { get } = await start(t);
  const browser = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };
  const response = await get('/hello/x/y', browser);
  t.equal(response.status, 404);
  t.equal(response.headers.get('content-type'), HTML);
  t.match(response.headers.get('content-security-policy'), /^default-src 'none'/);
  t.equal(await response.text(), '<main>Not Found</main>');
  const api = ['/api/v1', '/api/v1/nothing'].map((path) => get(path, browser));
  for (const one of [...(await Promise.all(api)), await get('/hello/x/y', {})]) {
    t.equal(one.headers.get('content-type'), 'application/json');
    t.match(await one.json(), { code: 'BAD_REQUEST', msg: 'Not Found' });
  }
});

void t.test('a page learns whether a page of this server sent the form', async (t) => {
  const pages = {
    all: [
      {
        method: 'POST',
        path: '/who',
        call: async ({ isFromOwnPage }: WebPageRequest) => ({
          page: html`<p>${String(isFromOwnPage)}</p>`,
          data: {},
        }),
      } as const,
    ],
    errorPage: () => html``,
  };
  const own = 'https://chat.example.com';
  const { port } = await startToy(t, {
    pages,
    origins: { own: () => own, allowed: ['https://a.org'] },
  });
  const asked = async (...headers: string[]) => {
    const connection = await RawConnection.open(port);
    connection.request('POST', '/who', ...headers, 'Content-Length: 0');
    const { body } = (await connection.response())!;
    connection.destroy();
    return /<p>(\w+)/.exec(body)![1];
  };
  t.equal(await asked('Sec-Fetch-Site: same-origin'), 'true');
  t.equal(await asked(`Origin: ${own}`), 'true', 'over HTTP, browsers say no more than this');
  t.equal(await asked('Origin: https://a.org'), 'false', 'whoever may use keys');
  t.equal(await asked('Origin: null'), 'false');
  t.equal(await asked('Sec-Fetch-Site: cross-site', `Origin: ${own}`), 'false');
  t.equal(await asked(), 'false', 'programs');
});

void t.test('a form of more than 64 KiB is refused with 413', async (t) => {
  const { post } = await start(t);
  t.equal((await post('/hello/x/', 'y'.repeat(60_000))).status, 200);
  t.equal((await post('/hello/x/', 'y'.repeat(70_000))).status, 413);
});

void t.test('pages count by address', async (t) => {
  const { get } = await start(t, createRequestLimiter({ addresses: [{ max: 2, seconds: 60 }] }));
  t.equal((await get('/hello/x/')).headers.get('x-ratelimit-remaining'), '1');
  await get('/hello/x/');
  const refused = await get('/hello/x/');
  t.equal(refused.status, 429);
  t.ok(Number(refused.headers.get('retry-after')) > 0);
  t.equal(await refused.text(), '<main>API usage exceeded rate limit</main>');
});

void t.test(
  'where no page of an error can be made, one that needs no organization is shown',
  async (t) => {
    const errorPage = (): never => {
      throw new Error('The organization does not exist yet');
    };
    const { port } = await startToy(t, { pages: { all: PAGES, errorPage } });
    for (let i = 0; i < 2; i++) {
      const body = new URLSearchParams({ a: 'bad' });
      const url = `http://127.0.0.1:${port}/hello/formless/`;
      const response = await fetch(url, { method: 'POST', body });
      t.equal(response.status, 400);
      t.equal(response.headers.get('content-type'), HTML);
      t.match(
        await response.text(),
        /<title>A is bad\.<\/title>[^]*<p role="alert">A is bad\.<\/p>/,
      );
    }
  },
);
