import { html } from '../../services/text/html.js';
import { pageFiles } from '../../services/web-pages.js';
import { layout, readerOf, userReader } from './layout.js';
import type { WebPage } from './page.js';
import { leadToTwoFactor, type PageParts } from './parts.js';

/**
 * The page of owners and administrators. The API, from which all it shows comes, refuses others.
 */
export function consolePages({ runtime, sessions }: PageParts): WebPage[] {
  return [
    {
      method: 'GET',
      path: '/console',
      readsCookies: true,
      async call({ cookies = '', language }) {
        const { org } = runtime;
        const found = sessions.find(cookies);
        const first = found && leadToTwoFactor(org, found.user);
        if (first) return first;
        const token = found && sessions.token(found.session);
        const reader = found ? userReader(org, found.session.user_id) : readerOf(org, language);
        const { say } = reader;
        const files = pageFiles('console', reader.language);
        const text = html`<p>${say('console.text')}</p>`;
        return {
          page: layout(reader, say('console.title'), text, files, null, token),
          hasScript: files !== null,
          data: { realm_url: org.site.url, realm_name: org.realm.current.name },
        };
      },
    },
  ];
}
