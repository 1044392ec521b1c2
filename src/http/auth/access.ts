import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
import { ROLE } from '../../../schemas/users/user-document.js';
import { botsNotAccepted, guestsNotAllowed, mustBe } from '../../errors.js';
import { assertNotWebhookBot } from '../../resources/kernel/authenticator.js';
import type { Caller } from '../../resources/kernel/route.js';

/**
 * Checks the access rule of an endpoint for a caller who is known to be active.
 * @throws ApiError 400 with the messages of errors.md#permission-messages
 */
export function checkAccess(endpoint: EndpointDescriptor, { user }: Caller): void {
  assertNotWebhookBot(user, endpoint);
  switch (endpoint.access) {
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
