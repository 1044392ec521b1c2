import { ALL_ENDPOINTS } from '../../../schemas/endpoints.js';
import type { EndpointDescriptor } from '../../../schemas/endpoint.js';
import type { Body } from './client.js';
import { exampleCall, type Ids } from './example-call.js';
import { OWNER_EMAIL, OWNER_PASSWORD } from './server.js';

/**
 * A new key, or no organization, would end the credentials everything else is tried with; an export is told of when it
 * is made, long after its request.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'regenerate-own-api-key',
  'deactivate-realm',
  'export-realm',
]);

/** A parameter that does the same: it is never tried with a value. */
export const NEVER_GIVEN: ReadonlySet<string> = new Set(['regenerate_api_key']);

/** Every endpoint of the API served over plain HTTP, in a fixed order. */
export const SERVED: readonly EndpointDescriptor[] = ALL_ENDPOINTS.filter(
  ({ operation, atRoot }) => !operation.startsWith('open-event-') && !atRoot,
);

/** Of these, those that may be tried at will. */
export const ENDPOINTS: readonly EndpointDescriptor[] = SERVED.filter(
  ({ operation }) => !LEFT_OUT.has(operation),
);

/**
 * Parameters with which each endpoint succeeds, at least once: those of its example. Here stands what is otherwise in
 * an organization that tests make.
 */
export function validParameters(ids: Ids): Readonly<Record<string, Body>> {
  const { messageId } = ids;
  const account = { username: OWNER_EMAIL, password: OWNER_PASSWORD };
  const others: Readonly<Record<string, Body>> = {
    'fetch-api-key': account,
    'begin-two-factor': { password: OWNER_PASSWORD },
    'remove-two-factor': { password: OWNER_PASSWORD, code: '000000' },
    'get-user-by-email': { email: OWNER_EMAIL },
    'update-user-by-email': { email: OWNER_EMAIL, full_name: 'Owner' },
    // The field of the other examples has been deleted by then.
    'update-own-profile-data': { data: [] },
    'remove-own-profile-data': { data: [] },
    'reorder-custom-profile-fields': { order: [] },
    // The next one sent: the one that others aim at stays.
    'delete-message': { message_id: messageId + 1 },
    // Who asks stays logged in.
    'log-person-out': { user_id: 999_999 },
    'end-person-session': { user_id: ids.userId, session_id: 999_999 },
    // The queue that others aim at stays.
    'drop-queue': { queue_id: 'no queue' },
    'get-events': { queue_id: ids.queueId, dont_block: true },
    // The smallest reply.
    'register-queue': { fetch_event_types: [], event_types: [] },
  };
  return Object.fromEntries(
    SERVED.map((endpoint) => [
      endpoint.operation,
      others[endpoint.operation] ?? exampleCall(endpoint, ids),
    ]),
  );
}
