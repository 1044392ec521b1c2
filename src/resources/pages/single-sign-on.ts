import type { UserDocument } from '../../../schemas/users/user-document.js';
import {
  badRequest,
  loginNotFinished,
  loginRefused,
  notFound,
  twoFactorSetupRequired,
} from '../../errors/index.js';
import { lacksTwoFactor } from '../../organization/accounts/two-factor.js';
import { loginPath, loginServices, signUpPath } from '../../organization/accounts/login-methods.js';
import { multiuseOf } from '../../organization/invitations/join.js';
import { LOGIN } from '../../organization/state/audited.js';
import type { Organization } from '../../organization/state/organization.js';
import { logInVouched } from '../../organization/users/vouched-login.js';
import { isPad, mobileLogin } from '../../services/auth/mobile-login.js';
import type { SealedState } from '../../services/auth/sealed-state.js';
import type { OpenIdProvider } from '../../services/auth/openid-provider.js';
import { html, type Html } from '../../services/text/html.js';
import { logInBrowser, type BrowserRequest } from '../accounts/sessions.js';
import {
  DESKTOP_PATH,
  desktopKeyOf,
  desktopToken,
  isInDesktopApp,
  tokenPage,
  waitingPage,
  type DesktopToken,
} from './desktop-login.js';
import { layout, readerOf, userReader, withStrong, type Reader } from './layout.js';
import { LoginStates, type LoginUnderWay } from './login-state.js';
import type { Redirected, Shown, WebPage, WebPageRequest } from './page.js';
import { assertActive, requiredField, type PageParts } from './parts.js';

/** Login and sign-up through another service (endpoints-invitations.md#single-sign-on). */
export function singleSignOnPages(parts: PageParts): WebPage[] {
  const { providers = [], loginState, desktopTokens, runtime } = parts;
  if (!loginState || !desktopTokens || providers.length === 0) return [];
  const states = new LoginStates(loginState, () => runtime.org.now());
  const all = { ...parts, providers, states, desktopTokens };
  const begins = [loginPath('{provider}'), signUpPath('{provider}')];
  return [
    ...begins.flatMap((path) => [path, `${path}/`]).map((path) => beginPage(all, path)),
    ...['/complete/{provider}/', '/complete/{provider}'].map((path) => completePage(all, path)),
    desktopPage(all),
  ];
}

interface SingleSignOnParts extends PageParts {
  readonly providers: readonly OpenIdProvider[];
  readonly states: LoginStates;
  readonly desktopTokens: SealedState;
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
      const inApp = isInDesktopApp(request);
      const { login, cookies } = parts.states.begin(
        { provider: provider.settings.name, inApp, ...askedFor(org, request) },
        org.site.url,
      );
      if (inApp) {
        const page = waitingPage(readerOf(org, request.language), provider.settings.name);
        return { page, cookies, hasScript: true, data: {} };
      }
      const location = await provider.begin(callbackOf(org, provider), login);
      return {
        location,
        cookies,
        refusal: badRequest('Open this address in a browser.'),
      };
    },
  };
}

/** @throws ApiError for parameters that cannot be used */
function askedFor(
  org: Organization,
  request: WebPageRequest,
): Pick<LoginUnderWay, 'otp' | 'desktop' | 'invitation'> {
  const { fields } = request;
  const desktop = desktopKeyOf(request);
  const otp = fields.get('mobile_flow_otp') ?? null;
  if (otp !== null && !isPad(otp)) throw badRequest('Invalid OTP');
  const invitation = fields.get('multiuse_object_key') || null;
  if (invitation !== null) multiuseOf(org, invitation, org.now());
  return { otp, desktop, invitation };
}

