import { loginEnabled } from '../../organization/accounts/login-methods.js';
import { languageOfUser } from '../../organization/views/languages.js';
import { pageFiles } from '../../services/web-pages.js';
import { html } from '../../services/text/html.js';
import { layout } from './layout.js';
import type { WebPage } from './page.js';
import { assertActive, LOGIN_PATH, type PageParts } from './parts.js';
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
    async call({ fields, cookies = '', language: ofBrowser }) {
      const { org } = runtime;
      assertActive(org);
      const found = sessions.find(cookies);
      const language = found ? languageOfUser(org, found.session.user_id) : ofBrowser;
      const chat = pageFiles('chat', language);
      const email = fields.get('email');
      const known =
        email === undefined
          ? null
          : html`<p><strong>${email}</strong> has an account already.</p> `;
      const reset =
        loginEnabled(org, 'Email') &&
        html` <p><a href="/accounts/password/reset/">Set a new password</a></p>`;
      return {
        page: layout(
          org,
          'Log in',
          html`<p>
              Log in with an app of your choice. The address of this organization is
              <strong>${org.site.url}</strong>.
            </p>
            ${serviceLinks(org, 'Log in')}${reset}`,
          chat,
          known,
          found && sessions.token(found.session),
          language,
        ),
        cookies: found?.renewal ?? [],
        hasScript: chat !== null,
        data: { realm_url: org.site.url, realm_name: org.realm.current.name },
      };
    },
  }));
}
