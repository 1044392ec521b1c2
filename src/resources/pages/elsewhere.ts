import { notFound } from '../../errors/index.js';
import { realmImageUrl } from '../../organization/realm/realm-images.js';
import type { WebPage } from './page.js';
import type { PageParts } from './parts.js';

/** The site of the protocol's authors, whose clients link their pages at the address of the organization. */
const PUBLIC_SITE = 'https://zulip.com';

/** Paths of these pages: how to use the clients, which services can be connected, and where to get apps. */
const PUBLIC_PATHS = ['/help', '/integrations', '/apps'];

/** Redirects to what lies elsewhere (endpoints-invitations.md#elsewhere). */
export function elsewherePages({ runtime }: PageParts): WebPage[] {
  return [
    ...PUBLIC_PATHS.flatMap((path) => [path, `${path}/`, `${path}/{rest+}`]).map(publicPage),
    // Below it is the API itself.
    ...['/api', '/api/'].map(publicPage),
    {
      method: 'GET',
      path: '/favicon.ico',
      async call() {
        const location = realmImageUrl(runtime.org.realm.current, 'icon');
        return { location, refusal: notFound() };
      },
    },
  ];
}

function publicPage(path: string): WebPage {
  const begin = path.replace('{rest+}', '');
  return {
    method: 'GET',
    path,
    async call({ values, query = '' }) {
      const rest = (values.rest ?? '').split('/').map(encodeURIComponent).join('/');
      const location = `${PUBLIC_SITE}${begin}${rest}${query === '' ? '' : `?${query}`}`;
      return { location, refusal: notFound() };
    },
  };
}
