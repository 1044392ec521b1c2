import * as schemas from '../../../schemas/personal/muted-users.js';
import { muteUser, unmuteUser } from '../../organization/personal/muted-users.js';
import { handle, handleInParts, type AnyHandler } from '../kernel/handler.js';

/** Muted users (endpoints-users.md#muted-users-and-alert-words). */
export function mutedUserHandlers(): AnyHandler[] {
  return [
    handleInParts(schemas.muteUser, function* (change, { user, params }) {
      yield* muteUser(change, user, params.muted_user_id);
      return {};
    }),
    handle(schemas.unmuteUser, (tx, { user, params }) => {
      unmuteUser(tx, user, params.muted_user_id);
      return {};
    }),
  ];
}
