import type { Markdown } from '../../services/markdown/markdown.js';
import type { LinkKeys } from '../../services/auth/link-keys.js';
import type { Directory } from '../../services/auth/ldap-directory.js';
import type { ApiKeys } from '../../services/auth/api-keys.js';
import type { BigBlueButton } from '../../services/calls/big-blue-button.js';
import type { OpenIdProvider } from '../../services/auth/openid-provider.js';
import type { SealedState } from '../../services/auth/sealed-state.js';
import type { Passwords } from '../../services/auth/passwords.js';
import {
  ApiError,
  badRequest,
  loginRefused,
  missingArgument,
  twoFactorSetupRequired,
} from '../../errors/index.js';
import type { UserDocument } from '../../../schemas/users/user-document.js';
import { lacksTwoFactor } from '../../organization/accounts/two-factor.js';
import type { OneTimeCodes } from '../../services/auth/one-time-codes.js';
import type { Organization } from '../../organization/state/organization.js';
import { takenFault } from '../../organization/accounts/account-checks.js';
import type { PresenceTracker } from '../../organization/presence/presence-tracker.js';
import type { SessionCookies } from '../accounts/session-cookies.js';
import type { LoginLimiter, MailLimiter } from '../kernel/limiters.js';
import type { WebPageRequest, PageRuntime, Redirected } from './page.js';

/** Dependencies of all pages. */
export interface PageParts {
  readonly runtime: PageRuntime;
  readonly keys: LinkKeys;
  readonly passwords: Passwords;
  readonly markdown: Markdown;
  readonly limiter: MailLimiter;
  /** Counts passwords that are tried. */
  readonly logins: LoginLimiter;
  readonly codes: OneTimeCodes;
  readonly presence: PresenceTracker;
  /** Null or absent where the server has none configured. */
  readonly directory?: Directory | null;
  /** Services that logins can be made by; absent: none. */
  readonly providers?: readonly OpenIdProvider[];
  /** What a browser keeps while somebody logs in by one of them; absent where there are none. */
  readonly loginState?: SealedState;
  /** What a browser hands to a desktop app after such a login; absent as above. */
  readonly desktopTokens?: SealedState;
  /** What browsers keep of their sessions. */
  readonly sessions: SessionCookies;
  /** Null or absent where none is configured. */
  readonly bigBlueButton?: BigBlueButton | null;
  /** Makes the keys of API users. */
  readonly apiKeys: ApiKeys;
  /** Closes the sockets of a user whose key has changed. */
  readonly closeSockets: (userId: number) => void;
}

/** Path of the page on which people set up their second factor. */
export const TWO_FACTOR_PATH = '/accounts/two-factor/';

/** Where somebody is led first who has to set it up; null for everybody else. */
export function leadToTwoFactor(org: Organization, user: UserDocument): Redirected | null {
  if (!lacksTwoFactor(org, user)) return null;
  return { location: TWO_FACTOR_PATH, refusal: twoFactorSetupRequired(403) };
}

/** Path of the page that explains how to log in. */
export const LOGIN_PATH = '/login/';

/** A required field of a form. @throws ApiError `Missing '{name}' argument` */
export function requiredField({ fields }: WebPageRequest, name: string): string {
  const value = fields.get(name);
  if (value === undefined) throw missingArgument(name);
  return value;
}

/** @throws ApiError `REALM_DEACTIVATED` */
export function assertActive(org: Organization): void {
  if (org.realm.isDeactivated) throw loginRefused('REALM_DEACTIVATED');
}

/** A redirect to the login page for an address with an account (endpoints-invitations.md#refused-links); else null. */
export function redirectIfTaken(org: Organization, email: string): Redirected | null {
  const taken = takenFault(org, email);
  if (!taken) return null;
  const location = `${LOGIN_PATH}?email=${encodeURIComponent(email)}`;
  return { location, refusal: badRequest(taken.reason) };
}

/** Whether an error is about a filled-in field, so that the form is shown again. */
export function isAboutForm(error: ApiError): boolean {
  return error.status === 400 || error.status === 429;
}
