import { loginEnabled } from '../../organization/accounts/login-methods.js';
import { pageFiles } from '../../services/web-pages.js';
import { html } from '../../services/text/html.js';
import { layout, readerOf, userReader, withStrong } from './layout.js';
import type { WebPage } from './page.js';
import { assertActive, leadToTwoFactor, LOGIN_PATH, type PageParts } from './parts.js';
import { serviceLinks } from './single-sign-on.js';

/**
 * Explains how to log in: by an app, or here by the chat of the server, which draws its form above. The organization's
 * own URL, which mails contain, shows the same.
 */
export function loginPages({ runtime, sessions }: PageParts): WebPage[] {
  return ['/', '/chat', LOGIN_PATH, LOGIN_PATH.slice(0, -1)].map((path) => ({
    method: 'GET',
    path,
    readsCookies: true,
    async call({ fields, cookies = '', language }) {
      const { org } = runtime;
      assertActive(org);
      const found = sessions.find(cookies);
      const first = found && leadToTwoFactor(org, found.user);
      if (first) return first;
      const reader = found ? userReader(org, found.session.user_id) : readerOf(org, language);
      const { say } = reader;
      const chat = pageFiles('chat', reader.language);
      const email = fields.get('email');
      const known =
        email === undefined ? null : html`<p>${withStrong(reader, 'login.known', { email })}</p> `;
      const reset =
        loginEnabled(org, 'Email') &&
        html` <p><a href="/accounts/password/reset/">${say('login.reset')}</a></p>`;
      return {
        page: layout(
          reader,
          say('login.title'),
          html`<p>${withStrong(reader, 'login.app', { url: org.site.url })}</p>
            ${serviceLinks(reader, 'log-in')}${reset}`,
          chat,
          known,
          found && sessions.token(found.session),
        ),
        cookies: found?.renewal ?? [],
        hasScript: chat !== null,
        data: { realm_url: org.site.url, realm_name: org.realm.current.name },
      };
    },
  }));
}
