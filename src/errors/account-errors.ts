import { ApiError, badRequest } from './api-error.js';

/** A role is required: `Must be an organization {who}`. */
export function mustBe(who: 'owner' | 'administrator' | 'member'): ApiError {
  return new ApiError(400, 'UNAUTHORIZED_PRINCIPAL', `Must be an organization ${who}`);
}

/** Somebody on whose behalf the caller acts is not an active user. */
export function unauthorizedPrincipal(principal: number | string): ApiError {
  const text = `User not authorized to execute queries on behalf of '${principal}'`;
  return new ApiError(403, 'UNAUTHORIZED_PRINCIPAL', text, { principal });
}

/** Somebody must remain: the last owner, or the last account at all. */
export function cannotDeactivateLastUser(isLastOwner: boolean): ApiError {
  const entity = isLastOwner ? 'organization owner' : 'user';
  return new ApiError(400, 'CANNOT_DEACTIVATE_LAST_USER', `Cannot deactivate the only ${entity}.`, {
    is_last_owner: isLastOwner,
    entity,
  });
}

const BASIC_CHALLENGE = { 'WWW-Authenticate': 'Basic realm="zulip"' };

/** Failed Basic authentication: always `UNAUTHORIZED`, with the specific text (authentication.md#basic). */
export function unauthorized(message: string): ApiError {
  return new ApiError(401, 'UNAUTHORIZED', message, {}, BASIC_CHALLENGE);
}

/** For a browser, which is led to the page to log in. */
export function notLoggedIn(location: string): ApiError {
  return new ApiError(302, 'UNAUTHORIZED', 'Not logged in', {}, { Location: location });
}

/** What is for programs alone, asked for with the session of a browser. */
export function needsKey(): ApiError {
  return badRequest('This API is only available with an API key.');
}

/** Every request in a deactivated organization (authentication.md#basic). */
export function organizationDeactivated(): ApiError {
  return unauthorized(DEACTIVATED);
}

/** A page of another site made a browser send credentials. */
export function csrfFailed(): ApiError {
  const reason = 'Origin not allowed';
  return new ApiError(403, 'CSRF_FAILED', `CSRF error: ${reason}`, { reason });
}

/** What one reads of a deactivated organization, at logins and elsewhere. */
const DEACTIVATED = 'This organization has been deactivated';

/** Refused key fetch (authentication.md#without-credentials): 401 without a challenge. */
export function loginRefused(
  code:
    | 'AUTHENTICATION_FAILED'
    | 'USER_DEACTIVATED'
    | 'REALM_DEACTIVATED'
    | 'PASSWORD_AUTH_DISABLED'
    | 'PASSWORD_RESET_REQUIRED',
): ApiError {
  const texts = {
    AUTHENTICATION_FAILED: 'Your username or password is incorrect',
    USER_DEACTIVATED: 'Account is deactivated',
    REALM_DEACTIVATED: DEACTIVATED,
    PASSWORD_AUTH_DISABLED: 'Password authentication is disabled in this organization',
    PASSWORD_RESET_REQUIRED: 'Your password has been disabled and needs to be reset',
  };
  return new ApiError(401, code, texts[code]);
}

/** The password is right, and the account needs a code besides. */
export function twoFactorRequired(): ApiError {
  const text =
    'Two-factor authentication is on: log in with the code of your authenticator app (two_factor_code)';
  return new ApiError(401, 'TWO_FACTOR_REQUIRED', text);
}

/**
 * The organization demands a second factor that the account does not have yet (endpoints-users.md#two-factor-demanded).
 * @param status 403 where there is a session, with which it can be set up
 */
export function twoFactorSetupRequired(status: 401 | 403 = 401): ApiError {
  const text =
    'This organization demands two-factor authentication: log in with a browser and set it up';
  const headers = status === 401 ? BASIC_CHALLENGE : {};
  return new ApiError(status, 'TWO_FACTOR_SETUP_REQUIRED', text, {}, headers);
}

/** A login by another service that proves nothing, or nothing about anybody here. */
export function loginNotProven(message: string): ApiError {
  return new ApiError(401, 'AUTHENTICATION_FAILED', message);
}

/** A login by another service that came to no end: cancelled, too old, begun in another browser. */
export function loginNotFinished(message: string): ApiError {
  return badRequest(message);
}

/** An address that was not invited: why, and whether its account is deactivated. */
export type InvitationTriple = readonly [address: string, reason: string, deactivated: boolean];

/** Some or all invitations were not sent (specification.md#errors). */
export function invitationFailed(
  message: string,
  errors: readonly InvitationTriple[],
  flags: { readonly sent?: boolean; readonly dailyLimit?: boolean } = {},
): ApiError {
  return new ApiError(400, 'INVITATION_FAILED', message, {
    errors,
    sent_invitations: flags.sent ?? false,
    license_limit_reached: false,
    daily_limit_reached: flags.dailyLimit ?? false,
  });
}

/** A bot on an endpoint for people (errors.md#permission-messages). */
export function botsNotAccepted(): ApiError {
  return badRequest('This endpoint does not accept bot requests.');
}

/** A guest on an endpoint for members (errors.md#permission-messages). */
export function guestsNotAllowed(): ApiError {
  return badRequest('Not allowed for guest users');
}
