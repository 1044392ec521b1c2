import { html } from '../../services/text/html.js';
import { languageOfUser } from '../../organization/views/languages.js';
import { pageFiles } from '../../services/web-pages.js';
import { layout } from './layout.js';
import type { WebPage } from './page.js';
import type { PageParts } from './parts.js';

/**
 * The page of owners and administrators. The API, from which all it shows comes, refuses others.
 */
export function consolePages({ runtime, sessions }: PageParts): WebPage[] {
  return [
    {
      method: 'GET',
      path: '/console',
      readsCookies: true,
      async call({ cookies = '', language: ofBrowser }) {
        const { org } = runtime;
        const found = sessions.find(cookies);
        const token = found && sessions.token(found.session);
        const language = found ? languageOfUser(org, found.session.user_id) : ofBrowser;
        const files = pageFiles('console', language);
        const text = html`<p>
          The console shows owners and administrators what the server does: its figures, event
          queues, actors and journal. It needs a browser with JavaScript.
        </p>`;
        return {
          page: layout(org, 'Console', text, files, null, token, language),
          hasScript: files !== null,
          data: { realm_url: org.site.url, realm_name: org.realm.current.name },
        };
      },
    },
  ];
}
