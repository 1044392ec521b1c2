import type { UserDocument } from '../../../schemas/users/user-document.js';
import { badRequest } from '../../errors/index.js';
import { loginEnabled } from '../../organization/accounts/login-methods.js';
import type { Organization } from '../../organization/state/organization.js';
import {
  checkPassword,
  forgetAttempts,
  isOfDirectory,
  type PasswordParts,
} from './password-change.js';

/** A login as recent as this has just given the password, milliseconds. */
const RECENT_LOGIN_MS = 10 * 60_000;

/** Who asks, from where, and with which session of a browser. */
interface Asking {
  readonly user: UserDocument;
  readonly remoteAddress: string;
  readonly sessionId?: number;
}

/**
 * Checks the caller's password wherever it is given. Who changes their own address gives it, or has just logged in:
 * whoever has the address gets new passwords mailed, so a key or a session that somebody left behind is not enough
 * (endpoints-invitations.md#email-change).
 * @throws ApiError such as `Wrong password!`
 */
export async function requireProof(
  org: Organization,
  parts: PasswordParts,
  asking: Asking,
  oldPassword: string | undefined,
  changesOwnAddress: boolean,
): Promise<void> {
  if (oldPassword !== undefined && oldPassword !== '') {
    await checkPassword(org, parts, asking, oldPassword);
    await forgetAttempts(parts, asking);
    return;
  }
  const { user, sessionId } = asking;
  if (!changesOwnAddress || user.password_hash === null || !loginEnabled(org, 'Email')) return;
  const session = sessionId === undefined ? undefined : org.sessions.get(sessionId);
  if (session && org.now() - session.created_at < RECENT_LOGIN_MS) return;
  throw badRequest('To change your address, log in again, or give your password as old_password.');
}

/**
 * Whether a request names another address than the user has, but for its case.
 * @param raw as it was sent; absent: none
 */
export function isOtherAddress({ email }: UserDocument, raw: string | undefined): boolean {
  return raw !== undefined && raw.trim().toLowerCase() !== email.toLowerCase();
}

/** Refuses a new address to people in the directory, which would no longer find them. @throws ApiError */
export async function refuseOfDirectory(
  org: Organization,
  { directory }: PasswordParts,
  { email }: UserDocument,
): Promise<void> {
  if (!(await isOfDirectory(org, directory, email))) return;
  throw badRequest('Email address changes are disabled in this organization.');
}
