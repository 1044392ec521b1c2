import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from '../../../schemas/limits.js';
import {
  settingFault,
  USER_SETTINGS,
  type UserSettings,
} from '../../../schemas/users/user-settings.js';
import { badRequest, type ApiError } from '../../errors/index.js';
import { checkedFullName } from '../../organization/accounts/account-checks.js';
import {
  admissionOf,
  checkMaySignUp,
  joinOrganization,
  type Admission,
} from '../../organization/invitations/join.js';
import { loginEnabled } from '../../organization/accounts/login-methods.js';
import type { Organization } from '../../organization/state/organization.js';
import { chosenLanguage } from '../../organization/views/languages.js';
import { html, type Html } from '../../services/text/html.js';
import { isAcceptablePassword } from '../../services/auth/password-strength.js';
import { claimantAt } from '../../services/auth/passwords.js';
import { isOfDirectory } from '../accounts/password-change.js';
import {
  alert,
  buttonLink,
  form,
  hidden,
  input,
  layout,
  readerOf,
  withParts,
  withStrong,
  type Reader,
} from './layout.js';
import { loggedIn } from './browser-login.js';
import type { WebPage, WebPageRequest } from './page.js';
import {
  assertActive,
  isAboutForm,
  redirectIfTaken,
  requiredField,
  type PageParts,
} from './parts.js';

const REGISTER_PATH = '/accounts/register/';

/**
 * The page behind a mailed link, and the form it shows (endpoints-invitations.md#confirmation-links to
 * endpoints-invitations.md#sign-up-messages).
 */
export function signUpPages(parts: PageParts): WebPage[] {
  return [confirmPage(parts), registerPage(parts)];
}

function confirmPage({ runtime }: PageParts): WebPage {
  return {
    method: 'GET',
    path: '/accounts/do_confirm/{key}',
    async call({ values, language }) {
      const { org } = runtime;
      assertActive(org);
      const key = values.key!;
      const { email } = admissionOf(org, key, org.now());
      const elsewhere = redirectIfTaken(org, email);
      if (elsewhere) return elsewhere;
      checkMaySignUp(org, email);
      const { name } = org.realm.current;
      return {
        page: registrationForm(readerOf(org, language), { key, email, fields: new Map() }),
        data: { key, email, realm_name: name, password_required: loginEnabled(org, 'Email') },
      };
    },
  };
}

function registerPage({ runtime, passwords, markdown, directory, sessions }: PageParts): WebPage {
  return {
    method: 'POST',
    path: REGISTER_PATH,
    readsCookies: true,
    async call(request) {
      const { org } = runtime;
      assertActive(org);
      const key = requiredField(request, 'key');
      const admission = admissionOf(org, key, org.now());
      const elsewhere = redirectIfTaken(org, admission.email);
      if (elsewhere) return elsewhere;
      // Before the costly hashing; checked again below, because the organization may change meanwhile.
      checkMaySignUp(org, admission.email);
      const name = checkedFullName(org, requiredField(request, 'full_name'), null);
      const settings = { ...chosenLanguage(org, request.language), ...chosenSettings(request) };
      const password = checkedPassword(org, request, admission, name);
      // People in the directory log in with its password, and get none here.
      const ofDirectory = await isOfDirectory(org, directory, admission.email);
      const claimant = claimantAt(request.remoteAddress, admission.email);
      const password_hash =
        password === null || ofDirectory ? null : await passwords.hash(password, claimant);
      const joined = await runtime.transact((tx) => {
        assertActive(tx.org);
        // A form that was sent twice has created its account: redirect instead of refusing the used link.
        const taken = redirectIfTaken(tx.org, admission.email);
        if (taken) return taken;
        const again = admissionOf(tx.org, key, tx.now);
        checkMaySignUp(tx.org, again.email);
        const full_name = checkedFullName(tx.org, name, null);
        const newcomer = { full_name, password_hash, settings };
        const user = joinOrganization(tx, markdown, again, newcomer);
        // Who is asked for no password here has still to show who they are.
        const login = password_hash === null ? {} : loggedIn(tx, sessions, user, request);
        return { user, login };
      });
      if ('location' in joined) return joined;
      const { user, login } = joined;
      return {
        page: welcomePage(readerOf(org, request.language), user.email),
        data: { user_id: user.user_id, email: user.email, realm_url: org.site.url },
        ...login,
      };
    },
    again({ fields, language }, error) {
      const key = fields.get('key');
      if (key === undefined || !isAboutForm(error)) return undefined;
      const { org } = runtime;
      // Errors of the key itself are 404 and not passed to this function.
      const { email } = admissionOf(org, key, org.now());
      return registrationForm(readerOf(org, language), { key, email, fields, error });
    },
  };
}

