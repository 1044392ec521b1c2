import * as descriptors from '../../../schemas/accounts/two-factor.js';
import { badRequest } from '../../errors/index.js';
import {
  beginTwoFactor,
  confirmTwoFactor,
  isRightCode,
  needsTwoFactor,
  removeTwoFactor,
  twoFactorOf,
  useCode,
} from '../../organization/accounts/two-factor.js';
import { base32, otpauthUrl, type OneTimeCodes } from '../../services/auth/one-time-codes.js';
import { handle, handlePrepared, type AnyHandler } from '../kernel/handler.js';
import { checkPassword, forgetAttempts, type PasswordParts } from './password-change.js';

/** Dependencies of two-factor authentication. */
export interface TwoFactorParts extends PasswordParts {
  readonly codes: OneTimeCodes;
}

/** The second factor of logins by password (endpoints-users.md#two-factor). */
export function twoFactorHandlers(parts: TwoFactorParts): AnyHandler[] {
  const { codes } = parts;
  return [
    handle(descriptors.getTwoFactor, ({ org }, { user }) => {
      const factor = twoFactorOf(org, user.user_id);
      const recovery_codes_left = factor?.recovery_codes.length ?? 0;
      return { enabled: factor !== undefined, recovery_codes_left };
    }),
    handlePrepared(
      descriptors.beginTwoFactor,
      async (org, request) => {
        const { user, params } = request;
        // A second factor of nothing would protect nothing.
        if (user.password_hash === null) throw badRequest('Your account has no password.');
        await checkPassword(org, parts, request, params.password);
        await forgetAttempts(parts, request);
      },
      (tx, { user }) => {
        const secret = beginTwoFactor(tx, codes, user);
        const { name } = tx.org.realm.current;
        return { secret: base32(secret), otpauth_url: otpauthUrl(name, user.email, secret) };
      },
    ),
    handle(descriptors.confirmTwoFactor, (tx, { user, params }) => ({
      recovery_codes: confirmTwoFactor(tx, codes, user, params.code),
    })),
    handlePrepared(
      descriptors.removeTwoFactor,
      async (org, request) => {
        const { password, code } = request.params;
        const factor = twoFactorOf(org, request.user.user_id);
        if (!factor) throw badRequest('Two-factor authentication is off.');
        if (needsTwoFactor(org, request.user)) throw demanded();
        await checkPassword(org, parts, request, password);
        if (!isRightCode(codes, factor, code, org.now())) throw wrongCode();
        await forgetAttempts(parts, request);
      },
      (tx, { user, params }) => {
        const factor = twoFactorOf(tx.org, user.user_id);
        if (needsTwoFactor(tx.org, user)) throw demanded();
        if (factor && !useCode(tx, codes, factor, params.code)) throw wrongCode();
        removeTwoFactor(tx, user.user_id);
        return {};
      },
    ),
  ];
}

/** Who turned it off could do nothing but turn it on again. */
function demanded() {
  return badRequest('This organization demands two-factor authentication.');
}

function wrongCode() {
  return badRequest('Invalid two-factor code.');
}
