import t from 'tap';
import { ApiError, serviceUnavailable } from '../../../../src/errors/index.js';
import { Organization } from '../../../../src/organization/state/organization.js';
import { errorPage } from '../../../../src/resources/pages/layout.js';
import type { PageParts } from '../../../../src/resources/pages/parts.js';
import { PageRuntime } from '../../../../src/resources/pages/page.js';
import { allPages } from '../../../../src/resources/pages/registry.js';
import { sessionParts } from '../../../fixtures/session-parts.js';
import { InviteWorld } from '../../../fixtures/invite-world.js';
import type { Health } from '../../../../src/http/health.js';
import { startToy } from '../../http/toy-server.js';

/** What a page needs of a node that has no organization: only what it has before it has one. */
function partsWithout(): PageParts {
  const org = new Organization(
    { url: 'http://localhost', botDomain: 'localhost', generation: 0 },
    { getMany: async (ids) => ids.map(() => undefined) },
    () => 0,
  );
  const refused = (): never => {
    throw serviceUnavailable('The store is not available');
  };
  const runtime = new PageRuntime({
    org,
    transact: refused,
    tick: async () => refused(),
    journal: { barrier: async () => refused() },
  } as never);
  const { keys, markdown } = new InviteWorld();
  const { sessions } = sessionParts(org);
  return {
    sessions,
    runtime,
    keys,
    markdown,
    limiter: { attempt: async () => undefined },
  } as unknown as PageParts;
}

void t.test(
  'every page, without an organization, a store or room, says so or needs none',
  async (t) => {
    const pages = allPages(partsWithout());
    t.ok(pages.length > 20, `${pages.length} pages`);
    for (const page of pages) {
      const request = {
        values: new Proxy({}, { get: () => 'x'.repeat(48) }),
        fields: new Map([
          ...[
            'email',
            'password',
            'key',
            'full_name',
            'new_password1',
            'new_password2',
            'code',
          ].map((name) => [name, 'ophelia@example.com'] as const),
        ]),
        ...{ query: new Map(), cookies: '', remoteAddress: '192.0.2.1', language: null },
      } as unknown as Parameters<typeof page.call>[0];
      const name = `${page.method} ${page.path}`;
      try {
        t.ok(await page.call(request), `${name} needs none`);
      } catch (error) {
        t.ok(error instanceof ApiError, `${name}: ${(error as Error).stack}`);
        t.ok(
          [400, 404, 503].includes((error as ApiError).status),
          `${name}: ${(error as ApiError).status}`,
        );
      }
    }
  },
);

void t.test('the page of an error says that there is none, and PageServer shows its own', (t) => {
  const { runtime } = partsWithout();
  const error = serviceUnavailable('The store is not available');
  t.throws(() => errorPage(runtime.org, error, null), {
    message: 'The organization does not exist yet',
  });
  t.end();
});

/** What is served, if anything, where there is no organization. */
const STATES: readonly (readonly [name: string, health: Health, serves: boolean])[] = [
  ['before there is an organization', 'starting', false],
  ['without the store', 'unavailable', false],
  ['while another process serves it', 'follower', false],
  ['without room', 'read_only', true],
];

// None of these answers needs an organization, so programs and browsers are told apart by what they accept alone.
for (const [name, health, serves] of STATES) {
  void t.test(`${name} each page is a page for browsers, and JSON for programs`, async (t) => {
    const parts = partsWithout();
    const { port } = await startToy(
      t,
      {
        health: () => health,
        pages: {
          all: allPages(parts),
          errorPage: (error, language) => errorPage(parts.runtime.org, error, language),
        },
      },
      (_server, _authenticator, site) => {
        if (!serves) site.withdraw(serviceUnavailable('The store is not available'));
      },
    );
    const ask = async (method: string, path: string, Accept: string) => {
      const body =
        method === 'POST' ? { body: new URLSearchParams({ email: 'a@example.org' }) } : {};
      const url = `http://127.0.0.1:${port}${path}`;
      const reply = await fetch(url, { method, headers: { Accept }, redirect: 'manual', ...body });
      return [reply.status, reply.headers.get('content-type')?.split(';')[0], await reply.text()];
    };
    const paths: (readonly [method: string, path: string])[] = [
      ...allPages(parts).map(
        ({ method, path }) => [method, path.replaceAll(/\{\w+\+?\}/g, 'x'.repeat(48))] as const,
      ),
      ['GET', '/'],
      ['GET', '/nothing'],
      ['GET', '/user_uploads/2/x.png'],
      ['GET', '/avatar/5'],
    ];
    for (const [method, path] of paths) {
      const [status, type, text] = await ask(method, path, 'text/html,application/xhtml+xml');
      t.equal(type, 'text/html', `${method} ${path}: ${text}`);
      if (!serves) t.equal(status, 503, `${method} ${path}`);
      const [, other] = await ask(method, path, 'application/json');
      t.equal(other, 'application/json', `${method} ${path}, for programs`);
    }
    for (const path of ['/api/v1/messages', '/json/messages', '/api/v1/nothing']) {
      t.equal((await ask('GET', path, 'text/html'))[1], 'application/json', path);
    }
  });
}
