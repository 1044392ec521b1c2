import { badRequest, loginRefused, type ApiError } from '../../errors/index.js';
import { isEmailAddress } from '../../organization/accounts/account-checks.js';
import { recordLogin } from '../../organization/accounts/accounts.js';
import { twoFactorOf } from '../../organization/accounts/two-factor.js';
import { loginEnabled } from '../../organization/accounts/login-methods.js';
import type { Organization } from '../../organization/state/organization.js';
import {
  requestPasswordReset,
  resetPassword,
  resetUser,
} from '../../organization/accounts/password-reset.js';
import { linkExpired } from '../../organization/mail/confirmations.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { html, type Html } from '../../services/text/html.js';
import { isAcceptablePassword } from '../../services/auth/password-strength.js';
import { claimantAt } from '../../services/auth/passwords.js';
import { isOfDirectory } from '../accounts/password-change.js';
import {
  alert,
  buttonLink,
  emailInput,
  form,
  goOn,
  layout,
  readerOf,
  userReader,
  withStrong,
  type Reader,
} from './layout.js';
import { loggedIn } from './browser-login.js';
import type { WebPage, WebPageRequest } from './page.js';
import { assertActive, isAboutForm, requiredField, type PageParts } from './parts.js';
import { passwordInput } from './sign-up.js';

const REQUEST_PATHS = ['/accounts/password/reset/', '/accounts/password/reset'];
const LINK_PATHS = [
  '/accounts/password/reset/{uid}/{token}/',
  '/accounts/password/reset/{uid}/{token}',
];

/** Setting a password without knowing the old one (endpoints-invitations.md#password-reset). */
export function passwordResetPages(parts: PageParts): WebPage[] {
  return [
    ...REQUEST_PATHS.flatMap((path) => requestPages(parts, path)),
    ...LINK_PATHS.flatMap((path) => linkPages(parts, path)),
  ];
}

/** @throws ApiError where login by password is disabled */
function assertPasswords(org: Organization): void {
  assertActive(org);
  if (!loginEnabled(org, 'Email')) throw loginRefused('PASSWORD_AUTH_DISABLED');
}

/** Pages that request a reset; neither reply nor response time reveals whether the account exists. */
function requestPages({ runtime, keys, limiter, directory }: PageParts, path: string): WebPage[] {
  return [
    {
      method: 'GET',
      path,
      async call(request) {
        assertPasswords(runtime.org);
        const reader = readerOf(runtime.org, request.language);
        return { page: requestForm(reader, request, undefined), data: {} };
      },
    },
    {
      method: 'POST',
      path,
      async call(request) {
        const { org } = runtime;
        assertPasswords(org);
        const email = requiredField(request, 'email').trim();
        if (!isEmailAddress(email)) throw badRequest('Enter a valid email address.');
        limiter.passwordReset(email, request.remoteAddress);
        // The directory owns its users' passwords; asked for every address, so that the time reveals nothing.
        const elsewhere = await isOfDirectory(org, directory, email);
        const user = elsewhere ? undefined : resettable(org, email);
        await runtime.secretly(user ? (tx) => requestPasswordReset(tx, keys, user) : null);
        return { page: sentPage(readerOf(org, request.language), email), data: {} };
      },
      again: (request, error) =>
        isAboutForm(error)
          ? requestForm(readerOf(runtime.org, request.language), request, error)
          : undefined,
    },
  ];
}

/** The active person with an address, whether or not they ever had a password. */
function resettable(org: Organization, email: string): UserDocument | undefined {
  const user = org.users.byRealEmail(email);
  return user && user.is_active && !user.is_bot ? user : undefined;
}

function linkPages(
  { runtime, passwords, closeSockets, directory, sessions }: PageParts,
  path: string,
): WebPage[] {
  const userOf = ({ values }: WebPageRequest): UserDocument =>
    resetUser(runtime.org, values.uid!, values.token!, runtime.org.now());
  return [
    {
      method: 'GET',
      path,
      async call(request) {
        assertPasswords(runtime.org);
        const { email, user_id } = userOf(request);
        const reader = userReader(runtime.org, user_id);
        return { page: passwordForm(reader, request, undefined), data: { email } };
      },
    },
    {
      method: 'POST',
      path,
      readsCookies: true,
      async call(request) {
        const { org } = runtime;
        assertPasswords(org);
        const { email, full_name, user_id } = userOf(request);
        const password = requiredField(request, 'password');
        if (await isOfDirectory(org, directory, email)) throw linkExpired();
        if (!isAcceptablePassword(password, [email, full_name])) {
          throw badRequest('New password is too weak!');
        }
        const hash = await passwords.hash(password, claimantAt(request.remoteAddress, email));
        // Checked again: another request may have used the link during the hashing.
        const login = await runtime.transact((tx) => {
          const user = userOf(request);
          const isKnown = sessions.isKnownDevice(user, request.cookies ?? '');
          resetPassword(tx, user, hash, closeSockets);
          // The link stands for the password, not for the code that a login asks for beside it.
          if (twoFactorOf(tx.org, user_id)) return {};
          const changed = tx.org.users.get(user_id)!;
          const begun = loggedIn(tx, sessions, changed, request);
          if (begun.cookies) recordLogin(tx, changed, isKnown);
          return begun;
        });
        return { page: donePage(userReader(org, user_id), email), data: { email }, ...login };
      },
      again: (request, error) =>
        isAboutForm(error)
          ? passwordForm(userReader(runtime.org, userOf(request).user_id), request, error)
          : undefined,
    },
  ];
}

function requestForm(
  reader: Reader,
  { fields }: WebPageRequest,
  error: ApiError | undefined,
): Html {
  const { say } = reader;
  const email = emailInput(reader, fields.get('email'));
  return layout(
    reader,
    say('reset.title'),
    html`${alert(reader, error)}${form(REQUEST_PATHS[0]!, [email], say('reset.send'))}`,
  );
}

function sentPage(reader: Reader, email: string): Html {
  const text = withStrong(reader, 'mailbox.password', { email });
  return layout(
    reader,
    reader.say('mailbox.title'),
    html`<p>${text}</p>
      ${goOn(reader)}`,
  );
}

function passwordForm(
  reader: Reader,
  { values }: WebPageRequest,
  error: ApiError | undefined,
): Html {
  const { say } = reader;
  const [uid, token] = [encodeURIComponent(values.uid!), encodeURIComponent(values.token!)];
  const action = `/accounts/password/reset/${uid}/${token}/`;
  const fields = [passwordInput(reader, say('field.new-password'))];
  return layout(
    reader,
    say('reset.title'),
    html`${alert(reader, error)}
      <p>${say('reset.apps')}</p>
      ${form(action, fields, say('reset.set'))}`,
  );
}

function donePage(reader: Reader, email: string): Html {
  const { say } = reader;
  return layout(
    reader,
    say('reset.done'),
    html`<p>${withStrong(reader, 'reset.log-in', { email })}</p>
      ${buttonLink('/login/', say('login.title'))}`,
  );
}
