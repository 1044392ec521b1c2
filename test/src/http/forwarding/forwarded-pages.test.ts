import t from 'tap';
import { badRequest } from '../../../../src/errors/index.js';
import type { WebPage, WebPageRequest } from '../../../../src/resources/pages/page.js';
import { html } from '../../../../src/services/text/html.js';
import { startNodes } from './nodes.js';

/** Pages that tell which node made them. */
function pagesOf(node: string) {
  const shown = (request: WebPageRequest) => ({
    page: html`<p>${node}: ${request.fields.get('a') ?? ''} from ${request.remoteAddress}</p>`,
    data: { node },
  });
  const all: readonly WebPage[] = [
    { method: 'GET', path: '/form/', call: async (request) => shown(request) },
    {
      method: 'POST',
      path: '/form/',
      call: async (request) => {
        if (request.fields.get('a') === 'bad') throw badRequest('A is bad.');
        return shown(request);
      },
      again: (_request, error) => html`<form>${node}: ${error.message}</form>`,
    },
    { method: 'GET', path: '/once', usesLink: true, call: async (request) => shown(request) },
  ];
  const errorPage = (error: Error) => html`<main>${node}: ${error.message}</main>`;
  return { pages: { all, errorPage }, position: () => 5 };
}

void t.test('forms and links that are used go to the leader, other pages stay', async (t) => {
  const { follower } = await startNodes(t, pagesOf('leader'), pagesOf('follower'));
  const get = async (path: string, init?: RequestInit) => {
    const reply = await fetch(`http://127.0.0.1:${follower.port}${path}`, init);
    const { status, headers } = reply;
    return { status, text: await reply.text(), type: headers.get('content-type'), headers };
  };
  const post = (a: string, headers: Record<string, string> = {}) =>
    get('/form/', { method: 'POST', body: new URLSearchParams({ a }), headers });

  t.equal((await get('/form/?a=1')).text, '<p>follower: 1 from 127.0.0.1</p>');
  t.equal((await get('/once')).text, '<p>leader:  from 127.0.0.1</p>');
  const posted = await post('2');
  t.equal(posted.text, '<p>leader: 2 from 127.0.0.1</p>');
  t.equal(posted.type, 'text/html; charset=utf-8');
  t.match(posted.headers.get('content-security-policy'), /^default-src 'none'/);
  t.equal(posted.headers.get('parley-position'), '5');
  t.match(await post('bad'), { status: 400, text: '<form>leader: A is bad.</form>' });
  const program = await post('2', { Accept: 'application/json' });
  t.same(JSON.parse(program.text), { result: 'success', msg: '', node: 'leader' });
  t.match(await get('/form/', { method: 'POST' }), { status: 200, text: /^<p>leader: / });

  t.match(await get('/form/', { method: 'PUT' }), { status: 405, text: /^<main>follower: / });
  t.match(await get('/once', { method: 'HEAD' }), { status: 405 });
  const long = await post('x'.repeat(70_000));
  t.match(long, { status: 413, text: '<main>follower: Request entity too large</main>' });

  follower.forward.close();
  t.match(await post('3'), { status: 503, text: '<main>follower: Server is draining</main>' });
});
