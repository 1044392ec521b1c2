import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest, csrfFailed, notLoggedIn, type ApiError } from '../../errors/index.js';
import {
  beginTwoFactor,
  confirmTwoFactor,
  needsTwoFactor,
  twoFactorOf,
} from '../../organization/accounts/two-factor.js';
import { base32, otpauthUrl } from '../../services/auth/one-time-codes.js';
import { html, type Html } from '../../services/text/html.js';
import { checkPassword, forgetAttempts } from '../accounts/password-change.js';
import { alert, form, goOn, input, layout, userReader, type Reader } from './layout.js';
import type { Redirected, Shown, WebPage, WebPageRequest } from './page.js';
import { assertActive, isAboutForm, LOGIN_PATH, TWO_FACTOR_PATH, type PageParts } from './parts.js';

/**
 * The page on which people set up their second factor, without script, so that each interface leads here who has to
 * (endpoints-users.md#two-factor-demanded). It has three steps: the password, the code of the app, the recovery codes.
 */
export function twoFactorPages(parts: PageParts): WebPage[] {
  const { runtime, sessions } = parts;
  const who = ({ cookies = '' }: WebPageRequest): UserDocument | null =>
    sessions.find(cookies)?.user ?? null;
  return [
    {
      method: 'GET',
      path: TWO_FACTOR_PATH,
      readsCookies: true,
      async call(request) {
        assertActive(runtime.org);
        const user = who(request);
        return user ? firstPage(parts, user, undefined) : elsewhere(LOGIN_PATH);
      },
    },
    {
      method: 'POST',
      path: TWO_FACTOR_PATH,
      readsCookies: true,
      async call(request) {
        assertActive(runtime.org);
        const user = who(request);
        if (!user) return elsewhere(LOGIN_PATH);
        // Another site's form would have it set up by somebody who does not know.
        if (request.isFromOwnPage !== true) throw csrfFailed();
        const { fields } = request;
        const code = fields.get('code');
        return code === undefined ? begun(parts, request, user) : confirmed(parts, user, code);
      },
      again(request, error) {
        const user = who(request);
        if (!user || !isAboutForm(error)) return undefined;
        const factor = runtime.org.twoFactors.get(user.user_id);
        return request.fields.has('code') && factor?.two_factor === false
          ? codePage(parts, user, factor.nonce, error).page
          : firstPage(parts, user, error).page;
      },
    },
  ];
}

function elsewhere(location: string): Redirected {
  return { location, refusal: notLoggedIn(location) };
}

/** The first step: the password; nothing is left to do for who has a second factor. */
function firstPage({ runtime }: PageParts, user: UserDocument, error: ApiError | undefined): Shown {
  const { org } = runtime;
  const reader = userReader(org, user.user_id);
  const { say } = reader;
  const enabled = twoFactorOf(org, user.user_id) !== undefined;
  if (enabled)
    return shown(
      reader,
      html`<p>${say('factor.is-on')}</p>
        ${goOn(reader)}`,
      { enabled },
    );
  const why = needsTwoFactor(org, user) ? 'factor.demanded' : 'factor.what';
  const password = input({
    name: 'password',
    label: say('field.password'),
    type: 'password',
    required: true,
    autocomplete: 'current-password',
  });
  return shown(
    reader,
    html`<p>${say(why)}</p>
      ${alert(reader, error)}${form(TWO_FACTOR_PATH, [password], say('factor.begin'))}`,
    { enabled },
  );
}

async function begun(
  parts: PageParts,
  request: WebPageRequest,
  user: UserDocument,
): Promise<Shown> {
  const { runtime, codes, passwords, apiKeys, directory, logins } = parts;
  const { remoteAddress, fields } = request;
  const checks = { passwords, directory, keys: apiKeys, limiter: logins };
  const asking = { user, remoteAddress };
  if (user.password_hash === null) throw badRequest('Your account has no password.');
  await checkPassword(runtime.org, checks, asking, fields.get('password') ?? '');
  await forgetAttempts(checks, asking);
  await runtime.transact((tx) => beginTwoFactor(tx, codes, user), { way: 'api', user });
  return codePage(parts, user, runtime.org.twoFactors.get(user.user_id)!.nonce, undefined);
}

/** The second step: what to put into the app, and its first code. */
function codePage(
  { runtime: { org }, codes }: PageParts,
  user: UserDocument,
  nonce: string,
  error: ApiError | undefined,
): Shown {
  const reader = userReader(org, user.user_id);
  const { say } = reader;
  const secret = codes.secretOf(user.user_id, nonce);
  const otpauth_url = otpauthUrl(org.realm.current.name, user.email, secret);
  const code = input({
    name: 'code',
    label: say('factor.code'),
    type: 'text',
    required: true,
    autocomplete: 'one-time-code',
  });
  return shown(
    reader,
    html`<p>${say('factor.secret')}</p>
      <p><code>${base32(secret)}</code></p>
      <p><a href="${otpauth_url}">${say('factor.open-app')}</a></p>
      ${alert(reader, error)}${form(TWO_FACTOR_PATH, [code], say('factor.confirm'))}`,
    { secret: base32(secret), otpauth_url },
  );
}

/** The last step: recovery codes, which are shown this once. */
async function confirmed(parts: PageParts, user: UserDocument, code: string): Promise<Shown> {
  const { runtime, codes } = parts;
  const recovery_codes = await runtime.transact((tx) => confirmTwoFactor(tx, codes, user, code), {
    way: 'api',
    user,
  });
  const reader = userReader(runtime.org, user.user_id);
  return shown(
    reader,
    html`<p>${reader.say('factor.recovery')}</p>
      <ul>
        ${recovery_codes.map((one) => html`<li><code>${one}</code></li> `)}
      </ul>
      ${goOn(reader)}`,
    { recovery_codes },
  );
}

function shown(reader: Reader, content: Html, data: Shown['data']): Shown {
  return { page: layout(reader, reader.say('factor.title'), content), data };
}
