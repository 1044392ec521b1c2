import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest, loginNotFinished, notFound } from '../../errors/index.js';
import { loginPath, loginServices, signUpPath } from '../../organization/accounts/login-methods.js';
import { multiuseOf } from '../../organization/invitations/join.js';
import { LOGIN } from '../../organization/state/audited.js';
import type { Organization } from '../../organization/state/organization.js';
import { logInVouched } from '../../organization/users/vouched-login.js';
import { isPad, mobileLogin } from '../../services/auth/mobile-login.js';
import type { OpenIdProvider } from '../../services/auth/openid-provider.js';
import { pageFiles } from '../../services/web-pages.js';
import { html, type Html } from '../../services/text/html.js';
import { layout } from './layout.js';
import { LoginStates } from './login-state.js';
import type { Redirected, Shown, WebPage, WebPageRequest } from './page.js';
import { assertActive, type PageParts } from './parts.js';

/** Login and sign-up through another service (endpoints-invitations.md#single-sign-on). */
export function singleSignOnPages(parts: PageParts): WebPage[] {
  const { providers = [], loginState, runtime } = parts;
  if (!loginState || providers.length === 0) return [];
  const states = new LoginStates(loginState, () => runtime.org.now());
  const all = { ...parts, providers, states };
  const begins = [loginPath('{provider}'), signUpPath('{provider}')];
  return [
    ...begins.flatMap((path) => [path, `${path}/`]).map((path) => beginPage(all, path)),
    ...['/complete/{provider}/', '/complete/{provider}'].map((path) => completePage(all, path)),
  ];
}

interface SingleSignOnParts extends PageParts {
  readonly providers: readonly OpenIdProvider[];
  readonly states: LoginStates;
}

/** The provider that a path names. @throws ApiError 404 where there is none, or the organization does not use it */
function providerOf(
  { providers, runtime }: SingleSignOnParts,
  { values }: WebPageRequest,
): OpenIdProvider {
  const { org } = runtime;
  assertActive(org);
  const isOffered = loginServices(org).some(({ name }) => name === values.provider);
  const provider = providers.find(({ settings }) => settings.name === values.provider);
  if (!provider || !isOffered) throw notFound();
  return provider;
}

/** Callback URL of a provider: one for each, so that none can answer for another. */
function callbackOf({ site }: Organization, provider: OpenIdProvider): string {
  return `${site.url}/complete/${provider.settings.name}/`;
}

/** Leads to the provider. */
function beginPage(parts: SingleSignOnParts, path: string): WebPage {
  return {
    method: 'GET',
    path,
    async call(request) {
      const { org } = parts.runtime;
      const provider = providerOf(parts, request);
      const { login, cookie } = parts.states.begin(
        { provider: provider.settings.name, ...askedFor(org, request) },
        org.site.url,
      );
      const location = await provider.begin(callbackOf(org, provider), login);
      return { location, cookie, refusal: badRequest('Open this address in a browser.') };
    },
  };
}

/** @throws ApiError for parameters that cannot be used */
function askedFor(
  org: Organization,
  { fields }: WebPageRequest,
): { otp: string | null; invitation: string | null } {
  if (fields.has('desktop_flow_otp')) throw badRequest('Login for desktop apps is not offered.');
  const otp = fields.get('mobile_flow_otp') ?? null;
  if (otp !== null && !isPad(otp)) throw badRequest('Invalid OTP');
  const invitation = fields.get('multiuse_object_key') || null;
  if (invitation !== null) multiuseOf(org, invitation, org.now());
  return { otp, invitation };
}

/** Where the provider leads back: makes the login, and gives it to the browser or to the app that opened it. */
function completePage(parts: SingleSignOnParts, path: string): WebPage {
  const { runtime, states, markdown, apiKeys, closeSockets } = parts;
  return {
    method: 'GET',
    path,
    usesLink: true,
    readsCookies: true,
    async call(request) {
      const { org } = runtime;
      const provider = providerOf(parts, request);
      const { url } = org.site;
      const login = states.open(request.cookies ?? '', url, provider.settings.name);
      if (!login) {
        throw loginNotFinished(
          'This login is too old, was used already, or was begun in another browser. Begin again.',
        );
      }
      // Before anything waits: of two requests with the same answer the second one fails.
      const cookie = states.finish(login, url);
      const address = new URL(`${callbackOf(org, provider)}?${request.query ?? ''}`);
      const vouched = await provider.complete(address, login);
      const user = await runtime.transact((tx) => {
        // Checked again: the organization may have been changed meanwhile.
        providerOf(parts, request);
        return logInVouched(tx, vouched, {
          markdown,
          createsAccounts: provider.settings.create_accounts,
          invitation: login.invitation,
          closeSockets,
        });
      }, LOGIN);
      const key = apiKeys.derive(user.user_id, user.key_version);
      return { ...given(org, user, key, login.otp), cookie };
    },
  };
}

function given(
  org: Organization,
  user: UserDocument,
  key: string,
  otp: string | null,
): Shown | Redirected {
  if (otp !== null) {
    const location = mobileLogin(org.site.url, user, key, otp);
    return { location, refusal: badRequest('Open this address in an app.') };
  }
  const chat = pageFiles('chat');
  const { email, user_id } = user;
  return {
    page: layout(org, 'Logged in', credentials(user, key), chat),
    hasScript: chat !== null,
    data: { api_key: key, email, user_id },
  };
}

/** The script of the chat takes the credentials from here, and goes on to the chat. */
function credentials({ email }: UserDocument, key: string): Html {
  return html`<div id="credentials" data-email="${email}" data-key="${key}"></div>
    <p>
      You are logged in as <strong>${email}</strong>. The chat needs a browser with JavaScript; apps
      log in by themselves.
    </p>`;
}

/** Links to log in, or to join, by each service; null where there is none. */
export function serviceLinks(
  org: Organization,
  to: 'Log in' | 'Join',
  parameters: Readonly<Record<string, string>> = {},
): Html | null {
  const services = loginServices(org);
  if (services.length === 0) return null;
  const query = new URLSearchParams(parameters).toString();
  return html`<ul class="services">
    ${services.map(({ name, display_name }) => {
      const path = to === 'Join' ? signUpPath(name) : loginPath(name);
      const address = query === '' ? path : `${path}?${query}`;
      return html`<li><a href="${address}">${to} with ${display_name}</a></li> `;
    })}
  </ul>`;
}
