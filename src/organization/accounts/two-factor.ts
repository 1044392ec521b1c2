import type { TwoFactorDemand } from '../../../schemas/realm/realm-document.js';
import { ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import type { TwoFactorDocument } from '../../../schemas/accounts/two-factor.js';
import { badRequest } from '../../errors/index.js';
import {
  newRecoveryCodes,
  recoveryHash,
  stepOfCode,
  type OneTimeCodes,
} from '../../services/auth/one-time-codes.js';
import { newToken } from '../../services/auth/random-token.js';
import type { Organization } from '../state/organization.js';
import type { Transaction } from '../state/transaction.js';
import { loginEnabled } from './login-methods.js';

/** The second factor of a user's password logins; undefined where they need none. */
export function twoFactorOf(org: Organization, userId: number): TwoFactorDocument | undefined {
  const found = org.twoFactors.get(userId);
  return found?.two_factor === true ? found : undefined;
}

/** Of whom the organization demands a second factor. */
export function twoFactorDemand(org: Organization): TwoFactorDemand {
  return org.realm.current.require_two_factor ?? 'nobody';
}

/**
 * Whether the organization demands a second factor of an account (endpoints-users.md#two-factor-demanded): of a person
 * whose stored password opens it. Who logs in elsewhere alone has the second factor of that place.
 */
export function needsTwoFactor(
  org: Organization,
  { is_bot, role, password_hash }: UserDocument,
  demand: TwoFactorDemand = twoFactorDemand(org),
): boolean {
  if (demand === 'nobody' || is_bot || password_hash === null) return false;
  if (demand === 'administrators' && role > ROLE.administrator) return false;
  return loginEnabled(org, 'Email');
}

/** Whether an account has yet to set up the second factor that is demanded: until then it can do nothing else. */
export function lacksTwoFactor(
  org: Organization,
  user: UserDocument,
  demand?: TwoFactorDemand,
): boolean {
  return needsTwoFactor(org, user, demand) && twoFactorOf(org, user.user_id) === undefined;
}

/** Begins the set-up of a second factor; repeating it makes another secret. @throws ApiError where it is on */
export function beginTwoFactor(
  tx: Transaction,
  codes: OneTimeCodes,
  { user_id }: UserDocument,
): Buffer {
  if (twoFactorOf(tx.org, user_id)) throw badRequest('Two-factor authentication is on already.');
  const nonce = newToken();
  const begun = { user_id, two_factor: false, nonce, last_step: 0, recovery_codes: [] };
  tx.org.twoFactors.insert(begun);
  return codes.secretOf(user_id, nonce);
}

/** Enables it with a first code. @returns recovery codes, which are shown only once */
export function confirmTwoFactor(
  tx: Transaction,
  codes: OneTimeCodes,
  { user_id }: UserDocument,
  code: string,
): string[] {
  const begun = tx.org.twoFactors.get(user_id);
  if (begun?.two_factor === true) throw badRequest('Two-factor authentication is on already.');
  if (!begun) throw badRequest('Two-factor authentication was not begun.');
  const step = stepOfCode(codes.secretOf(user_id, begun.nonce), code, tx.now);
  if (step === null) throw badRequest('Invalid two-factor code.');
  const recovery = newRecoveryCodes();
  tx.org.twoFactors.update(user_id, {
    two_factor: true,
    last_step: step,
    recovery_codes: recovery.map(recoveryHash),
  });
  return recovery;
}

/** Whether a code would be right now: of the app, of no step that was used before, or a recovery code. */
export function isRightCode(
  codes: OneTimeCodes,
  factor: TwoFactorDocument,
  code: string,
  now: number,
): boolean {
  return useOf(codes, factor, code, now) !== null;
}

/** Consumes a code. @returns false for one that is wrong or was used before; then nothing changes */
export function useCode(
  tx: Transaction,
  codes: OneTimeCodes,
  factor: TwoFactorDocument,
  code: string,
): boolean {
  const use = useOf(codes, factor, code, tx.now);
  if (use === null) return false;
  tx.org.twoFactors.update(factor.user_id, use);
  return true;
}

/** The fields that consuming a code changes; null for one that is wrong or used. */
function useOf(
  codes: OneTimeCodes,
  { user_id, nonce, last_step, recovery_codes }: TwoFactorDocument,
  code: string,
  now: number,
): Partial<TwoFactorDocument> | null {
  const step = stepOfCode(codes.secretOf(user_id, nonce), code, now);
  if (step !== null) return step > last_step ? { last_step: step } : null;
  const hash = recoveryHash(code);
  if (!recovery_codes.includes(hash)) return null;
  return { recovery_codes: recovery_codes.filter((one) => one !== hash) };
}

/** Disables it, whether enabled or only begun. @returns false where there was none */
export function removeTwoFactor(tx: Transaction, userId: number): boolean {
  const found = tx.org.twoFactors.get(userId);
  if (found) tx.org.twoFactors.delete(userId);
  return found !== undefined;
}
