import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
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
 * Checks the right that every call of an endpoint needs: before its parameters are read, and again with the work, as the
 * organization may change meanwhile.
 * @throws ApiError 400
 */
export function checkRight(
  org: Organization,
  { right }: Pick<EndpointDescriptor, 'right'>,
  user: UserDocument,
): void {
  if (right === undefined) return;
  if (right === 'can_create_users') {
    if (!canCreateUsers(user)) throw badRequest('User not authorized to create users');
  } else if (!allows(org, org.realm.current[right], user)) throw insufficient();
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
