import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
import { ROLE, type UserDocument } from '../../../schemas/users/user-document.js';
import { botsNotAccepted, guestsNotAllowed, mustBe } from '../../errors/index.js';

/**
 * Checks the access rule of an endpoint, which its descriptor alone states: when a request arrives, and again by work
 * that goes on after it.
 * @param user a caller who is known to be active
 * @throws ApiError 400 with the messages of errors.md#permission-messages
 */
export function checkAccess(
  { access }: Pick<EndpointDescriptor, 'access'>,
  user: UserDocument,
): void {
  switch (access) {
    case 'anonymous':
    case 'user':
      return;
    case 'human':
      if (user.is_bot) throw botsNotAccepted();
      return;
    case 'member':
      if (user.role >= ROLE.guest) throw guestsNotAllowed();
      return;
    case 'administrator':
      if (user.role > ROLE.administrator) throw mustBe('administrator');
      return;
    case 'owner':
      if (user.role > ROLE.owner) throw mustBe('owner');
      return;
  }
}
