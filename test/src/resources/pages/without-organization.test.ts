import t from 'tap';
import { ApiError, serviceUnavailable } from '../../../../src/errors/index.js';
import { Organization } from '../../../../src/organization/state/organization.js';
import { errorPage } from '../../../../src/resources/pages/layout.js';
import type { PageParts } from '../../../../src/resources/pages/parts.js';
import { PageRuntime } from '../../../../src/resources/pages/page.js';
import { allPages } from '../../../../src/resources/pages/registry.js';
import { sessionParts } from '../../../fixtures/session-parts.js';
import { InviteWorld } from '../../../fixtures/invite-world.js';

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
