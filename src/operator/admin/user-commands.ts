/** `parley users`, `parley keys`, `parley grant` and `parley revoke`. */
import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
import { hasPasswordLength, PASSWORD_LENGTHS } from '../../../schemas/password.js';
import {
  deactivateUser,
  reactivateUser,
  updateUser,
} from '../../../schemas/users/user-administration.js';
import { ROLE, USER_RIGHTS } from '../../../schemas/users/user-document.js';
import { badRequest } from '../../errors/index.js';
import { rightChange } from '../../organization/access/permissions.js';
import { checkedFullName, checkedNewEmail } from '../../organization/accounts/account-checks.js';
import { createUser } from '../../organization/accounts/accounts.js';
import {
  logOutEverywhere,
  openPasswordReset,
  resetPassword,
} from '../../organization/accounts/password-reset.js';
import { removeTwoFactor } from '../../organization/accounts/two-factor.js';
import { welcomeUser } from '../../organization/invitations/welcome.js';
import { linkUrl } from '../../organization/mail/texts.js';
import { OPERATOR } from '../../organization/state/audited.js';
import { changeRole } from '../../organization/users/role-change.js';
import { newToken } from '../../services/auth/random-token.js';
import { accountOf, hasOwner, rightSentence, roleFrom, userRow, callAsOwner } from './accounts.js';
import type { AdminNode, AdminRequest, Work } from './admin-request.js';
import { eraseUser } from './user-erasure.js';
import { exportUser } from './user-export.js';
import { importUsers } from './user-import.js';

export const USER_COMMANDS: Readonly<Record<string, Work>> = {
  'users list': ({ served }, { flags }) =>
    [...served.org.users.values()]
      .filter((user) => !user.is_system_bot && (flags['all'] === true || user.is_active))
      .map(userRow),
  'users create': create,
  'users import': importUsers,
  'users role': (node, { args: [email = '', role = ''] }) => {
    const wanted = roleFrom(role);
    const user = accountOf(node, email);
    const { user_id } = user;
    // Nobody has the right to make the first owner of an organization that came without one.
    if (wanted === ROLE.owner && user.is_active && !user.is_bot && !hasOwner(node)) {
      node.served.runtime.transact((tx) => changeRole(tx, user, wanted), OPERATOR);
      return userRow(accountOf(node, String(user_id)));
    }
    return change(node, updateUser, { user_id, role: wanted });
  },
  'users deactivate': (node, { args: [email = ''] }) => {
    const { user_id } = accountOf(node, email);
    return change(node, deactivateUser, { user_id });
  },
  'users reactivate': (node, { args: [email = ''] }) => {
    const { user_id } = accountOf(node, email);
    return change(node, reactivateUser, { user_id });
  },
  'users reset-password': newPassword,
  'users two-factor-off': twoFactorOff,
  'users login-link': loginLink,
  'users export': exportUser,
  'users erase': eraseUser,
  'keys revoke': revokeKeys,
  grant: (node, request) => changeRight(node, request, true),
  revoke: (node, request) => changeRight(node, request, false),
};

/** Calls an endpoint. @returns the account afterwards */
async function change(
  node: AdminNode,
  endpoint: EndpointDescriptor,
  params: Readonly<Record<string, unknown>> & { readonly user_id: number },
): Promise<unknown> {
  await callAsOwner(node, endpoint, params);
  return userRow(node.served.org.users.get(params.user_id)!);
}

async function create(node: AdminNode, { args, flags }: AdminRequest): Promise<unknown> {
  const [address = '', name = ''] = args;
  const { served } = node;
  const { parts, runtime } = served;
  const checked = () => ({
    email: checkedNewEmail(served.org, address, served.org.domains.list()),
    full_name: checkedFullName(served.org, name, null),
    role: roleFrom(flags['role']),
  });
  checked();
  const { password, shown } = passwordFrom(flags);
  const password_hash = await parts.passwords.hash(password);
  const created = runtime.transact((tx) => {
    const user = createUser(tx, { ...checked(), password_hash, awaits_first_login: true });
    welcomeUser(tx, parts.markdown, user);
    return user;
  }, OPERATOR);
  return { ...userRow(created), ...shown };
}

async function newPassword(node: AdminNode, { args, flags }: AdminRequest): Promise<unknown> {
  const { parts, runtime, queues } = node.served;
  const { user_id } = accountOf(node, args[0] ?? '');
  const { password, shown } = passwordFrom(flags);
  const hash = await parts.passwords.hash(password);
  runtime.transact((tx) => {
    const user = personOf(node, String(user_id));
    resetPassword(tx, user, hash, (id) => queues.closeSocketsOf(id));
  }, OPERATOR);
  return { ...userRow(accountOf(node, String(user_id))), ...shown };
}

/** Turns two-factor authentication off, for a user who has lost the app and the recovery codes. */
function twoFactorOff(node: AdminNode, { args: [email = ''] }: AdminRequest): unknown {
  const { user_id } = accountOf(node, email);
  const had = node.served.runtime.transact((tx) => removeTwoFactor(tx, user_id), OPERATOR);
  if (!had) throw badRequest(`${email} has no second factor`);
  return userRow(accountOf(node, String(user_id)));
}

/** The password that was given, or a new one, which is shown once. */
function passwordFrom(flags: AdminRequest['flags']) {
  const given = flags['password'];
  if (typeof given === 'string') {
    if (!hasPasswordLength(given)) throw badRequest(`Too short or too long: ${PASSWORD_LENGTHS}`);
    return { password: given, shown: {} };
  }
  const password = newToken();
  return { password, shown: { password } };
}

/** A link by which a user whom no mail reaches sets their password. It works once, for one day. */
function loginLink(node: AdminNode, { args: [email = ''] }: AdminRequest): unknown {
  const { parts, runtime, org } = node.served;
  const user = personOf(node, email);
  if (!user.is_active) throw badRequest(`${user.email} is deactivated`);
  const { nonce } = runtime.transact(
    (tx) => openPasswordReset(tx, parts.linkKeys, user, null),
    OPERATOR,
  );
  const key = parts.linkKeys.key(nonce);
  return { email: user.email, link: linkUrl(org.site.url, 'password_reset', key, user.user_id) };
}

/** Logs an account out everywhere. */
function revokeKeys(node: AdminNode, { args: [email = ''] }: AdminRequest): unknown {
  const { runtime, queues } = node.served;
  runtime.transact((tx) => {
    logOutEverywhere(tx, accountOf(node, email), (id) => queues.closeSocketsOf(id));
  }, OPERATOR);
  return userRow(accountOf(node, email));
}

/** One journal entry without events: no client shows these rights. @returns what the operator reads */
function changeRight(node: AdminNode, { args }: AdminRequest, granted: boolean): string {
  const [address = '', name = ''] = args;
  const right = USER_RIGHTS.find((one) => one === name);
  if (!right) throw badRequest(`A right is one of ${USER_RIGHTS.join(', ')}`);
  const user = node.served.runtime.transact((tx) => {
    const { user_id } = accountOf(node, address);
    return tx.org.users.update(user_id, rightChange(right, granted));
  }, OPERATOR);
  return rightSentence(user, right, granted);
}

/** @throws ApiError for a bot, which logs in by its key alone */
function personOf(node: AdminNode, text: string) {
  const user = accountOf(node, text);
  if (user.is_bot) throw badRequest('A bot has no password');
  return user;
}
