import type { ParamsOf } from '../../../schemas/endpoint.js';
import { ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import * as descriptors from '../../../schemas/users/user-administration.js';
import { badRequest, cannotDeactivateLastUser, mustBe } from '../../errors/index.js';
import {
  checkedFullName,
  checkedNewEmail,
  type AllowedDomain,
} from '../../organization/accounts/account-checks.js';
import { randomKeyVersion } from '../../organization/accounts/accounts.js';
import { forgetDevices } from '../../organization/personal/push.js';
import { visibleChannel } from '../../organization/access/channel-rights.js';
import {
  deactivateUser,
  reactivateUser,
  type DeactivationParts,
} from '../../organization/users/deactivation.js';
import { changeEmail } from '../../organization/accounts/email-change.js';
import { queueMail } from '../../organization/mail/delivery.js';
import type { Organization } from '../../organization/state/organization.js';
import { canSeeUser } from '../../organization/access/user-access.js';
import { canSeeChannel, isAdministrator } from '../../organization/access/permissions.js';
import {
  checkedProfile,
  setProfile,
  type CheckedEntry,
} from '../../organization/users/profile-fields.js';
import { changeRole, isLastOwner } from '../../organization/users/role-change.js';
import { changeFullName } from '../../organization/users/settings-change.js';
import type { Transaction } from '../../organization/state/transaction.js';
import type { ApiKeys } from '../../services/auth/api-keys.js';
import type { Markdown } from '../../services/markdown/markdown.js';
import { isOtherAddress, refuseOfDirectory, requireProof } from '../accounts/address-proof.js';
import type { PasswordParts } from '../accounts/password-change.js';
import {
  handle,
  handlePrepared,
  permitting,
  type AnyHandler,
  type CallerRequest,
} from '../kernel/handler.js';
import type { Asked } from '../kernel/route.js';
import { visibleByEmail } from './users.js';
import { renderDescription } from '../channels/wanted-channels.js';

/** Dependencies of replacing a key. */
export interface KeyParts {
  readonly keys: ApiKeys;
  /** Closes the sockets and streams of a user whose key changed. */
  readonly closeSockets: (userId: number) => void;
}

/** Dependencies of the administration of accounts. */
export interface UserAdministrationParts extends KeyParts, PasswordParts {
  readonly markdown: Markdown;
  readonly deactivation: DeactivationParts;
}

/** Administration of accounts (endpoints-users.md#read-users and endpoints-users.md#user-administration). */
export function userAdministrationHandlers(parts: UserAdministrationParts): AnyHandler[] {
  return [
    permitting(
      (org, user, asked) => permitUpdate(user, org.users.get(Number(asked.path.user_id)), asked),
      handlePrepared(
        descriptors.updateUser,
        (org, request) => prove(org, parts, request, org.users.get(request.params.user_id)),
        (tx, { user, params }) =>
          update(tx, user, accountById(tx.org, params.user_id), params, parts),
      ),
    ),
    permitting(
      (org, user, asked) =>
        permitUpdate(user, visibleByEmail(org, user, String(asked.path.email)), asked),
      handlePrepared(
        descriptors.updateUserByEmail,
        (org, request) =>
          prove(org, parts, request, visibleByEmail(org, request.user, request.params.email)),
        (tx, { user, params }) =>
          update(tx, user, ordinary(visibleByEmail(tx.org, user, params.email)), params, parts),
      ),
    ),
    handle(descriptors.deactivateUser, (tx, { user, params }) => {
      const target = accountById(tx.org, params.user_id);
      requireMayDeactivate(tx.org, user, target);
      refuseDeletions(params.actions);
      mailFarewell(tx, target, user, params.deactivation_notification_comment ?? null);
      deactivateUser(tx, target, parts.deactivation);
      return {};
    }),
    handle(descriptors.deactivateOwnUser, (tx, { user }) => {
      if (tx.org.users.active.size === 1) throw cannotDeactivateLastUser(false);
      if (isLastOwner(tx.org, user)) throw cannotDeactivateLastUser(true);
      deactivateUser(tx, user, parts.deactivation);
      return {};
    }),
    handle(descriptors.reactivateUser, (tx, { user, params }) => {
      const target = accountById(tx.org, params.user_id);
      if (target.is_deleted === true) throw badRequest('This account was deleted for good.');
      if (target.is_imported_stub && !target.is_active) {
        throw badRequest(
          'Cannot activate a placeholder account; ask the user to sign up, instead.',
        );
      }
      // An owner, or a bot with the rights of one.
      if (!target.is_active && target.role === ROLE.owner && user.role !== ROLE.owner) {
        throw mustBe('owner');
      }
      reactivateUser(tx, target, user);
      return {};
    }),
    handle(descriptors.regenerateOwnApiKey, (tx, { user }) => ({
      api_key: regenerateKey(tx, user, parts),
    })),
    channelsOf,
    subscriptionStatus,
  ];
}

/** A human or bot that is no system bot. @throws ApiError `No such user` */
function accountById(org: Organization, userId: number): UserDocument {
  return ordinary(org.users.get(userId));
}

function ordinary(user: UserDocument | undefined): UserDocument {
  if (!user || user.is_system_bot) throw badRequest('No such user');
  return user;
}

/** Of one's own address, as in one's settings (endpoints-invitations.md#email-change). @throws ApiError */
async function prove(
  org: Organization,
  parts: UserAdministrationParts,
  request: CallerRequest<typeof descriptors.updateUser | typeof descriptors.updateUserByEmail>,
  target: UserDocument | undefined,
): Promise<void> {
  const { user, params } = request;
  // Without the right the change is refused anyway.
  const isOwn = target?.user_id === user.user_id && user.can_change_user_emails === true;
  const changes = isOwn && isOtherAddress(user, params.new_email);
  if (changes) await refuseOfDirectory(org, parts, user);
  await requireProof(org, parts, request, params.old_password, changes);
}

type Changes = Pick<
  ParamsOf<typeof descriptors.updateUser>,
  'full_name' | 'role' | 'profile_data' | 'new_email'
>;

/** Checked changes of an account. */
interface CheckedChanges {
  readonly fullName: string;
  readonly role: UserDocument['role'];
  readonly profile: readonly CheckedEntry[];
  readonly email: string;
}

/** Checks everything before it changes anything. */
function update(
  tx: Transaction,
  actor: UserDocument,
  target: UserDocument,
  changes: Changes,
  { markdown }: UserAdministrationParts,
): Record<string, never> {
  permitUpdate(actor, target, { gives: (name) => changes[name as keyof Changes] !== undefined });
  const { org } = tx;
  const checked: CheckedChanges = {
    fullName: checkedName(org, target, changes.full_name),
    role: checkedRole(org, actor, target, changes.role),
    profile: profileOf(org, target, changes.profile_data),
    email: checkedAddress(org, actor, target, changes.new_email, org.domains.list()),
  };
  const { user_id } = target;
  changeRole(tx, target, checked.role);
  changeFullName(tx, org.users.get(user_id)!, checked.fullName);
  setProfile(tx, target, checked.profile, (_org, text) => renderDescription(org, markdown, text));
  changeEmail(tx, org.users.get(user_id)!, checked.email);
  return {};
}

/** Changes that only administrators make; owners of bots may rename them. */
const ADMINISTRATORS_CHANGES = ['role', 'profile_data', 'new_email'] as const;

/**
 * Checks the right to give an account such changes.
 * @param target undefined where there is none, which others than administrators do not learn
 * @throws ApiError `UNAUTHORIZED_PRINCIPAL`
 */
function permitUpdate(
  actor: UserDocument,
  target: UserDocument | undefined,
  { gives }: Pick<Asked, 'gives'>,
): void {
  if (isAdministrator(actor)) return;
  const isTheirBot = target?.is_bot === true && target.bot_owner_id === actor.user_id;
  if (!isTheirBot || ADMINISTRATORS_CHANGES.some(gives)) throw mustBe('administrator');
}

function checkedName(org: Organization, target: UserDocument, raw: string | undefined): string {
  if (raw === undefined || raw.trim() === target.full_name) return target.full_name;
  return checkedFullName(org, raw, target.user_id);
}

/**
 * Checks a new role. Only owners may give the role of an owner, or take it away.
 * @throws ApiError, also for the last owner
 */
export function checkedRole(
  org: Organization,
  actor: UserDocument,
  target: UserDocument,
  role: UserDocument['role'] | undefined,
): UserDocument['role'] {
  if (role === undefined || role === target.role) return target.role;
  const concernsOwners = role === ROLE.owner || target.role === ROLE.owner;
  if (concernsOwners && actor.role !== ROLE.owner) throw mustBe('owner');
  if (isLastOwner(org, target)) {
    throw badRequest('The owner permission cannot be removed from the only organization owner.');
  }
  return role;
}

function profileOf(
  org: Organization,
  target: UserDocument,
  entries: Changes['profile_data'],
): CheckedEntry[] {
  if (entries === undefined || entries.length === 0) return [];
  if (target.is_bot) throw badRequest('Bots have no custom profile fields.');
  return checkedProfile(org, entries, true);
}

function checkedAddress(
  org: Organization,
  actor: UserDocument,
  target: UserDocument,
  raw: string | undefined,
  domains: readonly AllowedDomain[],
): string {
  if (raw === undefined) return target.email;
  if (!actor.can_change_user_emails) throw badRequest('User not authorized to change user emails');
  // The holder of the address can reset the password, and so act as that owner.
  if (target.role === ROLE.owner && actor.role !== ROLE.owner) throw mustBe('owner');
  const email = raw.trim();
  // The user's own address in another case is not taken.
  if (email.toLowerCase() === target.email.toLowerCase()) return email;
  return checkedNewEmail(org, email, domains);
}

/** @throws ApiError when the account is not active, or must stay */
function requireMayDeactivate(org: Organization, actor: UserDocument, target: UserDocument): void {
  if (!target.is_active) throw badRequest('User is deactivated');
  if (target.role === ROLE.owner && actor.role !== ROLE.owner) throw mustBe('owner');
  if (isLastOwner(org, target)) throw badRequest('Cannot deactivate the only organization owner');
}

/** @throws ApiError when something is to be deleted: whoever asks must not believe that it is gone */
function refuseDeletions(actions: ParamsOf<typeof descriptors.deactivateUser>['actions']): void {
  if (!actions || !Object.values(actions).includes(true)) return;
  throw badRequest('Deleting what a user wrote is not supported by this server.');
}

/** Mails a deactivated person who did it, and why; bots get no mail. */
function mailFarewell(
  tx: Transaction,
  target: UserDocument,
  actor: UserDocument,
  comment: string | null,
): void {
  if (comment === null || target.is_bot) return;
  queueMail(tx, target.email, {
    kind: 'account_deactivated',
    full_name: target.full_name,
    actor_name: actor.full_name,
    comment,
  });
}

/**
 * Replaces a key: the old one is invalid from the transaction on, sockets opened with it close, and devices are
 * logged out.
 */
export function regenerateKey(
  tx: Transaction,
  user: UserDocument,
  { keys, closeSockets }: KeyParts,
): string {
  const { user_id } = user;
  const { key_version } = tx.org.users.update(user_id, { key_version: randomKeyVersion() });
  forgetDevices(tx, user_id);
  tx.onceDurable(() => closeSockets(user_id));
  return keys.derive(user_id, key_version);
}

/** @throws ApiError `No such user`, also for one whom the viewer may not see */
function visibleAccount(org: Organization, viewer: UserDocument, userId: number): UserDocument {
  const account = accountById(org, userId);
  if (!canSeeUser(org, viewer, account)) throw badRequest('No such user');
  return account;
}

const channelsOf = handle(descriptors.getUserChannels, ({ org }, { user, params }) => {
  const target = visibleAccount(org, user, params.user_id);
  const ids: number[] = [];
  if (target.is_active) {
    for (const sub of org.subscriptions.ofUser(target.user_id).values()) {
      const channel = org.channels.get(sub.stream_id);
      if (sub.active && channel && canSeeChannel(org, user, channel)) ids.push(sub.stream_id);
    }
  }
  return { subscribed_channel_ids: ids.sort((a, b) => a - b) };
});

const subscriptionStatus = handle(
  descriptors.getSubscriptionStatus,
  ({ org }, { user, params }) => {
    const target = visibleAccount(org, user, params.user_id);
    const { stream_id } = visibleChannel(org, user, params.stream_id);
    const subscribed = org.subscriptions.isSubscribed(target.user_id, stream_id);
    return { is_subscribed: target.is_active && subscribed };
  },
);
