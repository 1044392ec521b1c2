import type { EndpointDescriptor, NeededRight } from '../../../schemas/endpoint.js';
import { ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import {
  type ApiError,
  badRequest,
  botsNotAccepted,
  guestsNotAllowed,
  mustBe,
} from '../../errors/index.js';
import type { Organization } from '../state/organization.js';
import { insufficient } from './group-rights.js';
import { allows, canCreateUsers } from './permissions.js';

type Asked = Pick<EndpointDescriptor, 'access'>;

/**
 * Checks the access rule of an endpoint, which its descriptor alone states: when a request arrives, and again by work
 * that goes on after it.
 * @param user a caller who is known to be active
 * @throws ApiError 400 with the messages of errors.md#permission-messages
 */
export function checkAccess(endpoint: Asked, user: UserDocument): void {
  const refusal = refusalOf(endpoint, user);
  if (refusal) throw refusal;
}

/**
 * Checks the right, or one of the rights, that every call of an endpoint needs: before its parameters are read, and again with the work, as the
 * organization may change meanwhile.
 * @throws ApiError 400
 */
export function checkRight(
  org: Organization,
  { right }: Pick<EndpointDescriptor, 'right'>,
  user: UserDocument,
): void {
  if (right === undefined) return;
  const rights = typeof right === 'string' ? [right] : right;
  if (rights.some((one) => hasRight(org, one, user))) return;
  if (right === 'can_create_users') throw badRequest('User not authorized to create users');
  throw insufficient();
}

function hasRight(org: Organization, right: NeededRight, user: UserDocument): boolean {
  if (right === 'can_create_users') return canCreateUsers(user);
  return allows(org, org.realm.current[right], user);
}

/** Whether somebody could call an endpoint now: what a reply of it gave them counts as long as they could. */
export function couldCall(endpoint: Asked, user: UserDocument | undefined): boolean {
  return user?.is_active === true && refusalOf(endpoint, user) === null;
}

function refusalOf({ access }: Asked, user: UserDocument): ApiError | null {
  switch (access) {
    case 'anonymous':
    case 'user':
      return null;
    case 'human':
      return user.is_bot ? botsNotAccepted() : null;
    case 'member':
      return user.role >= ROLE.guest ? guestsNotAllowed() : null;
    case 'human-member':
      return user.is_bot ? botsNotAccepted() : refusalOf({ access: 'member' }, user);
    case 'administrator':
      return user.role > ROLE.administrator ? mustBe('administrator') : null;
    case 'owner':
      return user.role > ROLE.owner ? mustBe('owner') : null;
    case 'human-administrator':
      return user.is_bot ? botsNotAccepted() : refusalOf({ access: 'administrator' }, user);
    case 'human-owner':
      return user.is_bot ? botsNotAccepted() : refusalOf({ access: 'owner' }, user);
  }
}