/** Settings that can be chosen at sign-up; an empty field chooses none. @throws ApiError */
function chosenSettings({ fields }: WebPageRequest): Partial<UserSettings> {
  const settings: { timezone?: string; email_address_visibility?: 1 | 2 | 3 | 4 | 5 } = {};
  const timezone = fields.get('timezone')?.trim() ?? '';
  const fault = settingFault('timezone', timezone);
  if (fault !== undefined) throw badRequest(fault);
  if (timezone !== '') settings.timezone = timezone;
  const visibility = fields.get('email_address_visibility') ?? '';
  if (visibility === '') return settings;
  const chosen = VISIBILITIES.find(([value]) => String(value) === visibility)?.[0];
  if (chosen === undefined) throw badRequest('Invalid email_address_visibility');
  if (chosen !== USER_SETTINGS.email_address_visibility.default) {
    settings.email_address_visibility = chosen;
  }
  return settings;
}

/** Null where login by password is disabled. @throws ApiError */
function checkedPassword(
  org: Organization,
  request: WebPageRequest,
  { email }: Admission,
  name: string,
): string | null {
  if (!loginEnabled(org, 'Email')) return null;
  const password = requiredField(request, 'password');
  if (isAcceptablePassword(password, [email, name])) return password;
  throw badRequest('The password is too weak.');
}

/** Choices of `email_address_visibility`, with their labels. */
const VISIBILITIES = [
  [1, 'visibility.everyone'],
  [2, 'visibility.members'],
  [5, 'visibility.moderators'],
  [3, 'visibility.administrators'],
  [4, 'visibility.nobody'],
] as const;

interface Registration {
  readonly key: string;
  readonly email: string;
  /** Values of the previous attempt. */
  readonly fields: ReadonlyMap<string, string>;
  readonly error?: ApiError;
}

function registrationForm(reader: Reader, { key, email, fields, error }: Registration): Html {
  const { org, say } = reader;
  const asked = [
    hidden('key', key),
    input({
      name: 'full_name',
      label: say('field.name'),
      type: 'text',
      value: fields.get('full_name'),
      required: true,
      autocomplete: 'name',
      maxLength: 100,
    }),
    ...(loginEnabled(org, 'Email') ? [passwordInput(reader, say('field.password'))] : []),
    visibilityInput(reader, fields.get('email_address_visibility') ?? '1'),
  ];
  return layout(
    reader,
    say('join.title', { organization: org.realm.current.name }),
    html`${alert(reader, error)}
      <p>${withStrong(reader, 'sign-up.address', { email })}</p>
      ${form(REGISTER_PATH, asked, say('sign-up.create'))}`,
  );
}

/** A field for a new password. */
export function passwordInput({ say }: Reader, label: string): Html {
  return input({
    name: 'password',
    label,
    type: 'password',
    required: true,
    autocomplete: 'new-password',
    minLength: PASSWORD_MIN_LENGTH,
    maxLength: PASSWORD_MAX_LENGTH,
    hint: say('field.password-hint', { length: PASSWORD_MIN_LENGTH }),
  });
}

function visibilityInput({ say }: Reader, chosen: string): Html {
  const options = VISIBILITIES.map(
    ([value, label]) =>
      html`<option value="${value}" ${String(value) === chosen && html` selected`}>
        ${say(label)}
      </option> `,
  );
  return html`<p>
    <label for="email_address_visibility">${say('field.visibility')}</label>
    <select id="email_address_visibility" name="email_address_visibility">
      ${options}
    </select>
  </p> `;
}

/** Client apps, for people who just joined. */
const APPS = [
  ['app.zulip', 'Zulip', 'https://zulip.com/apps/'],
  ['app.terminal', 'zulip-terminal', 'https://github.com/zulip/zulip-terminal'],
] as const;

function welcomePage(reader: Reader, email: string): Html {
  const { org, say } = reader;
  const apps = APPS.map(
    ([id, name, url]) =>
      html`<li>${withParts(say, id, { app: html`<a href="${url}">${name}</a>` })}</li> `,
  );
  return layout(
    reader,
    say('sign-up.ready'),
    html`<p>${withStrong(reader, 'sign-up.log-in-as', { email })}</p>
      ${buttonLink('/login/', say('sign-up.here'))}
      <p>${withStrong(reader, 'sign-up.app', { url: org.site.url })}</p>
      <ul>
        ${apps}
      </ul>`,
  );
}