/** Where the provider leads back: makes the login, and gives it to the browser or to the app that opened it. */
function completePage(parts: SingleSignOnParts, path: string): WebPage {
  const { runtime, states, markdown, apiKeys, sessions, closeSockets, desktopTokens } = parts;
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
      const cookies = states.finish(login, url);
      const address = new URL(`${callbackOf(org, provider)}?${request.query ?? ''}`);
      const vouched = await provider.complete(address, login);
      // A mobile app gets the key; a desktop app its session when it brings the token.
      const isForApp = login.otp !== null || Boolean(login.desktop);
      const sent = request.cookies ?? '';
      const user = await runtime.transact((tx) => {
        // Checked again: the organization may have been changed meanwhile.
        providerOf(parts, request);
        const found = logInVouched(tx, vouched, {
          markdown,
          createsAccounts: provider.settings.create_accounts,
          invitation: login.invitation,
          language: request.language,
          isKnownDevice: (one) => !isForApp && sessions.isKnownDevice(one, sent),
          closeSockets,
        });
        // An app would have a key that opens nothing; in a browser it can be set up.
        if (login.otp !== null && lacksTwoFactor(tx.org, found)) throw twoFactorSetupRequired();
        if (!isForApp) {
          logInBrowser(tx, sessions, found, {
            header: () => sent,
            userAgent: request.userAgent,
            setCookies: (lines) => cookies.push(...lines),
          });
        }
        return found;
      }, LOGIN);
      if (login.desktop) {
        const token = desktopToken(desktopTokens, org, user, login.provider);
        return {
          page: tokenPage(userReader(org, user.user_id), token, login.desktop),
          hasScript: true,
          data: { token },
          cookies,
        };
      }
      const key = apiKeys.derive(user.user_id, user.key_version);
      return { ...given(org, user, key, login.otp), cookies };
    },
  };
}

/**
 * Takes the token that a browser gave to the desktop app. It counts only where the login was begun in the app: no other
 * page can log somebody in with a token of its own.
 */
function desktopPage(parts: SingleSignOnParts): WebPage {
  const { runtime, states, apiKeys, sessions, desktopTokens } = parts;
  return {
    method: 'POST',
    path: DESKTOP_PATH,
    readsCookies: true,
    async call(request) {
      const { org } = runtime;
      const { settings } = providerOf(parts, request);
      const login = states.open(request.cookies ?? '', org.site.url, settings.name);
      const sealed = requiredField(request, 'token');
      const token = desktopTokens.open(sealed, org.now()) as DesktopToken | null;
      const user = token?.provider === settings.name ? org.users.get(token.user_id) : undefined;
      if (!login?.inApp || !token || !states.use(token.id)) throw loginTooOld();
      if (user?.key_version !== token.key_version) throw loginTooOld();
      if (!user.is_active) throw loginRefused('USER_DEACTIVATED');
      const cookies = states.finish(login, org.site.url);
      const browser: BrowserRequest = {
        header: () => request.cookies ?? '',
        userAgent: request.userAgent,
        setCookies: (lines) => cookies.push(...lines),
      };
      await runtime.transact((tx) => logInBrowser(tx, sessions, user, browser), LOGIN);
      return { ...given(org, user, apiKeys.derive(user.user_id, user.key_version), null), cookies };
    },
  };
}

function loginTooOld(): Error {
  return loginNotFinished('This login is too old, or was used already. Begin again.');
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
  const { email, user_id } = user;
  const reader = userReader(org, user_id);
  return {
    page: layout(
      reader,
      reader.say('service.logged-in'),
      html`<p>${withStrong(reader, 'service.logged-in-as', { email })}</p>`,
    ),
    leadsTo: '/',
    data: { api_key: key, email, user_id },
  };
}

/** Links to log in, or to join, by each service; null where there is none. */
export function serviceLinks(
  { org, say }: Reader,
  to: 'log-in' | 'join',
  parameters: Readonly<Record<string, string>> = {},
): Html | null {
  const services = loginServices(org);
  if (services.length === 0) return null;
  const query = new URLSearchParams(parameters).toString();
  return html`<ul class="services">
    ${services.map(({ name, display_name }) => {
      const path = to === 'join' ? signUpPath(name) : loginPath(name);
      const address = query === '' ? path : `${path}?${query}`;
      const label = say(`service.${to}`, { service: display_name });
      return html`<li><a href="${address}">${label}</a></li> `;
    })}
  </ul>`;
}
