import { fetchApiKey } from '../../../schemas/realm/server-settings.js';
import { ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import type { TwoFactorDocument } from '../../../schemas/accounts/two-factor.js';
import {
  badRequest,
  loginNotProven,
  loginRefused,
  twoFactorRequired,
  twoFactorSetupRequired,
} from '../../errors/index.js';
import {
  isRightCode,
  lacksTwoFactor,
  twoFactorOf,
  useCode,
} from '../../organization/accounts/two-factor.js';
import type { OneTimeCodes } from '../../services/auth/one-time-codes.js';
import {
  checkedFullName,
  checkedNewEmail,
  isEmailAddress,
} from '../../organization/accounts/account-checks.js';
import { createUser, recordLogin } from '../../organization/accounts/accounts.js';
import { claimAccount } from '../../organization/accounts/password-reset.js';
import { rememberPlace } from '../../organization/accounts/login-places.js';
import { loginEnabled } from '../../organization/accounts/login-methods.js';
import type { Organization } from '../../organization/state/organization.js';
import type { Transaction } from '../../organization/state/transaction.js';
import { userByEmail } from '../../organization/views/user-view.js';
import type { ApiKeys } from '../../services/auth/api-keys.js';
import type {
  Directory,
  DirectoryAnswer,
  DirectoryPerson,
} from '../../services/auth/ldap-directory.js';
import type { Claimant } from '../../turns/fair-limiter.js';
import { claimantAt, type Passwords } from '../../services/auth/passwords.js';
import {
  clearAttempts,
  countAttempt,
  keyAt,
  nameCounts,
  placeOf,
  type LoginLimiter,
} from '../kernel/limiters.js';
import { welcomeUser } from '../../organization/invitations/welcome.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import type { EndpointDescriptor, ParamsOf } from '../../../schemas/endpoint.js';
import {
  handlePrepared,
  type AnyHandler,
  type CallerRequest,
  type HandlerReply,
} from '../kernel/handler.js';

/** Dependencies of logging in. */
export interface LoginParts {
  readonly passwords: Passwords;
  readonly keys: ApiKeys;
  readonly limiter: LoginLimiter;
  readonly markdown: Markdown;
  readonly codes: OneTimeCodes;
  /** Null or absent where the server has none configured. */
  readonly directory?: Directory | null;
  /** Ends the sockets of a user whose key has changed. */
  readonly closeSockets: (userId: number) => void;
}

/** A verified credential: the stored password, or an entry of the directory. */
type Proof =
  | { readonly by: 'password'; readonly userId: number; readonly hash: string }
  | { readonly by: 'directory'; readonly person: DirectoryPerson };

/**
 * `POST /fetch_api_key` (specification-endpoints.md#fetch-api-key; authentication.md#without-credentials). Neither the
 * reply nor its time reveals whether an account exists until the password is right: stored password and
 * directory are both asked in any case. Users in the directory, by name or by address, log in with the
 * directory's password only; all others with the stored one.
 */
export function fetchApiKeyHandler(parts: LoginParts): AnyHandler {
  return passwordLogin(fetchApiKey, parts, (tx, user) => {
    if (lacksTwoFactor(tx.org, user)) throw twoFactorSetupRequired();
    recordLogin(tx, user);
    const api_key = parts.keys.derive(user.user_id, user.key_version);
    return { api_key, email: user.email, user_id: user.user_id };
  });
}

/** What a login by password asks for. */
type LoginDescriptor = EndpointDescriptor<(typeof fetchApiKey)['params']>;

/** A login by user name and password. @param begin records it, and makes the reply */
export function passwordLogin<D extends LoginDescriptor>(
  endpoint: D,
  parts: LoginParts,
  begin: (tx: Transaction, user: UserDocument, request: CallerRequest<D>) => HandlerReply<D>,
): AnyHandler {
  const { keys, limiter, codes } = parts;
  return handlePrepared<D, Proof>(
    endpoint,
    async (org, request): Promise<Proof> => {
      const { remoteAddress } = request;
      const params = request.params as ParamsOf<LoginDescriptor>;
      const username = params.username.trim();
      const { attempt, proof } = await proven(org, parts, username, params.password, remoteAddress);
      const { counts } = attempt;
      const factor = factorOf(org, proof);
      const code = params.two_factor_code?.trim() ?? '';
      if (factor && code === '') throw twoFactorRequired();
      // It still counts as an attempt, so that nobody who knows the password can try all codes.
      if (factor && !isRightCode(codes, factor, code, org.now())) throw wrongCode();
      await clearAttempts(limiter, counts);
      return proof;
    },
    (tx, request, proof) => {
      const params = request.params as ParamsOf<LoginDescriptor>;
      assertSomeLogin(tx.org, parts);
      const user = proof.by === 'directory' ? personOf(tx, parts, proof.person) : holder(tx, proof);
      if (!user.is_active) throw loginRefused('USER_DEACTIVATED');
      const factor = factorOf(tx.org, proof);
      // Another login may have used the code meanwhile.
      if (factor && !useCode(tx, codes, factor, params.two_factor_code ?? '')) throw wrongCode();
      rememberPlace(tx, user, keys, request.remoteAddress);
      return begin(tx, user, request);
    },
  );
}

/**
 * Checks a name and a password, which counts as an attempt.
 * @throws ApiError where they are wrong
 */
async function proven(
  org: Organization,
  parts: LoginParts,
  username: string,
  password: string,
  remoteAddress: string,
): Promise<{ attempt: Attempt; proof: Proof }> {
  if (!mayBeUsername(org, parts, username)) throw badRequest('Enter a valid email address.');
  assertSomeLogin(org, parts);
  const user = loginUser(org, username);
  const place = placeOf(user, parts.keys, remoteAddress);
  const counts = nameCounts(username, user, place);
  await countAttempt(parts.limiter, counts);
  const claimant = claimantAt(remoteAddress, counts.at(-1)!, place !== '');
  const attempt = { username, user, password, claimant, counts, place };
  const proof = await prove(org, parts, attempt);
  if (!proof) throw loginRefused('AUTHENTICATION_FAILED');
  return { attempt, proof };
}

/** Whether a password is that of a user. It counts as an attempt to log in. @throws ApiError where it is not */
export async function provePassword(
  org: Organization,
  parts: LoginParts,
  {
    user,
    password,
    remoteAddress,
  }: { user: UserDocument; password: string; remoteAddress: string },
): Promise<void> {
  const { attempt } = await proven(org, parts, user.email, password, remoteAddress);
  await clearAttempts(parts.limiter, attempt.counts);
}

/** The second factor that a proof needs: of a password that is stored here. The directory has its own. */
function factorOf(org: Organization, proof: Proof): TwoFactorDocument | undefined {
  return proof.by === 'password' ? twoFactorOf(org, proof.userId) : undefined;
}

function wrongCode(): Error {
  return loginNotProven('Your two-factor code is incorrect, or was used already');
}

function hasDirectory(org: Organization, { directory }: LoginParts): boolean {
  return Boolean(directory) && loginEnabled(org, 'LDAP');
}

function mayBeUsername(org: Organization, parts: LoginParts, username: string): boolean {
  if (isEmailAddress(username)) return true;
  return username !== '' && hasDirectory(org, parts) && !parts.directory!.namesAreEmails;
}

/** @throws ApiError `REALM_DEACTIVATED` or `PASSWORD_AUTH_DISABLED` */
function assertSomeLogin(org: Organization, parts: LoginParts): void {
  if (org.realm.isDeactivated) throw loginRefused('REALM_DEACTIVATED');
  if (!loginEnabled(org, 'Email') && !hasDirectory(org, parts)) {
    throw loginRefused('PASSWORD_AUTH_DISABLED');
  }
}

/** One attempt to log in. */
interface Attempt {
  readonly username: string;
  /** The account that the name means here. */
  readonly user: UserDocument | undefined;
  readonly password: string;
  readonly claimant: Claimant;
  /** Keys under which the limiter counts it; the directory's answer may add one. */
  readonly counts: string[];
  readonly place: string;
}

async function prove(
  org: Organization,
  parts: LoginParts,
  attempt: Attempt,
): Promise<Proof | null> {
  const { user, password, claimant } = attempt;
  const hash = (loginEnabled(org, 'Email') && user?.password_hash) || null;
  // In parallel, because the sum of both times would reveal where an account is. Waits for both.
  const [checked, asked] = await Promise.allSettled([
    parts.passwords.verify(hash, password, claimant),
    askDirectory(org, parts, attempt),
  ]);
  if (asked.status === 'rejected') throw asked.reason;
  if (asked.value === 'wrong') return null;
  if (asked.value !== 'unknown') return { by: 'directory', person: asked.value };
  if (checked.status === 'rejected') throw checked.reason;
  if (!user || hash === null || !checked.value) return null;
  return { by: 'password', userId: user.user_id, hash };
}

/** @throws ApiError 503 when it does not answer, `RATE_LIMIT_HIT` for too many attempts on one entry */
async function askDirectory(
  org: Organization,
  parts: LoginParts,
  { username, user, password, counts, place }: Attempt,
): Promise<DirectoryAnswer> {
  if (!hasDirectory(org, parts)) return 'unknown';
  const email = user?.email ?? (isEmailAddress(username) ? username : null);
  const admit = async (entry: string): Promise<void> => {
    const count = `${keyAt(place)}entry ${entry}`;
    await parts.limiter.attempt(count);
    counts.push(count);
  };
  return parts.directory!.check({ username, password, email, admit });
}

/** The account of a user name; none for bots, which have keys but no passwords. */
function loginUser(org: Organization, username: string): UserDocument | undefined {
  const user = userByEmail(org, username);
  return user?.is_bot ? undefined : user;
}

function holder({ org }: Transaction, proof: Proof & { by: 'password' }): UserDocument {
  const user = org.users.get(proof.userId);
  // The password may have been changed while this one was checked.
  if (user?.password_hash !== proof.hash) throw loginRefused('AUTHENTICATION_FAILED');
  return user;
}

/** The account of a person in the directory; their first login creates it. */
function personOf(
  tx: Transaction,
  { directory, markdown, closeSockets }: LoginParts,
  person: DirectoryPerson,
): UserDocument {
  const known = tx.org.users.byRealEmail(person.email);
  if (known?.is_bot) throw loginRefused('AUTHENTICATION_FAILED');
  // The directory vouches for the address; a deactivated account is refused by the caller.
  if (known) {
    return known.is_active ? ofDirectory(tx, claimAccount(tx, known, closeSockets)) : known;
  }
  if (!directory?.createsAccounts) throw loginRefused('AUTHENTICATION_FAILED');
  // The directory decides who may join, so its domain counts as allowed.
  const email = checkedNewEmail(tx.org, person.email, [
    { domain: person.email.slice(person.email.lastIndexOf('@') + 1), allow_subdomains: false },
  ]);
  const full_name = checkedFullName(tx.org, person.fullName, null);
  const account = { email, full_name, role: ROLE.member, password_hash: null };
  const created = createUser(tx, account);
  welcomeUser(tx, markdown, created);
  return created;
}

/**
 * A person whose account the directory opens, and who still has a password of the time before: it would be a door without
 * the second factor that the organization demands, should the directory go, and here it opens nothing.
 */
function ofDirectory({ org }: Transaction, user: UserDocument): UserDocument {
  return lacksTwoFactor(org, user) ? org.users.update(user.user_id, { password_hash: null }) : user;
}
